//! Events that are written as repeats of earlier ones where possible.

use super::Encoder;
use crate::compact::MAX_ELAPSED;
use crate::record::{BlockId, CallSiteId, Event, MAX_VALUES, tag};
use crate::repeat;
use crate::varint::put;

/// Number of records that a thread remembers. Steps of a small model have a few hundred.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;
/// What an event is compared by: its kind, site and number of values, then the values.
const WORDS: usize = 1 + MAX_VALUES;

/// Credit of a thread at most, and after a pause.
const CREDIT: u32 = 2 * SLOTS as u32;
/// What a repeat earns; another event costs 1. Below one repeat in nine events, looking for them is not worth its time.
const EARNED: u32 = 8;
/// Events that are not looked up once the credit is used up; descriptors and their releases always are.
const PAUSE: u32 = 32 * SLOTS as u32;

/// Where a thread wrote what it may repeat. Each event has one place here, by its hash, and the last one there is remembered.
///
/// Takes 80 KiB from the first event on.
#[derive(Clone, Debug)]
pub struct Repeats {
    /// The words of an event; then its segment, and its offset in the lowest 16 bits.
    slots: Option<Box<[[u64; WORDS + 1]]>>,
    credit: u32,
    pause: u32,
}

impl Default for Repeats {
    fn default() -> Self {
        Self {
            slots: None,
            credit: CREDIT,
            pause: 0,
        }
    }
}

impl Repeats {
    /// Whether the next event is written without a look at earlier ones.
    #[inline(always)]
    fn pauses(&mut self) -> bool {
        let pauses = self.pause > 0;
        self.pause -= u32::from(pauses);
        pauses
    }

    #[inline(always)]
    fn earn(&mut self) {
        self.credit = (self.credit + EARNED).min(CREDIT);
    }

    #[inline(always)]
    fn spend(&mut self) {
        self.credit -= 1;
        if self.credit == 0 {
            (self.credit, self.pause) = (CREDIT, PAUSE);
        }
    }

    #[inline(always)]
    fn slot<const N: usize>(&mut self, words: &[u64; N]) -> &mut [u64; WORDS + 1] {
        let slots = self.slots.get_or_insert_with(Self::allocate);
        &mut slots[slot_of(words) % SLOTS]
    }

    // Zeroed by the allocator, not on this stack.
    #[cold]
    #[inline(never)]
    fn allocate() -> Box<[[u64; WORDS + 1]]> {
        vec![[0; WORDS + 1]; SLOTS].into_boxed_slice()
    }
}

/// The upper bits of a sum of products: unlike in a chain, they overlap.
#[inline(always)]
fn slot_of<const N: usize>(words: &[u64; N]) -> usize {
    let mut sum = 0u64;
    let mut factor = 0x9e37_79b9_7f4a_7c15u64;
    for word in words {
        sum = sum.wrapping_add(word.wrapping_mul(factor));
        factor = factor.wrapping_mul(0xd134_2543_de82_ef95) | 1;
    }
    (sum >> (u64::BITS - SLOT_BITS)) as usize
}

/// The first word of an event.
#[inline(always)]
fn first(kind: u8, count: usize, site: CallSiteId) -> u64 {
    u64::from(site.0) << 32 | (count as u64) << 8 | u64::from(kind)
}

impl Encoder {
    /// As [`Encoder::event`], but in three to six bytes if the thread has recorded the same event in this segment before: calls that
    /// succeed, copies, memsets, uses. `repeats` is the thread's, and of this log alone.
    #[inline(always)]
    pub fn event_or_repeat(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        event: &Event,
    ) -> Option<()> {
        match repeats.pauses() {
            true => self.event(buffer, ticks, event),
            false => self.look_up(repeats, buffer, ticks, event),
        }
    }

