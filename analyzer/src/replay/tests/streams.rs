//! Batched replay with prefetching gives the same result as one event after another.

use std::cell::Cell;

use aclsan_log::batch::Batch;
use aclsan_log::{BlockId, CallSiteId, Event, Mapping, Values};
use proptest::test_runner::{Config, TestRunner};

use super::random::{Choices, steps};
use super::{Story, THREAD};
use crate::replay::ahead::BATCH;
use crate::replay::player::Player;
use crate::replay::profile;

const BLOCKS: u64 = 24;
/// Blocks of host memory among them.
const PINNED: u64 = 4;
const STREAMS: u64 = 5;
const EVENTS: u64 = 6;
const SIZE: u64 = 4_096;

fn address(block: u64) -> u64 {
    (block + 1) << 20
}

/// First handles of streams and events; one more of each than exist is used.
const STREAM: u64 = 0x100;
const EVENT: u64 = 0x1000;

/// Edges by name, and what their values are: a stream, an event, or 0.
const EDGES: &[(&str, [char; 2])] = &[
    ("aclrtRecordEvent", ['e', 's']),
    ("aclrtStreamWaitEvent", ['s', 'e']),
    ("aclrtRecordEvent", ['e', 's']),
    ("aclrtStreamWaitEvent", ['s', 'e']),
    ("aclrtSynchronizeStream", ['s', '0']),
    ("aclrtQueryEventStatus", ['e', '0']),
    ("aclrtResetEvent", ['e', 's']),
    ("aclrtLaunchCallback", ['s', '0']),
    ("noFunctionThatAnybodyKnows", ['s', 'e']),
];

/// Sites of rare events.
struct Rare {
    edges: Vec<CallSiteId>,
    fill: CallSiteId,
    words: CallSiteId,
    copy: CallSiteId,
    blocking: CallSiteId,
    write: CallSiteId,
    begin: CallSiteId,
    end: CallSiteId,
    register: CallSiteId,
    /// Functions that allocate pinned memory and release it.
    pinned: [CallSiteId; 2],
    /// Functions that make a stream and an event, and those that destroy them.
    handles: [[CallSiteId; 2]; 2],
}

fn call(story: &mut Story, site: CallSiteId, values: &[u64], status: i32) {
    let values = Values::new(values);
    story.event(Event::Call {
        site,
        values,
        status,
    });
}

/// Live blocks, streams and events.
type Live = [Option<BlockId>; (BLOCKS + STREAMS + EVENTS) as usize];

/// Creates the `number`-th stream or event, or destroys it if it exists.
fn turn_over(story: &mut Story, rare: &Rare, live: &mut Live, number: u64) {
    let is_event = number >= STREAMS;
    let handle = match is_event {
        false => STREAM + number,
        true => EVENT + number - STREAMS,
    };
    let [make, site] = rare.handles[usize::from(is_event)];
    let known = &mut live[(BLOCKS + number) as usize];
    *known = match known.take() {
        None => Some(story.synth.allocation(THREAD, make, handle, 0)),
        Some(block) => {
            story.event(Event::Release { block, site });
            None
        }
    };
}

/// Steps of one stretch.
const STRETCH: usize = BATCH / 3;

