//! Repeats are read as what they repeat.

use super::*;
use crate::decode::{Decoder, Record};
use crate::record::{Access, Values};

/// All events of a segment, with their times.
fn events(segment: u32, records: &[u8]) -> Vec<(u64, Event)> {
    let mut decoder = Decoder::new(segment, 0);
    let all = std::iter::from_fn(|| decoder.next(records).expect("well-formed"));
    all.map(|(ticks, record)| match record {
        Record::Event(event) => (ticks, event),
        other => panic!("{other:?}"),
    })
    .collect()
}

fn call(first: u64) -> Event {
    Event::Call {
        site: CallSiteId(3),
        values: Values::new(&[first, 1 << 40]),
        status: 0,
    }
}

#[test]
fn what_happens_again_takes_three_bytes_and_is_read_as_it_was() {
    let used = Event::Use {
        site: CallSiteId(70_000),
        address: 1 << 40,
        size: 512,
        access: Access::Write,
        stream: 9,
    };
    let steps = [
        (0, call(5)),
        (10, used),
        (20, call(5)),
        (21, used),
        (400, used),
        (1 << 30, used),
    ];
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    let lengths = steps.map(|(ticks, event)| {
        let before = encoder.used();
        let done = encoder.event_or_repeat(&mut repeats, &mut buffer, ticks, &event);
        done.expect("there is room");
        encoder.used() - before
    });
    assert_eq!(lengths[2..5], [3, 3, 5]);
    assert!(lengths[5] > 8, "a pause of 2^30 ticks does not fit");
    assert_eq!(events(4, &buffer[..encoder.used()]), steps);
}

#[test]
fn what_differs_in_one_field_is_no_repeat() {
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    let failed = Event::Call {
        site: CallSiteId(3),
        values: Values::new(&[5, 1 << 40]),
        status: 507_000,
    };
    let padded = Event::Call {
        site: CallSiteId(3),
        values: Values::new(&[5, 1 << 40, 0]),
        status: 0,
    };
    let steps = [call(5), call(6), failed, padded, call(5)].map(|event| (0, event));
    for (ticks, event) in &steps {
        let done = encoder.event_or_repeat(&mut repeats, &mut buffer, *ticks, event);
        done.expect("there is room");
    }
    assert_eq!(events(4, &buffer[..encoder.used()]), steps);
}

#[test]
fn a_descriptor_that_is_made_and_released_again_takes_six_bytes() {
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    let (made_at, released_at, address) = (CallSiteId(7), CallSiteId(8), 0x55_5555_0010);
    let (mut before, mut expected) = (0, Vec::new());
    for step in 0..3 {
        before = encoder.used();
        let values = [address, 1 << 40, 16, 16, 0, 2, 1];
        let made = encoder.descriptor(&mut repeats, &mut buffer, step, made_at, address, &values);
        let block = made.expect("there is room");
        let done = encoder.release_handle(&mut repeats, &mut buffer, step, released_at, block);
        done.expect("there is room");
        let of_step = [
            Event::Allocation {
                block,
                site: made_at,
                address,
                size: 0,
            },
            Event::Call {
                site: made_at,
                values: Values::new(&values),
                status: 0,
            },
            Event::Release {
                block,
                site: released_at,
            },
        ];
        expected.extend(of_step.map(|event| (step, event)));
    }
    assert_eq!(encoder.used() - before, 6);
    assert_eq!(events(4, &buffer[..encoder.used()]), expected);
}

#[test]
fn events_that_never_repeat_are_soon_not_looked_up_and_repeats_found_again_later() {
    let (mut repeats, mut buffer) = (Repeats::default(), vec![0; 1 << 16]);
    let mut write = |number: u64| {
        let mut encoder = Encoder::new(4, 0);
        let done = encoder.event_or_repeat(&mut repeats, &mut buffer, 0, &call(number));
        done.expect("there is room");
        repeats.pause > 0
    };
    let tried = (0..1 << 20).take_while(|&number| !write(number)).count();
    assert_eq!(tried, CREDIT as usize - 1);
    let paused = (0..1 << 20).take_while(|_| write(7)).count();
    assert_eq!(paused, PAUSE as usize - 1);
    let tried = (0..CREDIT).filter(|_| !write(7)).count();
    assert_eq!(
        tried, CREDIT as usize,
        "only the first of them is no repeat"
    );
}

#[test]
fn handles_that_another_thread_releases_in_order_take_three_bytes() {
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    let site = CallSiteId(8);
    // Of a later segment, of an earlier one, of the last that there can be.
    let handles = [
        BlockId::new(5, 10),
        BlockId::new(5, 11),
        BlockId::new(5, 12),
        BlockId::new(3, 65_535),
        BlockId::new(u32::MAX, u16::MAX),
    ];
    let lengths = handles.map(|handle| {
        let before = encoder.used();
        let done = encoder.release_handle(&mut repeats, &mut buffer, 0, site, handle);
        done.expect("there is room");
        encoder.used() - before
    });
    assert_eq!(lengths[2], 3);
    let expected = handles.map(|block| (0, Event::Release { block, site }));
    assert_eq!(events(4, &buffer[..encoder.used()]), expected);
}

