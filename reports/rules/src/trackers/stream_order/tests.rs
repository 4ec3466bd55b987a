//! Random programs: the detector against brute force over all interleavings.

use std::cell::Cell;
use std::collections::HashSet;

use aclsan_log::record::{Access, Values};
use aclsan_log::{BlockId, CallSiteId};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use super::RaceDetector;
use crate::api::block::{AddressInfo, Block};
use crate::api::functions::{Call, function};
use crate::api::profile::Profile;
use crate::evidence::operation::{Copy, RangeUse};
use crate::trackers::objects::HeapView;

mod copies;
mod edges;
mod ends;
mod gaps;
mod graphs;
mod host_access;
mod models;
mod persistent_streams;
mod pools;
mod programs;
mod scale;
mod semaphores;
mod timelines;
mod unrecorded_events;

use programs::{Op, program};

const STREAMS: usize = 3;
const BLOCKS: usize = 2;
const OPS: usize = 10;
const WAYS: usize = 3;
const SIZE: u64 = 0x100;
const THREAD: u32 = 1;

/// xorshift64*, Vigna 2016.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }
}

/// What a call leaves in a queue: its number, and the queued operation that it waits for.
#[derive(Clone, Copy)]
struct Task {
    op: usize,
    waits_for: Option<(usize, usize)>,
}

/// The calls that run concurrently with an earlier, conflicting one in some interleaving.
fn brute(ops: &[Op]) -> HashSet<usize> {
    let mut queues: [Vec<Task>; STREAMS] = Default::default();
    // Before each call: how much is queued, and what it waits for if the host waits.
    let mut lengths = Vec::new();
    let mut host_waits: Vec<Vec<(usize, usize)>> = Vec::new();
    let (mut events, mut semaphores) = ([None; 2], [None; WAYS]);
    for (at, &op) in ops.iter().enumerate() {
        lengths.push(std::array::from_fn::<_, STREAMS, _>(|s| queues[s].len()));
        let all = |queues: &[Vec<Task>; STREAMS], s: usize| {
            queues[s].len().checked_sub(1).map(|last| (s, last))
        };
        let mut waits = Vec::new();
        let mut push = |stream: usize, waits_for| {
            queues[stream].push(Task { op: at, waits_for });
            Some((stream, queues[stream].len() - 1))
        };
        match op {
            Op::Queue { stream, .. } => drop(push(stream, None)),
            Op::Record { event, stream } => events[event] = push(stream, None),
            Op::Signal { way, stream } => semaphores[way] = push(stream, None),
            Op::Wait { stream, event } => drop(push(stream, events[event])),
            Op::WaitForSignal { way, stream } => drop(push(stream, semaphores[way])),
            Op::Synchronize { stream } => waits.extend(all(&queues, stream)),
            Op::SynchronizeEvent { event } => waits.extend(events[event]),
            Op::SynchronizeDevice | Op::ReleaseAfterDevice { .. } => {
                waits.extend((0..STREAMS).filter_map(|s| all(&queues, s)));
            }
            Op::Blocking { .. } | Op::Release { .. } => {}
        }
        host_waits.push(waits);
    }
    lengths.push(std::array::from_fn(|s| queues[s].len()));

    let mut races = HashSet::new();
    let mut seen = vec![false; (OPS + 1).pow(STREAMS as u32 + 1)];
    let mut open = vec![(0, [0; STREAMS])];
    while let Some(state) = open.pop() {
        let number = state
            .1
            .iter()
            .fold(state.0, |sum, done| sum * (OPS + 1) + done);
        if std::mem::replace(&mut seen[number], true) {
            continue;
        }
        let (next, done): (usize, [usize; STREAMS]) = state;
        let is_done = |&(stream, place): &(usize, usize)| done[stream] > place;
        let mut ready = Vec::new();
        if next < ops.len() && host_waits[next].iter().all(is_done) {
            ready.push(next);
            open.push((next + 1, done));
        }
        for stream in 0..STREAMS {
            if done[stream] < lengths[next][stream] {
                let task = queues[stream][done[stream]];
                if task.waits_for.iter().all(is_done) {
                    ready.push(task.op);
                    let mut further = done;
                    further[stream] += 1;
                    open.push((next, further));
                }
            }
        }
        for &left in &ready {
            for &right in &ready {
                if let (Some(a), Some(b)) = (ops[left].touches(), ops[right].touches())
                    // The host's next call is queued, not run, if it queues.
                    && !(left == next && a.2.is_some() || right == next && b.2.is_some())
                    && left < right
                    && a.0 == b.0
                    && (a.1 || b.1)
                {
                    races.insert(right);
                }
            }
        }
    }
    races
}

/// Device memory that is never released. The last block holds the values.
struct Stage;

fn block(number: usize) -> Block {
    Block {
        id: BlockId(number as u64),
        address: (number as u64 + 1) * 0x1000,
        size: SIZE,
        function: function("aclrtMalloc").unwrap(),
        site: CallSiteId(1),
        device: 0,
    }
}

