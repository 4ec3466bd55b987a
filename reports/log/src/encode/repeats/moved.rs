//! Events that differ from an earlier one in an address alone.

use super::{BUT_FIRST, Encoder, Repeats, Slot, Written, content, fingerprint};
use crate::compact;
use crate::record::{BlockId, CallSiteId, MAX_VALUES, Values, tag};
use crate::repeat;
use crate::varint::put;

/// Events that are remembered by all but an address.
pub(super) const MOVED: usize = 1 << MOVED_BITS;
const MOVED_BITS: u32 = 9;

/// An event that was written, and its address. Two of them in a line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
pub(super) struct Moved {
    slot: Slot,
    address: u64,
}

impl Repeats {
    #[inline(always)]
    fn moved(&mut self, fingerprint: u64) -> &mut Moved {
        &mut self.tables().moved[index(fingerprint)]
    }
}

/// Where an event with this hash is remembered.
#[inline(always)]
fn index(fingerprint: u64) -> usize {
    (fingerprint >> (u64::BITS - MOVED_BITS)) as usize
}

/// Where a call is remembered by all but its first value.
#[inline(always)]
pub(super) fn place(values: &[u64], site: CallSiteId) -> usize {
    index(of_rest(values.get(1..).unwrap_or_default(), site))
}

/// The hash of a call by all but its first value.
#[inline(always)]
fn of_rest(rest: &[u64], site: CallSiteId) -> u64 {
    fingerprint(content(tag::CALL | BUT_FIRST, rest), site)
}

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
        // Without a call there are no values, with one there is at least the handle.
        let kind = if count == 0 { BUT_FIRST } else { 0 } | tag::DESCRIPTOR;
        let fingerprint = fingerprint(content(kind, rest), site);
        let known = *repeats.moved(fingerprint);
        let distance = (address as i64 >> 4) - (self.address as i64 >> 4);
        let is_aligned = address & compact::NOT_COMPACT == 0;
        let is_known = self.is_known(fingerprint, known.slot);
        let offset = known.slot.place as u16;
        let repeated = match known.address == address {
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
                let slot = Slot { fingerprint, place };
                *repeats.moved(fingerprint) = Moved { slot, address };
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
        let fingerprint = of_rest(rest, site);
        let known = *repeats.moved(fingerprint);
        let step = value.wrapping_sub(known.address) as i64;
        if self.is_known(fingerprint, known.slot) && step & 15 == 0 {
            let offset = known.slot.place as u16;
            let repeated = self.put_repeat(buffer, ticks, |out, elapsed| {
                repeat::put_moved(out, elapsed, offset, step >> 4)
            });
            if repeated.is_some() {
                return Some(Written::Repeat);
            }
        }
        let place = self.place();
        self.call(buffer, ticks, site, values, 0)?;
        *repeats.moved(fingerprint) = Moved {
            slot: Slot { fingerprint, place },
            address: value,
        };
        Some(Written::Whole)
    }
}
