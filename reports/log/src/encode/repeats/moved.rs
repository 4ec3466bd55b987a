//! Events that differ from an earlier one in an address alone.

use super::{BUT_FIRST, Encoder, OTHER_WORDS, Repeats, WORDS, Written, first};
use crate::compact;
use crate::record::{BlockId, CallSiteId, MAX_VALUES, Values, tag};
use crate::repeat;
use crate::varint::put;

impl Encoder {
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
        let first = first(tag::DESCRIPTOR, count, site);
        let slot = repeats.slot(first, rest);
        let distance = (address as i64 >> 4) - (self.address as i64 >> 4);
        let is_aligned = address & compact::NOT_COMPACT == 0;
        let is_known = self.is_known(slot, first, rest);
        let offset = slot[WORDS] as u16;
        let repeated = match slot[OTHER_WORDS] == address {
            _ if !is_known => None,
            true => self.put_repeat(buffer, ticks, |out, elapsed| {
                Some(repeat::put(out, elapsed, offset))
            }),
            false if !is_aligned => None,
            false => self.put_repeat(buffer, ticks, |out, elapsed| {
                repeat::put_moved(out, elapsed, offset, distance)
            }),
        };
        match repeated {
            Some(()) => repeats.earn(),
            None => {
                let place = self.place();
                self.tagged(buffer, ticks, tag::DESCRIPTOR, |out, at| {
                    put(out, at, u64::from(site.0))?;
                    put(out, at, address)?;
                    put(out, at, count as u64)?;
                    rest.iter().try_for_each(|&value| put(out, at, value))
                })?;
                remember(slot, first, rest, (address, place));
                repeats.spend();
            }
        }
        self.address = address & !15;
        self.allocations += 1;
        Some(block)
    }

    /// Writes a call that has not happened with these values: an operator has another executor each time, and all else is the same.
    // Not inlined: calls that happened with the same values do not come here.
    #[inline(never)]
    pub(super) fn moved_call(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        values: &Values,
    ) -> Option<Written> {
        let all = values.all();
        let Some((&value, rest)) = all.split_first() else {
            self.call(buffer, ticks, site, values, 0)?;
            return Some(Written::Whole);
        };
        let first = first(tag::CALL | BUT_FIRST, all.len(), site);
        let slot = repeats.slot(first, rest);
        let step = value.wrapping_sub(slot[OTHER_WORDS]) as i64;
        if self.is_known(slot, first, rest) && step & 15 == 0 {
            let offset = slot[WORDS] as u16;
            let repeated = self.put_repeat(buffer, ticks, |out, elapsed| {
                repeat::put_moved(out, elapsed, offset, step >> 4)
            });
            if repeated.is_some() {
                return Some(Written::Repeat);
            }
        }
        let place = self.place();
        self.call(buffer, ticks, site, values, 0)?;
        remember(slot, first, rest, (value, place));
        Some(Written::Whole)
    }
}

/// Keeps an event's words, the address that is not among them, and where it was written.
fn remember(slot: &mut [u64; WORDS + 1], first: u64, rest: &[u64], (other, place): (u64, u64)) {
    slot[0] = first;
    slot[1..][..rest.len()].copy_from_slice(rest);
    (slot[OTHER_WORDS], slot[WORDS]) = (other, place);
}
