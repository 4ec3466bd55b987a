//! The fields of a record within a window of fixed size.

use crate::batch::{Batch, CompactCall, EventKind, MemsetEvent};
use crate::decode::{Decoder, descriptor_values};
use crate::record::{Access, CallSiteId, Event, MAX_VALUES, Mapping, Values, tag};
use crate::repeat::away;
use crate::varint::unzigzag;

/// Longest record that is decoded here.
const MAX_RECORD_BYTES: usize = 128;
/// The same, plus the bytes that are read with its last field.
pub(super) const WINDOW: usize = MAX_RECORD_BYTES + 8;
/// Bytes of a tagged record before its time.
const TAG_BYTES: usize = 3;

/// A position in a tagged record.
pub(super) struct Fields<'a> {
    window: &'a [u8; WINDOW],
    at: usize,
    kind: u8,
    /// Bytes of the record.
    pub(super) end: usize,
    /// Of a repeat with another address: how far that is.
    pub(super) distance: Option<i64>,
}

impl<'a> Fields<'a> {
    /// The fields of the tagged record at the start of `window`, and its time.
    #[inline(always)]
    pub(super) fn of(window: &'a [u8; WINDOW]) -> (Self, u64) {
        let mut fields = Self {
            window,
            at: TAG_BYTES,
            kind: window[0] >> 2,
            end: TAG_BYTES + usize::from(u16::from_le_bytes([window[1], window[2]])),
            distance: None,
        };
        let elapsed = fields.number();
        (fields, elapsed)
    }

    /// Whether the record is in the window, as far as it has been read, and may have another address, if it has.
    #[inline(always)]
    pub(super) fn is_short(&self) -> bool {
        self.end <= MAX_RECORD_BYTES
            && self.at <= self.end
            && (self.distance.is_none() || matches!(self.kind, tag::DESCRIPTOR | tag::CALL))
    }

    /// Events that [`Self::put`] appends at most.
    #[inline(always)]
    pub(super) fn most_events(&self) -> usize {
        1 + usize::from(self.kind == tag::DESCRIPTOR)
    }

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

    /// Appends what the record says to the batch, if its fields end within it: one event or two.
    #[inline(always)]
    pub(super) fn put(
        &mut self,
        (ns, tid): (u64, u32),
        decoder: &mut Decoder,
        batch: &mut Batch,
    ) -> Option<()> {
        match self.kind {
            tag::DESCRIPTOR => {
                let (site, address, count) = (self.site()?, self.number(), self.number());
                let moved = |distance| decoder.moved(distance);
                let address = self.distance.map_or(address, moved);
                let values = descriptor_values(address, count, || Some(self.number()))?;
                self.ends()?;
                batch.push(ns, tid, decoder.allocation(site, address, 0)?);
                if let Some(values) = values {
                    let status = 0;
                    let call = Event::Call {
                        site,
                        values,
                        status,
                    };
                    batch.push_other(ns, tid, call);
                }
            }
            tag::HANDLE_RELEASE => {
                let (site, step) = (self.site()?, self.number());
                self.ends()?;
                let block = decoder.release_handle(step)?;
                batch.push(ns, tid, EventKind::Release { block, site });
            }
            tag::CALL => {
                let (site, status, count) = self.call()?;
                if self.distance.is_some() && count == 0 {
                    return None;
                }
                if status == 0 && count <= 2 {
                    let first = if count > 0 { self.first() } else { 0 };
                    let second = if count > 1 { self.number() } else { 0 };
                    self.ends()?;
                    let (count, values) = (count as u8, [first, second]);
                    let short = CompactCall {
                        site,
                        count,
                        values,
                    };
                    batch.push_short(ns, tid, short);
                    return Some(());
                }
                let values = self.values(count)?;
                self.ends()?;
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
                self.ends()?;
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
                self.ends()?;
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
                self.ends()?;
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
    fn ends(&self) -> Option<()> {
        (self.at <= self.end).then_some(())
    }

    #[inline(always)]
    fn values(&mut self, count: u64) -> Option<Values> {
        let count = usize::try_from(count).ok()?.min(MAX_VALUES);
        let mut distance = self.distance;
        Some(Values::each(count, || {
            let value = self.number();
            distance
                .take()
                .map_or(value, |distance| away(value, distance))
        }))
    }

    /// The first value of a call.
    #[inline(always)]
    fn first(&mut self) -> u64 {
        let value = self.number();
        self.distance
            .map_or(value, |distance| away(value, distance))
    }
}
