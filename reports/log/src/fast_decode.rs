//! Decodes runs of the most frequent records (allocations, releases, calls, copies, memsets, uses) straight into a batch, reading fields
//! eight bytes at a time.
//!
//! The result is always that of [`Decoder::next`]. Anything unusual is left to it: other records, fields of nine bytes and more, malformed
//! records, the end of a segment.

use crate::batch::{Batch, CompactCall, MemsetEvent};
use crate::compact::{self, CompactRecord};
use crate::decode::Decoder;
use crate::record::{Access, CallSiteId, Event, MAX_VALUES, Mapping, Values, tag};
use crate::varint::unzigzag;

/// Longest record that is decoded here.
const MAX_RECORD_BYTES: usize = 128;
/// The same, plus the bytes that are read with its last field.
const WINDOW: usize = MAX_RECORD_BYTES + 8;
/// Bytes of a tagged record before its time.
const TAG_BYTES: usize = 3;

/// A position in a record.
struct Fields<'a> {
    window: &'a [u8; WINDOW],
    at: usize,
}

impl Fields<'_> {
    /// Reads the next field. A field of more than eight bytes moves the position beyond any record.
    #[inline(always)]
    fn number(&mut self) -> u64 {
        // [`Fields::ends`] rejects positions beyond the record, so the value read there does not matter.
        let Some(eight) = self.window[self.at % MAX_RECORD_BYTES..].first_chunk() else {
            return 0; // Unreachable: eight bytes follow the record.
        };
        let word = u64::from_le_bytes(*eight);
        if word & 0x80 == 0 {
            self.at += 1;
            return word & 0x7f;
        }
        if word & 0x8000 == 0 {
            self.at += 2;
            return (word & 0x7f00) >> 1 | word & 0x7f;
        }
        let ends = !word & 0x8080_8080_8080_8080;
        if ends == 0 {
            self.at = usize::MAX / 2;
            return 0;
        }
        self.at += ends.trailing_zeros() as usize / 8 + 1;
        // Joins groups of seven bits: two, four and eight of them at once.
        let word = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
        let word = (word & 0x7f00_7f00_7f00_7f00) >> 1 | word & 0x007f_007f_007f_007f;
        let word = (word & 0x3fff_0000_3fff_0000) >> 2 | word & 0x0000_3fff_0000_3fff;
        (word & 0x0fff_ffff_0000_0000) >> 4 | word & 0x0fff_ffff
    }

    #[inline(always)]
    fn site(&mut self) -> Option<CallSiteId> {
        u32::try_from(self.number()).ok().map(CallSiteId)
    }

    #[inline(always)]
    fn status(&mut self) -> Option<i32> {
        i32::try_from(unzigzag(self.number())).ok()
    }

    /// Site, status and value count of a call: mostly one byte each.
    #[inline(always)]
    fn call(&mut self) -> Option<(CallSiteId, i32, u64)> {
        match self.window[self.at % MAX_RECORD_BYTES..].first_chunk() {
            Some(&[site @ 0..0x80, 0, count @ 0..0x80]) => {
                self.at += 3;
                Some((CallSiteId(site.into()), 0, count.into()))
            }
            _ => Some((self.site()?, self.status()?, self.number())),
        }
    }

    /// Appends an event of this kind to the batch if its fields end within the record.
    #[inline(always)]
    fn put(
        &mut self,
        kind: u8,
        end: usize,
        (ns, tid): (u64, u32),
        batch: &mut Batch,
    ) -> Option<()> {
        match kind {
            tag::CALL => {
                let (site, status, count) = self.call()?;
                if status == 0 && count <= 2 {
                    let first = if count > 0 { self.number() } else { 0 };
                    let second = if count > 1 { self.number() } else { 0 };
                    self.ends(end)?;
                    let (count, values) = (count as u8, [first, second]);
                    batch.push_short(
                        ns,
                        tid,
                        CompactCall {
                            site,
                            count,
                            values,
                        },
                    );
                    return Some(());
                }
                let values = self.values(count)?;
                self.ends(end)?;
                let event = Event::Call {
                    site,
                    values,
                    status,
                };
                batch.push_other(ns, tid, event);
            }
            tag::SET => {
                let (site, to, room) = (self.site()?, self.number(), self.number());
                let value = self.status()?;
                let (count, stream, mapping) = (self.number(), self.number(), self.number());
                self.ends(end)?;
                let fill = MemsetEvent {
                    site,
                    value,
                    to,
                    room,
                    count,
                    stream,
                    mapping: Mapping::from_number(mapping),
                };
                batch.push_fill(ns, tid, fill);
            }
            tag::COPY => {
                let (site, to, room) = (self.site()?, self.number(), self.number());
                let from = self.number();
                let (count, stream) = (self.number(), self.number());
                self.ends(end)?;
                let event = Event::Copy {
                    site,
                    to,
                    room,
                    from,
                    count,
                    stream,
                };
                batch.push_other(ns, tid, event);
            }
            tag::USE => {
                let (site, address, size) = (self.site()?, self.number(), self.number());
                let (access, stream) = (self.number(), self.number());
                self.ends(end)?;
                let event = Event::Use {
                    site,
                    address,
                    size,
                    access: Access::from_number(access),
                    stream,
                };
                batch.push_other(ns, tid, event);
            }
            _ => return None,
        }
        Some(())
    }

    #[inline(always)]
    fn ends(&self, end: usize) -> Option<()> {
        (self.at <= end).then_some(())
    }

    #[inline(always)]
    fn values(&mut self, count: u64) -> Option<Values> {
        let count = usize::try_from(count).ok()?.min(MAX_VALUES);
        Some(Values::each(count, || self.number()))
    }
}

