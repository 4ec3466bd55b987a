//! The fast path reads exactly what [`Decoder::next`] reads.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};

use super::*;
use crate::decode::Record;
use crate::encode::{Encoder, Repeats};
use crate::record::{Access, BlockId, CallSiteId, Event, MAX_VALUES, Mapping, Values};

/// A number of any width.
fn number() -> impl Strategy<Value = u64> {
    (0..=64_u32, any::<u64>()).prop_map(|(bits, number)| number.checked_shr(bits).unwrap_or(0))
}

fn site() -> impl Strategy<Value = CallSiteId> {
    number().prop_map(|number| CallSiteId((number >> 32) as u32))
}

fn event() -> impl Strategy<Value = Event> {
    let status = prop_oneof![
        4 => prop::sample::select(vec![0, 0, 1, -1]),
        1 => number().prop_map(|number| number as i32),
    ];
    prop_oneof![
        1 => (site(), number(), number()).prop_map(|(site, free, total)| Event::Memory {
            site,
            free,
            total
        }),
        1 => (site(), prop::array::uniform5(number())).prop_map(
            |(site, [to, room, from, count, stream])| Event::Copy {
                site,
                to,
                room,
                from,
                count,
                stream,
            }
        ),
        1 => (site(), prop::array::uniform5(number()), 0..5_u64).prop_map(
            |(site, [to, room, value, count, stream], mapping)| Event::Set {
                site,
                to,
                room,
                value: value as i32,
                count,
                stream,
                mapping: Mapping::from_number(mapping),
            }
        ),
        1 => (site(), prop::array::uniform3(number()), 0..3_u64).prop_map(
            |(site, [address, size, stream], access)| Event::Use {
                site,
                address,
                size,
                access: Access::from_number(access),
                stream,
            }
        ),
        1 => (site(), number(), number()).prop_map(|(site, address, size)| Event::Allocation {
            block: BlockId::default(),
            site,
            address,
            size,
        }),
        1 => (site(), number()).prop_map(|(site, place)| Event::Release {
            block: BlockId::new(7, place as u16),
            site,
        }),
        2 => (site(), status, prop::collection::vec(number(), 0..9)).prop_map(
            |(site, status, values)| Event::Call {
                site,
                status,
                values: Values::new(&values),
            }
        ),
    ]
}

#[test]
fn a_call_is_the_same_however_wide_its_site_its_status_and_their_number_are() {
    for site in [0, 1, 127, 128, 129, 1 << 14, u32::MAX].map(CallSiteId) {
        for status in [0, 1, -1, 63, -64, 64, 507_899] {
            for count in 0..=MAX_VALUES {
                let values = Values::each(count, || 0x1234_5678);
                let call = Event::Call {
                    site,
                    values,
                    status,
                };
                let (mut encoder, mut buffer) = (Encoder::new(9, 5), vec![0; 1 << 10]);
                encoder.event(&mut buffer, 7, &call).expect("there is room");
                let mut batch = Batch::default();
                let fast = FastDecoder {
                    clock: |ticks| ticks,
                    tid: 0,
                    until: u64::MAX,
                    most: 1,
                };
                fast.decode(&mut Decoder::new(9, 5), &buffer, &mut batch);
                assert_eq!(batch.get(0).map(|timed| timed.event), Some(call));
            }
        }
    }
}

/// Reads to the end or the first malformed record. Returns the events, their times, and the offset where reading stopped.
fn all(
    records: &[u8],
    mut fast: impl FnMut(&mut Decoder, &mut Batch),
) -> (Vec<Event>, Vec<u64>, usize) {
    let (mut decoder, mut batch) = (Decoder::new(9, 5), Batch::default());
    loop {
        fast(&mut decoder, &mut batch);
        match decoder.next(records) {
            Ok(Some((ticks, Record::Event(event)))) => batch.push_other(ticks, 0, event),
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => break,
        }
    }
    let timed: Vec<_> = (0..).map_while(|place| batch.get(place)).collect();
    (
        timed.iter().map(|timed| timed.event).collect(),
        timed.iter().map(|timed| timed.ns).collect(),
        decoder.offset(),
    )
}

/// Encodes a segment, then flips the bits in `flips`. Every event comes three times; calls with values come with another first one the third
/// time, half of them as those of a descriptor, which is released again.
fn segment(events: &[(u64, Event)], flips: &[(prop::sample::Index, u8)]) -> Vec<u8> {
    let (mut encoder, mut buffer) = (Encoder::new(9, 5), vec![0; 1 << 15]);
    let (mut ticks, mut repeats) = (5, Repeats::default());
    for (turn, (elapsed, event)) in events.iter().flat_map(|event| [event; 3]).enumerate() {
        ticks += elapsed >> 20;
        match event {
            Event::Call {
                site,
                values,
                status: 0,
            } if !values.all().is_empty() => {
                // The third time it is elsewhere.
                let address = values.get(0).wrapping_add(turn as u64 % 3 / 2 * 48);
                let mut values = values.all().to_vec();
                values[0] = address;
                if site.0 % 2 == 1 {
                    let call = Event::Call {
                        site: *site,
                        values: Values::new(&values),
                        status: 0,
                    };
                    let _ = encoder.event_or_repeat(&mut repeats, &mut buffer, ticks, &call);
                    continue;
                }
                let made =
                    encoder.descriptor(&mut repeats, &mut buffer, ticks, *site, address, &values);
                if let Some(block) = made {
                    let _ =
                        encoder.release_handle(&mut repeats, &mut buffer, ticks + 7, *site, block);
                }
            }
            _ => drop(encoder.event_or_repeat(&mut repeats, &mut buffer, ticks, event)),
        }
    }
    buffer.truncate(encoder.used());
    for (at, bit) in flips {
        let at = at.index(buffer.len());
        buffer[at] ^= 1 << bit;
    }
    buffer
}

#[test]
fn a_run_reads_what_one_record_after_another_gives() {
    let until = prop_oneof![number(), Just(u64::MAX)];
    let inputs = (
        prop::collection::vec((number(), event()), 40),
        prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 0..4),
        prop::collection::vec((until, 0..8_usize), 1..64),
    );
    let is_soak = std::env::var_os("SOAK").is_some();
    let config = Config {
        cases: if is_soak { 20_000 } else { 600 },
        failure_persistence: None, // the seed is fixed, so a failure repeats
        ..Config::default()
    };
    let rounds = config.cases as usize;
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let read_fast = Cell::new(0);
    let outcome = TestRunner::new_with_rng(config, rng).run(&inputs, |(events, flips, runs)| {
        let records = segment(&events, &flips);
        let singly = all(&records, |_, _| {});
        let mut runs = runs.iter().cycle();
        let in_runs = all(&records, |decoder, batch| {
            let (until, count) = *runs.next().unwrap_or(&(u64::MAX, 0));
            let before = batch.len();
            let fast = FastDecoder {
                clock: |ticks| ticks,
                tid: 0,
                until,
                most: before + count,
            };
            fast.decode(decoder, &records, batch);
            assert!(batch.len() <= fast.most);
            read_fast.set(read_fast.get() + batch.len() - before);
        });
        prop_assert_eq!(singly, in_runs);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    assert!(read_fast.get() > 5 * rounds, "{}", read_fast.get());
}
