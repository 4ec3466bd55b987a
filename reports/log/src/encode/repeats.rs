//! Events that are written as repeats of earlier ones where possible.

mod moved;

use super::Encoder;
use crate::compact::MAX_ELAPSED;
use crate::record::{BlockId, CallSiteId, Event, MAX_VALUES, tag};
use crate::repeat;
use crate::varint::{put, zigzag};

/// Number of records that a thread remembers. Steps of a small model have a few hundred.
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 10;
/// What an event is compared by: its kind, site and number of values, then the values.
const WORDS: usize = 1 + MAX_VALUES;
/// What events are found by that differ in one address; that is in the word after these.
const OTHER_WORDS: usize = WORDS - 1;
/// In the kind of a call that is found by all but its first value.
const BUT_FIRST: u8 = 0x80;

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
    /// The words of an event, or those of a descriptor or a call without its address, and that; then its segment, and its offset in the lowest
    /// 16 bits.
    slots: Option<Box<[[u64; WORDS + 1]; SLOTS]>>,
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
    /// Allocates what it needs, if it has not yet: otherwise the first event does.
    pub fn prepare(&mut self) {
        self.slots.get_or_insert_with(Self::allocate);
    }

    /// Whether the next event is written without a look at earlier ones.
    #[inline(always)]
    fn pauses(&mut self) -> bool {
        if self.pause == 0 {
            return false;
        }
        self.pause -= 1;
        true
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
        self.slot_at(slot_of(words))
    }

    #[inline(always)]
    fn slot_at(&mut self, place: usize) -> &mut [u64; WORDS + 1] {
        let slots = self.slots.get_or_insert_with(Self::allocate);
        &mut slots[place % SLOTS]
    }

    // Zeroed by the allocator, not on this stack.
    #[cold]
    #[inline(never)]
    fn allocate() -> Box<[[u64; WORDS + 1]; SLOTS]> {
        let slots = vec![[0; WORDS + 1]; SLOTS].into_boxed_slice();
        slots
            .try_into()
            .unwrap_or_else(|_| unreachable!("there are SLOTS of them"))
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

/// How an event was written.
enum Written {
    Whole,
    Repeat,
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

    // Inlined with the event, so that one arm is left.
    #[inline(always)]
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
                let write = |encoder: &mut Self, repeats: &mut Repeats, buffer: &mut [u8]| {
                    encoder.call(repeats, buffer, ticks, event)
                };
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
                self.repeat_or_write(repeats, buffer, ticks, words, |encoder, _, buffer| {
                    encoder.whole(buffer, ticks, event)
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
                self.repeat_or_write(repeats, buffer, ticks, words, |encoder, _, buffer| {
                    encoder.whole(buffer, ticks, event)
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
                self.repeat_or_write(repeats, buffer, ticks, words, |encoder, _, buffer| {
                    encoder.whole(buffer, ticks, event)
                })
            }
            _ => self.event(buffer, ticks, event),
        }
    }

    /// As [`Encoder::release`], of a handle: they come back in about the order in which they were made, or in its reverse.
    pub fn release_handle(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        handle: BlockId,
    ) -> Option<()> {
        let step = zigzag(handle.0.wrapping_sub(self.released.0) as i64);
        let words = [first(tag::HANDLE_RELEASE, 0, site), step];
        self.repeat_or_write(repeats, buffer, ticks, words, |encoder, _, buffer| {
            encoder.tagged(buffer, ticks, tag::HANDLE_RELEASE, |out, at| {
                put(out, at, u64::from(site.0))?;
                put(out, at, step)
            })?;
            Some(Written::Whole)
        })?;
        self.released = handle;
        Some(())
    }

    #[inline(always)]
    fn repeat_or_write<const N: usize>(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        words: [u64; N],
        write: impl FnOnce(&mut Self, &mut Repeats, &mut [u8]) -> Option<Written>,
    ) -> Option<()> {
        let slot_place = slot_of(&words);
        let slot = repeats.slot_at(slot_place);
        if self.is_known(slot, &words) {
            let offset = slot[WORDS] as u16;
            let repeated = self.put_repeat(buffer, ticks, |out, elapsed| {
                Some(repeat::put(out, elapsed, offset))
            });
            if repeated.is_some() {
                repeats.earn();
                return repeated;
            }
        }
        let place = self.place();
        match write(self, repeats, buffer)? {
            Written::Whole => {
                let slot = repeats.slot_at(slot_place);
                slot[..N].copy_from_slice(&words);
                slot[WORDS] = place;
                repeats.spend();
            }
            Written::Repeat => repeats.earn(),
        }
        Some(())
    }

    #[inline(always)]
    fn whole(&mut self, buffer: &mut [u8], ticks: u64, event: &Event) -> Option<Written> {
        self.event(buffer, ticks, event)?;
        Some(Written::Whole)
    }

    /// Whether the slot has the event of these words, in this segment.
    #[inline(always)]
    fn is_known<const N: usize>(&self, slot: &[u64; WORDS + 1], words: &[u64; N]) -> bool {
        let known = slot[..N].iter().zip(words);
        let differs = known.fold(0, |all, (known, word)| all | known ^ word);
        (differs | (slot[WORDS] ^ self.place()) >> 16) == 0
    }

    /// Where the next record begins, as slots have it.
    #[inline(always)]
    fn place(&self) -> u64 {
        u64::from(self.segment) << 16 | self.used as u64
    }

    /// Writes a repeat; `None` if there is no room, or it is not possible.
    #[inline(always)]
    fn put_repeat(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        encode: impl FnOnce(&mut [u8; repeat::MAX_REPEAT_BYTES], u64) -> Option<usize>,
    ) -> Option<()> {
        let elapsed = ticks.saturating_sub(self.ticks);
        if elapsed > MAX_ELAPSED {
            return None;
        }
        let out = buffer.get_mut(self.used..)?.first_chunk_mut()?;
        self.used += encode(out, elapsed)?;
        self.ticks += elapsed;
        Some(())
    }
}

#[cfg(test)]
mod tests;