/// Decodes the events of one thread until a time or a count is reached.
pub(crate) struct FastDecoder<C> {
    /// Ticks to nanoseconds.
    pub clock: C,
    /// The thread whose events these are.
    pub tid: u32,
    /// Time of the first event not to read, in ticks.
    pub until: u64,
    /// Events that the batch may hold.
    pub most: usize,
}

/// What follows the current position.
enum Lookahead {
    /// It has been decoded.
    Read,
    /// A record with this time, which must not be read yet.
    Later(u64),
    /// Something for [`Decoder::next`].
    Other,
}

impl<C: Fn(u64) -> u64> FastDecoder<C> {
    /// Decodes as many records as possible. Returns the time of the next one if it must not be read yet.
    #[inline(always)]
    pub(crate) fn decode(
        &self,
        decoder: &mut Decoder,
        records: &[u8],
        batch: &mut Batch,
    ) -> Option<u64> {
        while batch.len() < self.most {
            let window = records.get(decoder.at..)?.first_chunk()?;
            match self.step(decoder, window, batch) {
                Lookahead::Read => {}
                Lookahead::Later(ticks) => return Some(ticks),
                Lookahead::Other => return None,
            }
        }
        None
    }

    /// Decodes one record, or changes nothing.
    #[inline(always)]
    fn step(&self, decoder: &mut Decoder, window: &[u8; WINDOW], batch: &mut Batch) -> Lookahead {
        if window[0] & 3 != compact::TAGGED {
            return self
                .compact(decoder, window, batch)
                .unwrap_or(Lookahead::Other);
        }
        let kind = window[0] >> 2;
        let end = TAG_BYTES + usize::from(u16::from_le_bytes([window[1], window[2]]));
        let mut fields = Fields {
            window,
            at: TAG_BYTES,
        };
        let ticks = decoder.ticks.saturating_add(fields.number());
        if end > MAX_RECORD_BYTES || fields.at > end {
            return Lookahead::Other;
        }
        if ticks >= self.until {
            return Lookahead::Later(ticks);
        }
        let ns = (self.clock)(ticks);
        if fields.put(kind, end, (ns, self.tid), batch).is_none() {
            return Lookahead::Other;
        }
        (decoder.at, decoder.ticks) = (decoder.at + end, ticks);
        Lookahead::Read
    }

    #[inline(always)]
    fn compact(
        &self,
        decoder: &mut Decoder,
        window: &[u8; WINDOW],
        batch: &mut Batch,
    ) -> Option<Lookahead> {
        let (record, length) = compact::read(window.first_chunk()?)?;
        let (CompactRecord::Allocation { elapsed, .. } | CompactRecord::Release { elapsed, .. }) =
            record;
        let ticks = decoder.ticks.saturating_add(elapsed);
        if ticks >= self.until {
            return Some(Lookahead::Later(ticks));
        }
        let kind = decoder.expand(record)?;
        decoder.at += length;
        batch.push((self.clock)(decoder.ticks), self.tid, kind);
        Some(Lookahead::Read)
    }
}

#[cfg(test)]
mod tests;
