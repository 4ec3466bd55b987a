//! Events that are written as repeats of earlier ones where possible.

mod hashes;
mod moved;

use super::Encoder;
use crate::branch::unlikely;
use crate::compact::MAX_ELAPSED;
use crate::record::{BlockId, CallSiteId, Event, Values, tag};
use crate::repeat;
use crate::varint::{put, zigzag};
use hashes::{Hashes, content, fingerprint, is_by_content, line};
use moved::{MOVED, Moved};
use prefetch_index::prefetch_index;

/// Records that a thread remembers, [`WAYS`] in a line of the cache. Steps of a small model have a few hundred.
const SLOTS: usize = LINES * WAYS;
const LINES: usize = 1 << LINE_BITS;
const LINE_BITS: u32 = 8;
const WAYS: usize = 4;
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
/// Takes 32 KiB from the first event on.
#[derive(Clone, Debug)]
pub struct Repeats {
    tables: Option<Tables>,
    credit: u32,
    pause: u32,
}

#[derive(Clone, Debug)]
struct Tables {
    lines: Box<[Line; LINES]>,
    moved: Box<[Moved; MOVED]>,
}

/// Events that may be in the same line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Line([Slot; WAYS]);

/// An event that was written.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The hash of its kind, values and call site, compared instead of them. Two events that differ in one of these never collide.
    fingerprint: u64,
    /// Its segment, and its offset in the lowest 16 bits.
    place: u64,
}

impl Default for Repeats {
    fn default() -> Self {
        Self {
            tables: None,
            credit: CREDIT,
            pause: 0,
        }
    }
}

impl Repeats {
    /// Allocates what it needs, if it has not yet: otherwise the first event does.
    pub fn prepare(&mut self) {
        self.tables.get_or_insert_with(Tables::new);
    }

    /// Fetches what a call with these values is looked up in, if there are more than two. By then a stack was walked, which takes as long as the
    /// memory.
    #[inline(always)]
    pub fn prefetch_call(&self, values: &[u64]) {
        if let Some(tables) = &self.tables
            && is_by_content(values)
        {
            prefetch_index(&tables.lines[..], line(content(tag::CALL, values)));
        }
    }

    /// Fetches all that this call is looked up in. For calls that mostly differ from earlier ones in their first value.
    #[inline(always)]
    pub fn prefetch_moving_call(&self, site: CallSiteId, values: &[u64]) {
        if let Some(tables) = &self.tables {
            prefetch_index(&tables.lines[..], line(Hashes::of_call(values, site).home));
            prefetch_index(&tables.moved[..], moved::place(values, site));
        }
    }

    /// Whether the next event is written without a look at earlier ones.
    #[inline(always)]
    fn pauses(&mut self) -> bool {
        let pauses = unlikely(self.pause > 0);
        if pauses {
            self.pause -= 1;
        }
        pauses
    }

    #[inline(always)]
    fn earn(&mut self) {
        self.credit = (self.credit + EARNED).min(CREDIT);
    }

    #[inline(always)]
    fn spend(&mut self) {
        self.credit -= 1;
        if unlikely(self.credit == 0) {
            (self.credit, self.pause) = (CREDIT, PAUSE);
        }
    }

    #[inline(always)]
    fn tables(&mut self) -> &mut Tables {
        if unlikely(self.tables.is_none()) {
            self.prepare();
        }
        self.tables.get_or_insert_with(Tables::new)
    }

    #[inline(always)]
    fn slot(&mut self, event: Hashes) -> &mut Slot {
        &mut self.tables().lines[line(event.home)].0[event.fingerprint as usize % WAYS]
    }
}

impl Tables {
    #[cold]
    #[inline(never)]
    fn new() -> Self {
        Self {
            lines: zeroed(),
            moved: zeroed(),
        }
    }
}

// Never on this stack, which may be smaller.
fn zeroed<T: Clone + Default, const N: usize>() -> Box<[T; N]> {
    let list = vec![T::default(); N].into_boxed_slice();
    list.try_into()
        .unwrap_or_else(|_| unreachable!("there are N of them"))
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
                let values = [address, size, stream, access as u64];
                let content = content(tag::USE, &values);
                let key = Hashes::of(content, site);
                self.whole_or_repeat(repeats, buffer, ticks, key, event)
            }
            Event::Copy {
                site,
                to,
                room,
                from,
                count,
                stream,
            } => {
                let content = content(tag::COPY, &[to, room, from, count, stream]);
                let key = Hashes::of(content, site);
                self.whole_or_repeat(repeats, buffer, ticks, key, event)
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
                let values = [to, room, value as u64, count, stream, mapping as u64];
                let content = content(tag::SET, &values);
                let key = Hashes::of(content, site);
                self.whole_or_repeat(repeats, buffer, ticks, key, event)
            }
            _ => self.event(buffer, ticks, event),
        }
    }

    /// As [`Encoder::event_or_repeat`], for a call that returned `status`.
    #[inline(always)]
    pub fn call_or_repeat(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        values: &Values,
        status: i32,
    ) -> Option<()> {
        if unlikely(status != 0) || repeats.pauses() {
            return self.call(buffer, ticks, site, values, status);
        }
        let key = Hashes::of_call(values.all(), site);
        self.repeat_or_write(repeats, buffer, ticks, key, |encoder, repeats, buffer| {
            encoder.moved_call(repeats, buffer, ticks, site, values)
        })
    }

    #[inline(always)]
    fn whole_or_repeat(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        key: Hashes,
        event: &Event,
    ) -> Option<()> {
        if repeats.pauses() {
            return self.event(buffer, ticks, event);
        }
        self.repeat_or_write(repeats, buffer, ticks, key, |encoder, _, buffer| {
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
        let key = Hashes::of(content(tag::HANDLE_RELEASE, &[step]), site);
        self.repeat_or_write(repeats, buffer, ticks, key, |encoder, _, buffer| {
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
    fn repeat_or_write(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        key: Hashes,
        write: impl FnOnce(&mut Self, &mut Repeats, &mut [u8]) -> Option<Written>,
    ) -> Option<()> {
        let fingerprint = key.fingerprint;
        let known = *repeats.slot(key);
        if self.is_known(fingerprint, known) {
            let offset = known.place as u16;
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
                *repeats.slot(key) = Slot { fingerprint, place };
                repeats.spend();
            }
            Written::Repeat => repeats.earn(),
        }
        Some(())
    }

    /// Whether the slot has the event with this hash, in this segment.
    #[inline(always)]
    fn is_known(&self, fingerprint: u64, known: Slot) -> bool {
        known.fingerprint == fingerprint && (known.place ^ self.place()) >> 16 == 0
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
        if unlikely(elapsed > MAX_ELAPSED) {
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
