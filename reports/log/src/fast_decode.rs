//! Runs of the records that logs have many of: allocations, releases, calls, copies, fills, uses. They go straight into a batch, their fields
//! taken eight bytes at a time.
//!
//! This only ever does what [`Decoder::next`] would do, and leaves to it whatever is out of the ordinary: other records, fields of nine
//! bytes and more, what makes no sense, the end of a segment.

use crate::batch::{Batch, Fill, Short};
use crate::compact::{self, Packed};
use crate::decode::Decoder;
use crate::record::{Access, Event, Mapping, SiteId, VALUES_MOST, Values, tag};
use crate::varint::unzigzag;

/// Longest record that is looked at here.
const RECORD: usize = 128;
/// The same, and what is read with its last field.
const WINDOW: usize = RECORD + 8;
/// Bytes of a tagged record before its time.
const HEAD: usize = 3;

/// A reader's place in a record.
struct Fields<'a> {
    window: &'a [u8; WINDOW],
    at: usize,
}

impl Fields<'_> {
    /// The next field. Of one that is longer than eight bytes the place tells: it is beyond any record then.
    #[inline(always)]
    fn number(&mut self) -> u64 {
        // A place beyond the record is told by `end`: what is read there does not matter.
        let Some(eight) = self.window[self.at % RECORD..].first_chunk() else {
            return 0; // Never: there are eight bytes behind the record.
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
        // Sevens of bits: two, four and eight of them at once.
        let word = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
        let word = (word & 0x7f00_7f00_7f00_7f00) >> 1 | word & 0x007f_007f_007f_007f;
        let word = (word & 0x3fff_0000_3fff_0000) >> 2 | word & 0x0000_3fff_0000_3fff;
        (word & 0x0fff_ffff_0000_0000) >> 4 | word & 0x0fff_ffff
    }

    #[inline(always)]
    fn site(&mut self) -> Option<SiteId> {
        u32::try_from(self.number()).ok().map(SiteId)
    }

    #[inline(always)]
    fn status(&mut self) -> Option<i32> {
        i32::try_from(unzigzag(self.number())).ok()
    }

    /// Site, status and number of values of a call: mostly a byte each.
    #[inline(always)]
    fn call(&mut self) -> Option<(SiteId, i32, u64)> {
        match self.window[self.at % RECORD..].first_chunk() {
            Some(&[site @ 0..0x80, 0, count @ 0..0x80]) => {
                self.at += 3;
                Some((SiteId(site.into()), 0, count.into()))
            }
            _ => Some((self.site()?, self.status()?, self.number())),
        }
    }

    /// Puts an event of such a kind where it belongs, if it is one that ends there.
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
                        Short {
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
                let fill = Fill {
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
        let count = usize::try_from(count).ok()?.min(VALUES_MOST);
        Some(Values::each(count, || self.number()))
    }
}

/// Whose events are read, and how many.
pub(crate) struct Run<C> {
    /// From ticks to nanoseconds.
    pub clock: C,
    /// The thread whose events they are.
    pub tid: u32,
    /// Time of the first event that is not to be read, in ticks.
    pub until: u64,
    /// Events that the batch is to have.
    pub most: usize,
}

/// What comes next.
enum Ahead {
    /// It has been read.
    Read,
    /// A record of this time, which is not to be read yet.
    Later(u64),
    /// Something else.
    Other,
}

impl Decoder {
    /// Reads on as long as there are such records. Tells the time of the next one if that is not to be read yet.
    #[inline(always)]
    pub(crate) fn run<C: Fn(u64) -> u64>(
        &mut self,
        records: &[u8],
        run: &Run<C>,
        batch: &mut Batch,
    ) -> Option<u64> {
        while batch.len() < run.most {
            let window = records.get(self.at..)?.first_chunk()?;
            match self.step(window, run, batch) {
                Ahead::Read => {}
                Ahead::Later(ticks) => return Some(ticks),
                Ahead::Other => return None,
            }
        }
        None
    }

    /// Reads one such record; if it does not, nothing has changed.
    #[inline(always)]
    fn step<C: Fn(u64) -> u64>(
        &mut self,
        window: &[u8; WINDOW],
        run: &Run<C>,
        batch: &mut Batch,
    ) -> Ahead {
        if window[0] & 3 != compact::TAGGED {
            return self.packed(window, run, batch).unwrap_or(Ahead::Other);
        }
        let kind = window[0] >> 2;
        let end = HEAD + usize::from(u16::from_le_bytes([window[1], window[2]]));
        let mut fields = Fields { window, at: HEAD };
        let ticks = self.ticks.saturating_add(fields.number());
        if end > RECORD || fields.at > end {
            return Ahead::Other;
        }
        if ticks >= run.until {
            return Ahead::Later(ticks);
        }
        let ns = (run.clock)(ticks);
        if fields.put(kind, end, (ns, run.tid), batch).is_none() {
            return Ahead::Other;
        }
        (self.at, self.ticks) = (self.at + end, ticks);
        Ahead::Read
    }

    #[inline(always)]
    fn packed<C: Fn(u64) -> u64>(
        &mut self,
        window: &[u8; WINDOW],
        run: &Run<C>,
        batch: &mut Batch,
    ) -> Option<Ahead> {
        let (packed, length) = compact::read(window.first_chunk()?)?;
        let (Packed::Allocation { elapsed, .. } | Packed::Release { elapsed, .. }) = packed;
        let ticks = self.ticks.saturating_add(elapsed);
        if ticks >= run.until {
            return Some(Ahead::Later(ticks));
        }
        let brief = self.unpack(packed)?;
        self.at += length;
        batch.push((run.clock)(self.ticks), run.tid, brief);
        Some(Ahead::Read)
    }
}

#[cfg(test)]
mod tests;