#[test]
fn a_descriptor_of_the_same_at_another_address_takes_seven_bytes() {
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    let made_at = CallSiteId(7);
    // The same, elsewhere, again as first, unaligned, far away.
    let base = 0x55_5555_0010;
    let addresses = [base, base + 0x1230, base, base + 8, base + (1 << 40)];
    let mut expected = Vec::new();
    let lengths = addresses.map(|address| {
        let before = encoder.used();
        let values = [address, 1 << 40, 16];
        let made = encoder.descriptor(&mut repeats, &mut buffer, 0, made_at, address, &values);
        let allocation = Event::Allocation {
            block: made.expect("there is room"),
            site: made_at,
            address,
            size: 0,
        };
        let call = Event::Call {
            site: made_at,
            values: Values::new(&values),
            status: 0,
        };
        expected.extend([(0, allocation), (0, call)]);
        encoder.used() - before
    });
    assert_eq!(lengths[1..3], [7, 3]);
    assert!(lengths[0] > 8 && lengths[3] > 8 && lengths[4] > 8);
    assert_eq!(events(4, &buffer[..encoder.used()]), expected);
}

#[test]
fn another_segment_repeats_nothing_of_this_one() {
    let (mut repeats, mut buffer) = (Repeats::default(), [0; 1 << 10]);
    for segment in [4, 5] {
        let mut encoder = Encoder::new(segment, 0);
        let done = encoder.event_or_repeat(&mut repeats, &mut buffer, 0, &call(5));
        done.expect("there is room");
        assert_eq!(events(segment, &buffer[..encoder.used()]), [(0, call(5))]);
    }
}

#[test]
fn nothing_is_written_or_remembered_without_room() {
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    let mut event = |encoder: &mut Encoder, room: &mut [u8]| {
        encoder.event_or_repeat(&mut repeats, room, 0, &call(5))
    };
    assert_eq!(event(&mut encoder, &mut buffer[..4]), None);
    assert_eq!(event(&mut encoder, &mut buffer), Some(()));
    let used = encoder.used();
    assert_eq!(event(&mut encoder, &mut buffer[..used + 7]), None);
    assert_eq!(encoder.used(), used);
    assert_eq!(event(&mut encoder, &mut buffer), Some(()));
    assert_eq!(encoder.used(), used + 3);
}

/// An operator's second phase: an executor, and what it is given each time.
fn run(executor: u64, workspace: u64) -> Event {
    Event::Call {
        site: CallSiteId(300),
        values: Values::new(&[executor, workspace, 1 << 20, 0x55a0_0001_0000]),
        status: 0,
    }
}

#[test]
fn a_call_with_another_first_value_takes_seven_or_eight_bytes_and_has_that_value() {
    const FIRST: u64 = 0x7f30_0000_1240;
    let steps = [
        (run(FIRST, 0), 0..=28),
        (run(FIRST, 0), 3..=3),
        (run(FIRST + 0x40, 0), 7..=7),
        (run(FIRST - 0x40, 0), 7..=7),
        (run(FIRST + (100 << 20), 0), 8..=8),
        (run(FIRST, 0), 3..=3),
        (run(FIRST + 8, 0), 20..=28),         // not in units of 16
        (run(FIRST + 0x28, 0), 7..=7),        // that it is again, from there
        (run(FIRST + (1 << 40), 0), 20..=28), // too far
        (run(FIRST, 512), 20..=28),           // another workspace
        (call(16), 0..=28),
        (call(48), 7..=7),
    ];
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    for (event, length) in &steps {
        let before = encoder.used();
        let done = encoder.event_or_repeat(&mut repeats, &mut buffer, 0, event);
        done.expect("there is room");
        let took = encoder.used() - before;
        assert!(length.contains(&took), "{event:?} takes {took} bytes");
    }
    let found = events(4, &buffer[..encoder.used()]);
    assert!(
        found
            .iter()
            .map(|(_, event)| event)
            .eq(steps.iter().map(|(event, _)| event))
    );
}

#[test]
fn what_was_written_as_a_repeat_is_not_repeated_itself() {
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 10]);
    let steps = [16, 32, 32, 32, 16].map(|executor| run(executor, 0));
    for event in &steps {
        let done = encoder.event_or_repeat(&mut repeats, &mut buffer, 0, event);
        done.expect("there is room");
    }
    let found = events(4, &buffer[..encoder.used()]);
    assert!(found.iter().map(|(_, event)| event).eq(&steps));
}

#[test]
fn a_call_without_values_cannot_have_another_first_one() {
    let (mut encoder, mut buffer) = (Encoder::new(4, 0), [0; 64]);
    let nothing = Event::Call {
        site: CallSiteId(3),
        values: Values::new(&[]),
        status: 0,
    };
    encoder
        .event(&mut buffer, 0, &nothing)
        .expect("there is room");
    let mut moved = [0; repeat::MAX_REPEAT_BYTES];
    let length = repeat::put_moved(&mut moved, 0, 0, 1).expect("it fits");
    let end = encoder.used() + length;
    buffer[encoder.used()..end].copy_from_slice(&moved[..length]);
    let mut decoder = Decoder::new(4, 0);
    assert!(decoder.next(&buffer[..end]).is_ok());
    assert!(decoder.next(&buffer[..end]).is_err());
}

/// Programs wait for one stream at any number of places.
#[test]
fn calls_with_the_same_values_at_many_sites_are_repeats_of_those_at_theirs() {
    let (mut encoder, mut repeats, mut buffer) =
        (Encoder::new(4, 0), Repeats::default(), [0; 1 << 14]);
    let mut round = |values: &[u64]| {
        let before = encoder.used();
        for site in 1..=256 {
            let event = Event::Call {
                site: CallSiteId(site),
                values: Values::new(values),
                status: 0,
            };
            let done = encoder.event_or_repeat(&mut repeats, &mut buffer, 0, &event);
            done.expect("there is room");
        }
        encoder.used() - before
    };
    for values in [&[1 << 40][..], &[1 << 40, 7]] {
        let (whole, repeated) = (round(values), round(values));
        // A few share a place, by their hashes, and are whole again.
        assert!(
            whole > 256 * 10 && repeated < 256 * 5,
            "{whole}, {repeated}"
        );
    }
}
