//! Events that are written as repeats of earlier ones where possible.

mod moved;

use super::Encoder;
use crate::compact::MAX_ELAPSED;
use crate::record::{BlockId, CallSiteId, Event, MAX_VALUES, Values, tag};
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
    fn slot(&mut self, first: u64, rest: &[u64]) -> &mut [u64; WORDS + 1] {
        self.slot_at(slot_of(first, rest))
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

/// The upper bits of a chain of products. A loop, here and where words are compared: a hook's code is fetched anew at most calls, and unrolled it
/// would be three times as much.
#[inline(always)]
fn slot_of(first: u64, rest: &[u64]) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = first.wrapping_mul(FACTOR);
    for word in rest {
        sum = (sum.rotate_left(26) ^ word).wrapping_mul(FACTOR);
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
        match *event {
            Event::Call {
                site,
                ref values,
                status,
            } => self.call_or_repeat(repeats, buffer, ticks, site, values, status),
            Event::Use {
                site,
                address,
                size,
                access,
                stream,
            } => {
                let first = first(tag::USE, access as usize, site);
                self.whole_or_repeat(
                    repeats,
                    buffer,
                    ticks,
                    first,
                    &[address, size, stream],
                    event,
                )
            }
            Event::Copy {
                site,
                to,
                room,
                from,
                count,
                stream,
            } => {
                let first = first(tag::COPY, 0, site);
                let rest = [to, room, from, count, stream];
                self.whole_or_repeat(repeats, buffer, ticks, first, &rest, event)
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
                let rest = [to, room, value as u64, count, stream];
                self.whole_or_repeat(repeats, buffer, ticks, first, &rest, event)
            }
            _ => self.event(buffer, ticks, event),
        }
    }

    /// As [`Encoder::event_or_repeat`], for a call that returned `status`.
    // Not inlined: hooks of all kinds share what is fetched.
    #[inline(never)]
    pub fn call_or_repeat(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        values: &Values,
        status: i32,
    ) -> Option<()> {
        if status != 0 || repeats.pauses() {
            return self.call(buffer, ticks, site, values, status);
        }
        let rest = values.all();
        let first = first(tag::CALL, rest.len(), site);
        self.repeat_or_write(
            repeats,
            buffer,
            ticks,
            first,
            rest,
            |encoder, repeats, buffer| encoder.moved_call(repeats, buffer, ticks, site, values),
        )
    }

    #[inline(always)]
    fn whole_or_repeat(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        first: u64,
        rest: &[u64],
        event: &Event,
    ) -> Option<()> {
        if repeats.pauses() {
            return self.event(buffer, ticks, event);
        }
        self.repeat_or_write(repeats, buffer, ticks, first, rest, |encoder, _, buffer| {
            encoder.event(buffer, ticks, event)?;
            Some(Written::Whole)
        })
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
        let first = first(tag::HANDLE_RELEASE, 0, site);
        self.repeat_or_write(
            repeats,
            buffer,
            ticks,
            first,
            &[step],
            |encoder, _, buffer| {
                encoder.tagged(buffer, ticks, tag::HANDLE_RELEASE, |out, at| {
                    put(out, at, u64::from(site.0))?;
                    put(out, at, step)
                })?;
                Some(Written::Whole)
            },
        )?;
        self.released = handle;
        Some(())
    }

    #[inline(always)]
    fn repeat_or_write(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        first: u64,
        rest: &[u64],
        write: impl FnOnce(&mut Self, &mut Repeats, &mut [u8]) -> Option<Written>,
    ) -> Option<()> {
        let slot_place = slot_of(first, rest);
        let slot = repeats.slot_at(slot_place);
        if self.is_known(slot, first, rest) {
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
                slot[0] = first;
                slot[1..][..rest.len()].copy_from_slice(rest);
                slot[WORDS] = place;
                repeats.spend();
            }
            Written::Repeat => repeats.earn(),
        }
        Some(())
    }

    /// Whether the slot has the event of these words, in this segment. The first has their number.
    #[inline(always)]
    fn is_known(&self, slot: &[u64; WORDS + 1], first: u64, rest: &[u64]) -> bool {
        let is_same = |(known, word): (&u64, &u64)| known == word;
        slot[0] == first
            && (slot[WORDS] ^ self.place()) >> 16 == 0
            && slot[1..].iter().zip(rest).all(is_same)
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