fn tell(steps: Vec<Choices>, story: &mut Story, rare: &Rare, live: &mut Live) {
    // Stretches of streams, of allocations, of both.
    for (stretch, steps) in steps.chunks(STRETCH).enumerate() {
        let allocations = [2, 50, 12][stretch % 3];
        for mut random in steps.iter().cloned() {
            let [block, other] = [random.below(BLOCKS), random.below(BLOCKS)];
            let stream = STREAM + random.below(STREAMS + 1);
            let event = EVENT + random.below(EVENTS + 1);
            let status = [0, 0, 0, 0, 0, 0, 0, 107_019][random.below(8) as usize];
            match random.below(100) {
                at if at < allocations => {
                    let known = &mut live[block as usize];
                    let [make, site] = match block < PINNED {
                        true => rare.pinned,
                        false => [story.malloc, story.free],
                    };
                    *known = match known.take() {
                        Some(block) => {
                            story.event(Event::Release { block, site });
                            None
                        }
                        None => {
                            let address = address(block);
                            Some(story.synth.allocation(THREAD, make, address, SIZE))
                        }
                    };
                    if random.below(30) == 0 {
                        story.refused(address(block), 507_899);
                    }
                }
                50..75 => {
                    // Mostly a whole block, and on a stream of its own.
                    let (some, offset) = (random.below(SIZE + 2), random.below(8) / 7 * 64);
                    let count = [SIZE, some][random.below(2) as usize];
                    let own = STREAM + other % STREAMS;
                    story.event(Event::Set {
                        site: [rare.fill, rare.fill, rare.words, rare.blocking]
                            [random.below(4) as usize],
                        to: address(other) + offset,
                        room: SIZE,
                        value: 0,
                        count,
                        stream: [own, own, own, stream, 0][random.below(5) as usize],
                        mapping: Mapping::Unknown,
                    });
                }
                80..84 => {
                    story.event(Event::Copy {
                        site: rare.copy,
                        to: address(other % PINNED),
                        room: SIZE,
                        from: address(PINNED + block % PINNED),
                        count: SIZE,
                        stream,
                    });
                }
                75 if random.below(20) == 0 => {
                    call(story, rare.begin, &[stream, 0], 0);
                }
                76 => call(story, rare.end, &[stream, 0x77], 0),
                77 if random.below(60) == 0 => {
                    call(story, rare.write, &[address(block), 1, stream], 0);
                }
                78 if random.below(60) == 0 => {
                    let site = rare.register;
                    (story.synth).allocation(THREAD, site, 0x7000_0000_0000, SIZE);
                }
                79 if random.below(10) == 0 => {
                    turn_over(story, rare, live, random.below(STREAMS + EVENTS));
                }
                _ => {
                    let edge = random.below(EDGES.len() as u64) as usize;
                    let values = EDGES[edge].1.map(|of| match of {
                        's' => stream,
                        'e' => event,
                        _ => 0,
                    });
                    call(story, rare.edges[edge], &values, status);
                }
            }
        }
    }
}

#[test]
fn it_makes_no_difference_how_many_events_are_in_view() {
    let found = Cell::new(0);
    let config = Config {
        max_shrink_iters: 500,
        ..Config::with_cases(12)
    };
    let check = |steps: Vec<Choices>| {
        let mut story = Story::new();
        let site = |story: &mut Story, name: &str| story.synth.site(name, 0, 0, &[0x500, 0x10]);
        let rare = Rare {
            edges: EDGES.iter().map(|edge| site(&mut story, edge.0)).collect(),
            fill: site(&mut story, "aclrtMemsetAsync"),
            words: site(&mut story, "aclrtMemsetD32Async"),
            copy: site(&mut story, "aclrtMemcpyAsync"),
            blocking: site(&mut story, "aclrtMemset"),
            write: site(&mut story, "aclrtValueWrite"),
            begin: site(&mut story, "aclmdlRICaptureBegin"),
            end: site(&mut story, "aclmdlRICaptureEnd"),
            register: site(&mut story, "aclrtHostRegister"),
            pinned: ["aclrtMallocHost", "aclrtFreeHost"].map(|name| site(&mut story, name)),
            handles: [
                ["aclrtCreateStream", "aclrtDestroyStream"],
                ["aclrtCreateEvent", "aclrtDestroyEvent"],
            ]
            .map(|pair| pair.map(|name| site(&mut story, name))),
        };
        let mut live = [None; _];
        for number in 0..STREAMS + EVENTS {
            turn_over(&mut story, &rare, &mut live, number);
        }
        tell(steps, &mut story, &rare, &mut live);
        let log = story.event(Event::Exit).synth.log();
        let judged = |play: fn(&mut Player, &Batch)| {
            let (mut player, mut batch) = (Player::new(&log, profile(&log)), Batch::default());
            let mut events = log.events();
            loop {
                events.fill(&mut batch, BATCH);
                if batch.entries().is_empty() {
                    return player.finish(&log, false, None);
                }
                play(&mut player, &batch);
            }
        };
        let (in_view, singly) = (judged(Player::play), judged(Player::play_singly));
        assert!(format!("{in_view:?}") == format!("{singly:?}"));
        found.set(found.get() + in_view.findings.len());
        Ok(())
    };
    TestRunner::new(config)
        .run(&steps(1..8 * STRETCH), check)
        .unwrap();
    assert!(found.get() > 100, "{found:?}");
}
