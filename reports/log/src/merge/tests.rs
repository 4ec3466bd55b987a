//! The events of all threads have one order, however they are split into batches.

use super::*;
use crate::CallSiteId;
use crate::builder::LogBuilder;
use crate::layout::{HEADER_BYTES, SEGMENT_BYTES, SEGMENT_HEADER_BYTES};
use crate::record::{Mapping, Values};

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// A log of threads that take turns, each for a while.
fn log(random: &mut Random) -> Vec<u8> {
    let mut synth = LogBuilder::default();
    let site = synth.site("aclrtMalloc", 0, 0, &[0x40_1000]);
    let (mut now, mut thread) = (0, 1);
    for number in 0..random.below(600) {
        now += match random.below(4) {
            0 => 0, // at once
            1 => random.below(1 << 40),
            _ => random.below(100),
        };
        if random.below(3) > 0 {
            thread = 1 + random.below(5) as u32;
        }
        synth.at(now);
        match random.below(5) {
            0 => drop(synth.allocation(thread, site, number << 12, 64)),
            1 => drop(synth.event(
                thread,
                Event::Memory {
                    site,
                    free: number,
                    total: 9,
                },
            )),
            2 => drop(synth.event(
                thread,
                Event::Call {
                    site,
                    values: Values::new(&[number, random.below(1 << 50)]),
                    status: 0,
                },
            )),
            3 => drop(synth.event(
                thread,
                Event::ReleaseAt {
                    site: CallSiteId(0),
                    address: number,
                    mapping: Mapping::Heap,
                },
            )),
            _ => drop(synth.event(
                thread,
                Event::Set {
                    site,
                    to: number << 12,
                    room: 64,
                    value: 0,
                    count: 64,
                    stream: 7,
                    mapping: Mapping::Unknown,
                },
            )),
        }
    }
    synth.bytes()
}

/// Decodes each segment alone, then sorts.
fn sorted(log: &Log) -> Vec<TimestampedEvent> {
    let mut all = Vec::new();
    for (index, header) in &log.segments {
        let (mut bytes, mut damage) = (Vec::new(), Vec::new());
        read_segment(&log.source, *index, header, &mut bytes, &mut damage);
        let mut decoder = Decoder::new(*index, header.started.ticks);
        let mut tid = 0;
        while let Ok(Some((ticks, record))) = decoder.next(&bytes) {
            match record {
                Record::Event(Event::Thread { tid: next }) => tid = next,
                Record::Event(event) => {
                    let ns = log.clock.ns(ticks);
                    all.push((ticks, *index, TimestampedEvent { ns, tid, event }));
                }
                _ => {}
            }
        }
    }
    all.sort_by_key(|(ticks, index, _)| (*ticks, *index));
    all.into_iter().map(|(_, _, timed)| timed).collect()
}

#[test]
fn threads_are_merged_in_order_of_time_and_segment() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut events = 0;
    for round in 0..300 {
        let mut bytes = log(&mut random);
        // The first segment holds the definitions and is left alone.
        let first = HEADER_BYTES + SEGMENT_BYTES;
        for _ in 0..round % 4 {
            let segments = (bytes.len() - first) / SEGMENT_BYTES;
            if segments > 0 {
                let segment = first + random.below(segments as u64) as usize * SEGMENT_BYTES;
                let at = SEGMENT_HEADER_BYTES + random.below(600) as usize;
                bytes[segment + at] ^= 1 << random.below(8);
            }
        }
        let log = Log::from_bytes("log", bytes).expect("its header is whole");
        let (mut read, mut batch) = (Vec::new(), Batch::default());
        let mut reader = log.events();
        loop {
            let most = 1 + random.below(40) as usize;
            reader.fill(&mut batch, most);
            read.extend((0..).map_while(|place| batch.get(place)));
            if batch.len() < most {
                break;
            }
        }
        assert_eq!(read, sorted(&log), "round {round}");
        events += read.len();
    }
    assert!(events > 20_000, "{events}");
}