impl HeapView for Stage {
    fn place(&self, address: u64) -> AddressInfo {
        let mut all = (0..=BLOCKS).map(block);
        let found = all.find(|block| block.covers(address));
        found.map_or(AddressInfo::Unknown, |found| {
            AddressInfo::Live(found, address - found.address)
        })
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

fn call(name: &str, site: usize) -> Call {
    Call {
        function: function(name).unwrap(),
        site: CallSiteId(site as u32 + 10),
        argument: 0,
        device: 0,
    }
}

const fn handle(stream: usize) -> u64 {
    0x100 + stream as u64
}

/// A detector that knows all streams and nothing else.
fn with_streams() -> RaceDetector {
    let mut detector = RaceDetector::default();
    for stream in 0..STREAMS {
        let made = Block {
            address: handle(stream),
            function: function("aclrtCreateStream").unwrap(),
            ..block(0)
        };
        detector.made(&call("aclrtCreateStream", 0), &made);
    }
    detector
}

/// Address of the value that streams wait for.
const FLAG: u64 = (BLOCKS as u64 + 1) * 0x1000;

/// The calls that have a finding.
fn judged(ops: &[Op]) -> HashSet<usize> {
    let mut detector = with_streams();
    let notify = Block {
        address: 2,
        function: function("aclrtCntNotifyCreate").unwrap(),
        ..block(0)
    };
    detector.made(&call("aclrtCntNotifyCreate", 0), &notify);
    let mut turn = 0;
    let mut races = HashSet::new();
    for (at, &op) in ops.iter().enumerate() {
        let mut tell = |name: &str, values: &[u64]| {
            detector.called(&call(name, at), &Values::new(values), 0, THREAD, &Stage)
        };
        let event = |event: usize| event as u64 + 1;
        let found = match op {
            Op::Record { event: e, stream } => {
                tell("aclrtRecordEvent", &[event(e), handle(stream)])
            }
            Op::Wait { stream, event: e } => {
                tell("aclrtStreamWaitEvent", &[handle(stream), event(e)])
            }
            Op::Signal { way: 0, stream } => tell("aclrtRecordNotify", &[1, handle(stream)]),
            Op::WaitForSignal { way: 0, stream } => {
                tell("aclrtWaitAndResetNotify", &[1, handle(stream)])
            }
            // Each turn has a value of its own.
            Op::Signal { way: 1, stream } => {
                turn += 1;
                tell("aclrtValueWrite", &[FLAG, turn, handle(stream)])
            }
            Op::WaitForSignal { way: 1, stream } => {
                tell("aclrtValueWait", &[FLAG, turn, 1, handle(stream)])
            }
            Op::Signal { stream, .. } => tell("aclrtCntNotifyRecord", &[2, handle(stream), 0, 1]),
            Op::WaitForSignal { stream, .. } => {
                tell("aclrtCntNotifyWaitWithTimeout", &[2, handle(stream), 1, 1])
            }
            Op::Synchronize { stream } => tell("aclrtSynchronizeStream", &[handle(stream)]),
            Op::SynchronizeEvent { event: e } => tell("aclrtSynchronizeEvent", &[event(e)]),
            Op::SynchronizeDevice => tell("aclrtSynchronizeDevice", &[]),
            Op::Queue {
                stream,
                block: of,
                writes,
            } => {
                let used = RangeUse {
                    address: block(of).address,
                    size: SIZE,
                    access: if writes { Access::Write } else { Access::Read },
                };
                let run = call("aclopExecuteV2", at);
                detector.uses(
                    &run,
                    &used,
                    &Stage.place(used.address),
                    handle(stream),
                    THREAD,
                );
                detector.called(&run, &Values::new(&[handle(stream)]), 0, THREAD, &Stage)
            }
            Op::Blocking { block: of, writes } => {
                let (inside, outside) = (block(of).address, 0x9_0000);
                let (to, from) = match writes {
                    true => (inside, outside),
                    false => (outside, inside),
                };
                let copy = Copy {
                    to,
                    room: SIZE,
                    from,
                    count: SIZE,
                };
                let places = [to, from].map(|at| Stage.place(at));
                let copying = call("aclrtMemcpy", at);
                detector.copy(&copying, &copy, places.each_ref(), 0, THREAD)
            }
            Op::Release { block: of } => {
                detector.releasing(&call("aclrtFree", at), &block(of), THREAD)
            }
            Op::ReleaseAfterDevice { block: of } => {
                let free = call("aclrtFreeWithDevSync", at);
                detector.releasing(&free, &block(of), THREAD)
            }
        };
        assert!(found.len() <= 1, "one block, one finding");
        if !found.is_empty() {
            races.insert(at);
        }
    }
    races
}

#[test]
fn the_order_finds_a_race_exactly_where_some_interleaving_has_one() {
    let config = ProptestConfig {
        cases: 30_000,
        rng_seed: RngSeed::Fixed(0x9E37_79B9_7F4A_7C15),
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let counts = Cell::new((0, 0));
    let result = TestRunner::new(config).run(&program(), |ops| {
        let races = brute(&ops);
        let (racy, clean) = counts.get();
        counts.set(match races.is_empty() {
            true => (racy, clean + 1),
            false => (racy + 1, clean),
        });
        prop_assert_eq!(judged(&ops), races);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (racy, clean) = counts.get();
    // Both kinds are frequent; otherwise the comparison proves little.
    assert!(racy > 5_000 && clean > 5_000, "{racy} racy, {clean} clean");
}
