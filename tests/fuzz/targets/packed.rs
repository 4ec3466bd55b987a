#![no_main]
//! Encoded events decode to the same events for all numbers, in sequence within one segment.

use aclsan_fuzz_inputs::story;
use aclsan_log::decode::{Decoder, Record};
use aclsan_log::encode::Encoder;
use aclsan_log::layout::SEGMENT_CAPACITY;
use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut from = Unstructured::new(bytes);
    let (segment, begun) = match (from.arbitrary::<u16>(), from.arbitrary()) {
        (Ok(segment), Ok(begun)) => (segment.into(), begun),
        _ => return,
    };
    let mut room = vec![0; SEGMENT_CAPACITY];
    let mut encoder = Encoder::new(segment, begun);
    let mut written = Vec::new();
    let mut now: u64 = begun;
    while let Ok(mut event) = story::event(&mut from) {
        if let aclsan_log::Event::Release { block, .. } = &mut event {
            block.0 &= (1 << 48) - 1; // A segment's index and an offset in it fit in 48 bits.
        }
        now = now.saturating_add(from.arbitrary::<u32>().unwrap_or(1).into());
        if from.is_empty() || encoder.event(&mut room, now, &event).is_none() {
            break;
        }
        written.push((now, event));
    }
    let records = &room[..encoder.used()];
    let mut decoder = Decoder::new(segment, begun);
    let mut allocations = 0;
    for (ticks, mut event) in written {
        if let aclsan_log::Event::Allocation { block, .. } = &mut event {
            *block = aclsan_log::BlockId::new(segment, allocations);
            allocations += 1;
        }
        let read = decoder.next(records);
        assert_eq!(read, Ok(Some((ticks, Record::Event(event)))));
    }
    assert_eq!(decoder.next(records), Ok(None));
});
