//! Events that differ from an earlier one in an address alone.

use super::{BUT_FIRST, Encoder, OTHER_WORDS, Repeats, WORDS, Written, first};
use crate::compact;
use crate::record::{BlockId, CallSiteId, Event, MAX_VALUES, tag};
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
        let mut words = [0; OTHER_WORDS];
        words[0] = first(tag::DESCRIPTOR, count, site);
        words[1..=rest.len()].copy_from_slice(rest);
        let slot = repeats.slot(&words);
        let distance = (address as i64 >> 4) - (self.address as i64 >> 4);
        let is_aligned = address & compact::NOT_COMPACT == 0;
        let is_known = self.is_known(slot, &words);
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
                slot[..OTHER_WORDS].copy_from_slice(&words);
                (slot[OTHER_WORDS], slot[WORDS]) = (address, place);
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
    pub(super) fn call(
        &mut self,
        repeats: &mut Repeats,
        buffer: &mut [u8],
        ticks: u64,
        event: &Event,
    ) -> Option<Written> {
        let Event::Call { site, values, .. } = event else {
            return self.whole(buffer, ticks, event);
        };
        let count = values.all().len();
        if count == 0 {
            return self.whole(buffer, ticks, event);
        }
        let &[value, b, c, d, e, f, g, h] = values.padded();
        let first = first(tag::CALL | BUT_FIRST, count, *site);
        let words = [first, b, c, d, e, f, g, h];
        let slot = repeats.slot(&words);
        let step = value.wrapping_sub(slot[OTHER_WORDS]) as i64;
        if self.is_known(slot, &words) && step & 15 == 0 {
            let offset = slot[WORDS] as u16;
            let repeated = self.put_repeat(buffer, ticks, |out, elapsed| {
                repeat::put_moved(out, elapsed, offset, step >> 4)
            });
            if repeated.is_some() {
                return Some(Written::Repeat);
            }
        }
        let place = self.place();
        self.event(buffer, ticks, event)?;
        slot[..OTHER_WORDS].copy_from_slice(&words);
        (slot[OTHER_WORDS], slot[WORDS]) = (value, place);
        Some(Written::Whole)
    }
}
