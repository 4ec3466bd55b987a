//! Decodes the records of one segment in the order in which they were written.

mod definitions;
mod events;

use crate::batch::EventKind;
use crate::compact::{self, CompactRecord};
use crate::record::{BlockId, CallSiteId, Definition, Event, tag};
use crate::repeat::{self, REPEAT};
use crate::varint::{get, unzigzag};

pub(crate) use events::descriptor_values;

/// A decoded record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Record {
    /// Something that happened.
    Event(Event),
    /// Something that events refer to.
    Definition(Definition),
    /// A record of a type that this version does not know; skipped.
    Unknown(u8),
}

/// A record that makes no sense. Everything after it in its segment is lost too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MalformedRecord {
    /// Bytes from the segment's first record to this one.
    pub offset: usize,
}

/// A reader's position in a segment.
#[derive(Clone, Debug)]
pub struct Decoder {
    segment: u32,
    pub(crate) at: usize,
    pub(crate) ticks: u64,
    address: u64,
    allocations: u32,
    /// The last handle released.
    released: BlockId,
    /// The second event of the record at `at`.
    pub(crate) second: Option<Event>,
    /// Where the record after that begins.
    next_at: usize,
}

impl Decoder {
    /// Starts at the first record of segment `segment`, whose header says `ticks`.
    pub fn new(segment: u32, ticks: u64) -> Self {
        Self {
            segment,
            at: 0,
            ticks,
            address: 0,
            allocations: 0,
            released: BlockId::new(segment, 0),
            second: None,
            next_at: 0,
        }
    }

    /// Bytes from the segment's first record to the next one.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next record and its time in ticks; `None` at the end of `records`, the committed bytes.
    ///
    /// # Errors
    /// [`MalformedRecord`] if the bytes are not a record; where the next record starts is then unknown too.
    pub fn next(&mut self, records: &[u8]) -> Result<Option<(u64, Record)>, MalformedRecord> {
        let bad = MalformedRecord { offset: self.at };
        if let Some(event) = self.second.take() {
            self.at = self.next_at;
            return Ok(Some((self.ticks, Record::Event(event))));
        }
        let Some(mut from) = records.get(self.at..).filter(|rest| !rest.is_empty()) else {
            return Ok(None);
        };
        let before = from.len();
        let record = match from[0] & 3 {
            compact::TAGGED => self.tagged(&mut from),
            REPEAT => self.repeat(&mut from, records),
            _ => compact::get(&mut from)
                .and_then(|record| self.expand(record))
                .and_then(EventKind::event)
                .map(Record::Event),
        };
        let record = record.ok_or(bad)?;
        self.next_at = self.at + before - from.len();
        if self.second.is_none() {
            self.at = self.next_at;
        }
        Ok(Some((self.ticks, record)))
    }

    /// The next record and its time in ticks, if it is one of the two compact kinds that most of a log consists of. Otherwise, or if it
    /// makes no sense, call [`Decoder::next`].
    #[inline(always)]
    pub(crate) fn decode_compact(&mut self, records: &[u8]) -> Option<(u64, EventKind)> {
        if self.second.is_some() {
            return None;
        }
        let mut from = records.get(self.at..)?;
        let before = from.len();
        let record = compact::get(&mut from)?;
        let kind = self.expand(record)?;
        self.at += before - from.len();
        Some((self.ticks, kind))
    }

    #[inline(always)]
    pub(crate) fn expand(&mut self, record: CompactRecord) -> Option<EventKind> {
        match record {
            CompactRecord::Allocation {
                elapsed,
                distance,
                size,
                site,
            } => {
                self.ticks = self.ticks.saturating_add(elapsed);
                let address = self.moved(distance);
                self.allocation(site, address, size)
            }
            CompactRecord::Release {
                elapsed,
                back,
                place,
                site,
            } => {
                self.ticks = self.ticks.saturating_add(elapsed);
                Some(EventKind::Release {
                    block: BlockId::in_earlier_segment(self.segment, back, place)?,
                    site,
                })
            }
        }
    }

    #[inline(always)]
    pub(crate) fn allocation(
        &mut self,
        site: CallSiteId,
        address: u64,
        size: u64,
    ) -> Option<EventKind> {
        let block = BlockId::new(self.segment, u16::try_from(self.allocations).ok()?);
        self.allocations += 1;
        self.address = address & !15;
        Some(EventKind::Allocation {
            block,
            site,
            address,
            size,
        })
    }

    /// The handle that is released next: `step` is the zigzag of its number less the last one's. `None` if no handle has the number.
    #[inline(always)]
    pub(crate) fn release_handle(&mut self, step: u64) -> Option<BlockId> {
        let number = self.released.0.wrapping_add_signed(unzigzag(step));
        (number >> 48 == 0).then(|| {
            self.released = BlockId(number);
            self.released
        })
    }

    /// The address that is `distance` 16-byte units from the last allocation's.
    #[inline(always)]
    pub(crate) fn moved(&self, distance: i64) -> u64 {
        let last = self.address as i64 >> 4;
        last.wrapping_add(distance).wrapping_shl(4) as u64
    }

    fn repeat(&mut self, from: &mut &[u8], records: &[u8]) -> Option<Record> {
        let mut bytes = [0; repeat::MAX_REPEAT_BYTES];
        let length = from.len().min(bytes.len());
        bytes[..length].copy_from_slice(&from[..length]);
        let repeat = repeat::read(&bytes)?;
        *from = from.get(repeat.length..)?;
        let earlier = records.get(repeat.offset..self.at)?;
        let (&[control, low, high], rest) = earlier.split_first_chunk()?;
        let mut fields = rest.get(..usize::from(u16::from_le_bytes([low, high])))?;
        let kind = control >> 2;
        if control & 3 != compact::TAGGED || kind >= tag::FUNCTION {
            return None;
        }
        get(&mut fields)?; // its time
        if repeat.distance.is_some() && !matches!(kind, tag::DESCRIPTOR | tag::CALL) {
            return None;
        }
        self.ticks = self.ticks.saturating_add(repeat.elapsed);
        self.event(kind, fields, repeat.distance)
    }

    fn tagged(&mut self, from: &mut &[u8]) -> Option<Record> {
        let (&[control, low, high], rest) = from.split_first_chunk()?;
        let (mut fields, rest) =
            rest.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
        *from = rest;
        self.ticks = self.ticks.saturating_add(get(&mut fields)?);
        let kind = control >> 2;
        if kind >= tag::FUNCTION {
            definitions::definition(kind, fields)
        } else {
            self.event(kind, fields, None)
        }
    }
}

fn site(from: &mut &[u8]) -> Option<CallSiteId> {
    u32::try_from(get(from)?).ok().map(CallSiteId)
}
