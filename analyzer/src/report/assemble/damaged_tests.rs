//! Flips every bit of a small log, and cuts the log at every length: everything before the damage is read, replayed and reported.

use aclsan_log::batch::TimestampedEvent;
use aclsan_log::layout::{HEADER_BYTES, HEADER_USED, SEGMENT_BYTES, SEGMENT_HEADER_BYTES};
use aclsan_log::{BlockId, Definition, Event, Log};
use aclsan_render::text;
use aclsan_render::text::{RunFacts, Style, WHOLE};

use super::Assembly;
use crate::replay::tests::{MIB, Story};
use crate::replay::{Replay, ReportScope, replay};
use crate::symbols::{SearchPaths, Symbols};

const EVENTS: usize = HEADER_BYTES + SEGMENT_BYTES;

/// A log with a finding, a leak, and a definition of every kind.
fn small() -> Vec<u8> {
    let mut story = Story::new();
    let text = |text: &str| text.to_owned();
    let definitions = [
        Definition::Property {
            key: text("program"),
            value: text("train"),
        },
        Definition::Module {
            start: 0x10,
            end: 0x20,
            bias: 0,
            build_id: vec![1],
            path: text("[none]"),
        },
        Definition::Unloaded { start: 0x10 },
        Definition::PythonCode {
            id: 0,
            function: text("load"),
            file: text("a.py"),
        },
        Definition::Status {
            code: 5,
            name: text("FIVE"),
        },
        Definition::Text {
            id: 1,
            text: text("cache"),
        },
    ];
    for definition in definitions {
        story.synth.define(definition);
    }
    let block = story.set_device(0).at(10).allocate(0x1000, 100);
    story.at(300).release(block).release_at(0x1000);
    story.at(1 << 30).allocate(0x20_0000, 1 << 21);
    let (site, block) = (story.malloc, BlockId::new(1, 1));
    for event in [
        Event::Copy {
            site,
            to: 0x20_0000,
            room: 8,
            from: 0x1000,
            count: 9,
            stream: 0,
        },
        Event::Guard {
            block,
            slack: 8,
            guard: 64,
            front: 0,
        },
        Event::Memory {
            site,
            free: 1,
            total: 2,
        },
        Event::Dropped { count: 1 },
        Event::Exit,
    ] {
        story.event(event);
    }
    let mut bytes = story.synth.bytes();
    bytes.truncate(EVENTS + SEGMENT_HEADER_BYTES + used(&bytes, EVENTS));
    bytes
}

/// Bytes of records in the segment at `start`.
fn used(bytes: &[u8], start: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[start + 24], bytes[start + 25]]))
}

/// Events, replay and rendered report of a log; or why it cannot be read.
fn reported(bytes: Vec<u8>) -> Result<(Vec<TimestampedEvent>, Replay, String), String> {
    let log = Log::from_bytes("small", bytes).map_err(|error| error.to_string())?;
    let replay = replay(&log, ReportScope::All(Some(MIB)), false, |_| {});
    let nowhere = SearchPaths {
        system_debug_dir: "/nonexistent".into(),
        ..SearchPaths::default()
    };
    let mut symbols = Symbols::new(nowhere);
    let mut assembly = Assembly::new(1);
    assembly.add(&log, &replay, &mut symbols);
    let mut words = Vec::new();
    text::render(
        &assembly.finish(&symbols),
        &WHOLE,
        RunFacts::default(),
        Style::default(),
        &mut words,
    )
    .unwrap();
    Ok((
        log.events().collect(),
        replay,
        String::from_utf8(words).unwrap(),
    ))
}

/// Where each event's record ends, from the file's start.
fn ends(whole: &[u8]) -> Vec<usize> {
    let records = &whole[EVENTS + SEGMENT_HEADER_BYTES..];
    let mut decoder = aclsan_log::decode::Decoder::new(1, 0);
    let mut ends = Vec::new();
    while let Ok(Some((_, record))) = decoder.next(records) {
        if !matches!(
            record,
            aclsan_log::decode::Record::Event(Event::Thread { .. })
        ) {
            ends.push(EVENTS + SEGMENT_HEADER_BYTES + decoder.offset());
        }
    }
    ends
}

#[test]
fn every_flipped_bit_is_survived_and_what_stands_before_it_is_read() {
    let whole = small();
    let (events, ..) = reported(whole.clone()).unwrap();
    let ends = ends(&whole);
    assert_eq!((events.len(), ends.len()), (10, 10));
    let definitions =
        HEADER_BYTES..HEADER_BYTES + SEGMENT_HEADER_BYTES + used(&whole, HEADER_BYTES);
    for at in (0..HEADER_USED)
        .chain(definitions)
        .chain(EVENTS..whole.len())
    {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            match reported(bytes) {
                Ok((read, replay, words)) => {
                    assert!(
                        words.contains("SUMMARY: aclsan: "),
                        "byte {at}, bit {bit}: {words}"
                    );
                    let is_reported = words.contains("is damaged at byte");
                    assert_eq!(
                        is_reported,
                        !replay.damage.is_empty(),
                        "byte {at}, bit {bit}: {words}"
                    );
                    if at >= EVENTS + SEGMENT_HEADER_BYTES {
                        let before = ends.iter().filter(|&&end| end <= at).count();
                        assert_eq!(read[..before], events[..before], "byte {at}, bit {bit}");
                    }
                }
                Err(why) => assert!(
                    at < HEADER_USED && why.contains("`small`"),
                    "byte {at}: {why}"
                ),
            }
        }
    }
}

#[test]
fn every_length_is_read_as_far_as_it_goes_or_refused_with_its_reason() {
    let whole = small();
    let (events, ..) = reported(whole.clone()).unwrap();
    let ends = ends(&whole);
    // Between the used parts are zeros, all alike.
    let used_definitions = HEADER_BYTES + SEGMENT_HEADER_BYTES + used(&whole, HEADER_BYTES);
    let lengths = (0..HEADER_USED + 2)
        .chain((HEADER_USED..HEADER_BYTES).step_by(4099))
        .chain(HEADER_BYTES - 1..used_definitions + 2)
        .chain((used_definitions..EVENTS).step_by(4099))
        .chain(EVENTS - 1..whole.len());
    for length in lengths {
        match reported(whole[..length].to_vec()) {
            Ok((read, replay, words)) => {
                let before = ends.iter().filter(|&&end| end <= length).count();
                assert_eq!(read, events[..before], "{length} bytes");
                assert!(
                    words.contains("SUMMARY: aclsan: "),
                    "{length} bytes: {words}"
                );
                // Cut between segments, or in the zeros after one, the file looks like one that has not grown further yet.
                let is_cut =
                    !(used_definitions..=EVENTS).contains(&length) && length != HEADER_BYTES;
                assert_eq!(!replay.damage.is_empty(), is_cut, "{length} bytes: {words}");
                assert_eq!(
                    words.contains("is damaged at byte"),
                    is_cut,
                    "{length} bytes: {words}"
                );
            }
            Err(why) => {
                let is_clear = ["is empty", "is not an event log", "is cut short"];
                assert!(
                    length < HEADER_BYTES && is_clear.iter().any(|clear| why.contains(clear)),
                    "{length}: {why}"
                );
            }
        }
    }
}