    fn look_up(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        event: &Event,
    ) -> Option<()> {
        match *event {
            Event::Call {
                site,
                values,
                status: 0,
            } => {
                let [a, b, c, d, e, f, g, h] = *values.padded();
                let count = values.all().len();
                let first = first(tag::CALL, count, site);
                let write =
                    |encoder: &mut Self, buffer: &mut [u8]| encoder.event(buffer, ticks, event);
                if count <= 2 {
                    return self.repeat_or_write(repeats, buffer, ticks, [first, a, b], write);
                }
                let words = [first, a, b, c, d, e, f, g, h];
                self.repeat_or_write(repeats, buffer, ticks, words, write)
            }
            Event::Use {
                site,
                address,
                size,
                access,
                stream,
            } => {
                let first = first(tag::USE, access as usize, site);
                let words = [first, address, size, stream];
                self.repeat_or_write(repeats, buffer, ticks, words, |encoder, buffer| {
                    encoder.event(buffer, ticks, event)
                })
            }
            Event::Copy {
                site,
                to,
                room,
                from,
                count,
                stream,
            } => {
                let words = [first(tag::COPY, 0, site), to, room, from, count, stream];
                self.repeat_or_write(repeats, buffer, ticks, words, |encoder, buffer| {
                    encoder.event(buffer, ticks, event)
                })
            }
            Event::Set {
                site,
                to,
                room,
                value,
                count,
                stream,
                mapping,
            } => {
                let first = first(tag::SET, mapping as usize, site);
                let words = [first, to, room, value as u64, count, stream];
                self.repeat_or_write(repeats, buffer, ticks, words, |encoder, buffer| {
                    encoder.event(buffer, ticks, event)
                })
            }
            _ => self.event(buffer, ticks, event),
        }
    }

    /// Writes the allocation of a handle at `address`, and a call that succeeded with these values, of which the first is `address` and
    /// whose number is at most [`MAX_VALUES`]; without values, no call. `None`, with nothing written, if the segment is full.
    pub fn descriptor(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        address: u64,
        values: &[u64],
    ) -> Option<BlockId> {
        let block = BlockId::new(self.segment, self.allocations);
        let count = values.len().min(MAX_VALUES);
        let rest = values.get(1..count).unwrap_or_default();
        let mut words = [0; WORDS];
        (words[0], words[1]) = (first(tag::DESCRIPTOR, count, site), address);
        words[2..2 + rest.len()].copy_from_slice(rest);
        self.repeat_or_write(repeats, buffer, ticks, words, |encoder, buffer| {
            encoder.tagged(buffer, ticks, tag::DESCRIPTOR, |out, at| {
                put(out, at, u64::from(site.0))?;
                put(out, at, address)?;
                put(out, at, count as u64)?;
                rest.iter().try_for_each(|&value| put(out, at, value))
            })
        })?;
        self.address = address & !15;
        self.allocations += 1;
        Some(block)
    }

    /// As [`Encoder::release`], for a block that mostly lives for a few calls.
    pub fn recent_release(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        block: BlockId,
    ) -> Option<()> {
        if block.segment() != self.segment {
            return self.release(buffer, ticks, site, block);
        }
        let age = u64::from(self.allocations - block.place());
        let words = [first(tag::RECENT_RELEASE, 0, site), age];
        self.repeat_or_write(repeats, buffer, ticks, words, |encoder, buffer| {
            encoder.tagged(buffer, ticks, tag::RECENT_RELEASE, |out, at| {
                put(out, at, u64::from(site.0))?;
                put(out, at, age)
            })
        })
    }

    #[inline(always)]
    fn repeat_or_write<const N: usize>(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        words: [u64; N],
        write: impl FnOnce(&mut Self, &mut [u8]) -> Option<()>,
    ) -> Option<()> {
        let slot = repeats.slot(&words);
        let elapsed = ticks.saturating_sub(self.ticks);
        let place = u64::from(self.segment) << 16;
        let known = slot[..N].iter().zip(&words);
        let differs = known.fold(0, |all, (known, word)| all | known ^ word) != 0;
        if !differs && slot[WORDS] & !0xffff == place && elapsed <= MAX_ELAPSED {
            let out = buffer.get_mut(self.used..)?.first_chunk_mut()?;
            self.used += repeat::put(out, elapsed, slot[WORDS] as u16);
            self.ticks += elapsed;
            repeats.earn();
            return Some(());
        }
        let offset = self.used as u64;
        write(self, buffer)?;
        slot[..N].copy_from_slice(&words);
        slot[WORDS] = place | offset;
        repeats.spend();
        Some(())
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(lengths[2..5], [3, 3, 6]);
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
            let made =
                encoder.descriptor(&mut repeats, &mut buffer, step, made_at, address, &values);
            let block = made.expect("there is room");
            let done = encoder.recent_release(&mut repeats, &mut buffer, step, released_at, block);
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
}
