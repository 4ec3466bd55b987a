//! What is read in runs is what is read one by one.

use super::*;
use crate::decode::Record;
use crate::encode::Encoder;
use crate::record::BlockId;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number of any width.
    fn number(&mut self) -> u64 {
        let bits = self.next() % 65;
        self.next().checked_shr(bits as u32).unwrap_or(0)
    }
}

fn event(random: &mut Random) -> Event {
    let site = CallSiteId((random.number() >> 32) as u32);
    let mut number = || random.number();
    match number() % 8 {
        0 => Event::Memory {
            site,
            free: number(),
            total: number(),
        },
        1 => Event::Copy {
            site,
            to: number(),
            room: number(),
            from: number(),
            count: number(),
            stream: number(),
        },
        2 => Event::Set {
            site,
            to: number(),
            room: number(),
            value: number() as i32,
            count: number(),
            stream: number(),
            mapping: Mapping::from_number(number() % 5),
        },
        3 => Event::Use {
            site,
            address: number(),
            size: number(),
            access: Access::from_number(number() % 3),
            stream: number(),
        },
        4 => Event::Allocation {
            block: BlockId::default(),
            site,
            address: number(),
            size: number(),
        },
        5 => Event::Release {
            block: BlockId::new(7, number() as u16),
            site,
        },
        _ => Event::Call {
            site,
            status: [0, 0, 1, -1, number() as i32][(number() % 5) as usize],
            values: Values::each((number() % 9) as usize, number),
        },
    }
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

/// What there is until the end or the first record that makes no sense, and where that is.
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

#[test]
fn a_run_reads_what_one_record_after_another_gives() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut read_in_runs = 0;
    for round in 0..2_000 {
        let (mut encoder, mut buffer) = (Encoder::new(9, 5), vec![0; 1 << 13]);
        let mut ticks = 5;
        for _ in 0..40 {
            ticks += random.number() >> 20;
            let _ = encoder.event(&mut buffer, ticks, &event(&mut random));
        }
        buffer.truncate(encoder.used());
        for _ in 0..round % 4 {
            let at = random.next() as usize % buffer.len();
            buffer[at] ^= 1 << (random.next() % 8);
        }
        let singly = all(&buffer, |_, _| {});
        let in_runs = all(&buffer, |decoder, batch| {
            let fast = FastDecoder {
                clock: |ticks| ticks,
                tid: 0,
                until: match random.next() % 2 {
                    0 => random.number(),
                    _ => u64::MAX,
                },
                most: batch.len() + random.next() as usize % 8,
            };
            let before = batch.len();
            fast.decode(decoder, &buffer, batch);
            assert!(batch.len() <= fast.most);
            read_in_runs += batch.len() - before;
        });
        assert_eq!(singly, in_runs, "round {round}");
    }
    assert!(read_in_runs > 10_000, "{read_in_runs}");
}
