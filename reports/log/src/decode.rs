//! Decodes the records of one segment in the order in which they were written.

use crate::batch::EventKind;
use crate::compact::{self, CompactRecord};
use crate::layout::MAX_FRAMES;
use crate::record::{
    Access, BlockId, ByteSample, CallSiteId, Definition, Event, MAX_VALUES, Mapping, ScanGap,
    ScanOutcome, Values, tag,
};
use crate::varint::{get, get_bytes, get_signed, unzigzag};

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
        let Some(mut from) = records.get(self.at..).filter(|rest| !rest.is_empty()) else {
            return Ok(None);
        };
        let before = from.len();
        let record = match from[0] & 3 {
            compact::TAGGED => self.tagged(&mut from),
            _ => compact::get(&mut from)
                .and_then(|record| self.expand(record))
                .and_then(EventKind::event)
                .map(Record::Event),
        };
        let record = record.ok_or(bad)?;
        self.at += before - from.len();
        Ok(Some((self.ticks, record)))
    }

    /// The next record and its time in ticks, if it is one of the two compact kinds that most of a log consists of. Otherwise, or if it
    /// makes no sense, call [`Decoder::next`].
    #[inline(always)]
    pub(crate) fn decode_compact(&mut self, records: &[u8]) -> Option<(u64, EventKind)> {
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
                let address = (self.address as i64 >> 4)
                    .wrapping_add(distance)
                    .wrapping_shl(4) as u64;
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
    fn allocation(&mut self, site: CallSiteId, address: u64, size: u64) -> Option<EventKind> {
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

    fn tagged(&mut self, from: &mut &[u8]) -> Option<Record> {
        let (&[control, low, high], rest) = from.split_first_chunk()?;
        let (mut fields, rest) =
            rest.split_at_checked(usize::from(u16::from_le_bytes([low, high])))?;
        *from = rest;
        self.ticks = self.ticks.saturating_add(get(&mut fields)?);
        let kind = control >> 2;
        if kind >= tag::FUNCTION {
            definition(kind, fields)
        } else {
            self.event(kind, fields)
        }
    }

    /// Fields after the known ones come from a later version and are ignored.
    fn event(&mut self, kind: u8, mut fields: &[u8]) -> Option<Record> {
        let f = &mut fields;
        let event = match kind {
            tag::THREAD => Event::Thread {
                tid: get(f)? as u32,
            },
            tag::ALLOCATION => {
                let (site, address, size) = (site(f)?, get(f)?, get(f)?);
                self.allocation(site, address, size)?.event()?
            }
            tag::ALLOCATION_FAILED => Event::AllocationFailed {
                site: site(f)?,
                size: get(f)?,
                status: status(f)?,
            },
            tag::RELEASE => {
                let site = site(f)?;
                Event::Release {
                    block: BlockId(get(f)?),
                    site,
                }
            }
            tag::RELEASE_AT => Event::ReleaseAt {
                site: site(f)?,
                address: get(f)?,
                mapping: Mapping::from_number(get(f)?),
            },
            tag::REFUSED => Event::Refused {
                site: site(f)?,
                address: get(f)?,
                status: status(f)?,
            },
            tag::COPY => Event::Copy {
                site: site(f)?,
                to: get(f)?,
                room: get(f)?,
                from: get(f)?,
                count: get(f)?,
                stream: get(f)?,
            },
            tag::COPY_2D => Event::Copy2d {
                site: site(f)?,
                to: get(f)?,
                to_pitch: get(f)?,
                from: get(f)?,
                from_pitch: get(f)?,
                width: get(f)?,
                height: get(f)?,
                stream: get(f)?,
            },
            tag::SET => Event::Set {
                site: site(f)?,
                to: get(f)?,
                room: get(f)?,
                value: status(f)?,
                count: get(f)?,
                stream: get(f)?,
                mapping: Mapping::from_number(get(f)?),
            },
            tag::CALL => {
                let (site, status, count) = (site(f)?, status(f)?, get(f)?);
                // Values that a later version adds after ours are ignored, like any field.
                let count = usize::try_from(count).ok()?.min(MAX_VALUES);
                let mut values = [0; MAX_VALUES];
                for value in &mut values[..count] {
                    *value = get(f)?;
                }
                Event::Call {
                    site,
                    values: Values::new(&values[..count]),
                    status,
                }
            }
            tag::USE => Event::Use {
                site: site(f)?,
                address: get(f)?,
                size: get(f)?,
                access: Access::from_number(get(f)?),
                stream: get(f)?,
            },
            tag::MEMORY => Event::Memory {
                site: site(f)?,
                free: get(f)?,
                total: get(f)?,
            },
            tag::GUARD => Event::Guard {
                block: BlockId(get(f)?),
                slack: get(f)? as u32,
                guard: get(f)? as u32,
                front: 0,
            },
            tag::GUARDS => Event::Guard {
                block: BlockId(get(f)?),
                slack: get(f)? as u32,
                guard: get(f)? as u32,
                front: get(f)? as u32,
            },
            tag::DAMAGE => Event::Damage {
                block: BlockId(get(f)?),
                site: site(f)?,
                offset: get(f)?,
                extent: get(f)?,
                found: ByteSample::new(get_bytes(f)?),
            },
            tag::FENCE => Event::Fence {
                block: BlockId(get(f)?),
                slack: get(f)? as u32,
                guard: get(f)? as u32,
                taken: get(f)?,
            },
            tag::SLOW => Event::Slow {
                block: BlockId(get(f)?),
                ns: get(f)?,
            },
            tag::POINTER => Event::Pointer {
                block: BlockId(get(f)?),
                at: get(f)?,
                mapping: Mapping::from_number(get(f)?),
            },
            tag::LOST_OBJECT => Event::LostObject {
                block: BlockId(get(f)?),
                at: get(f)?,
                size: get(f)?,
                class: get(f)? as u32,
            },
            tag::GAP => Event::Gap {
                what: ScanGap::from_number(get(f)?),
                count: get(f)?,
            },
            tag::SCAN => Event::Scan {
                outcome: ScanOutcome::from_number(get(f)?),
                bytes: get(f)?,
                ns: get(f)?,
                threads: get(f)? as u32,
            },
            tag::UNWRITTEN => Event::Unwritten {
                block: BlockId(get(f)?),
                site: site(f)?,
                offset: get(f)?,
                extent: get(f)?,
            },
            tag::DROPPED => Event::Dropped { count: get(f)? },
            tag::EXIT => Event::Exit,
            unknown => return Some(Record::Unknown(unknown)),
        };
        Some(Record::Event(event))
    }
}

fn definition(kind: u8, mut fields: &[u8]) -> Option<Record> {
    let f = &mut fields;
    let definition = match kind {
        tag::FUNCTION => Definition::Function {
            id: u16::try_from(get(f)?).ok()?,
            name: text(f)?,
        },
        tag::SITE => {
            let id = site(f)?;
            let function = u16::try_from(get(f)?).ok()?;
            let argument = get(f)? as u32;
            let device = i32::try_from(get_signed(f)?).ok()?;
            let count = get(f)?;
            let mut before = 0u64;
            // A frame takes at least a byte, so the stacks of a log could need eight times its size. No writer of ours exceeds this limit.
            let frames = (0..count.min(MAX_FRAMES as u64)).map(|_| {
                before = before.wrapping_add(get_signed(f)? as u64);
                Some(before)
            });
            Definition::Site {
                id,
                function,
                argument,
                device,
                frames: frames.collect::<Option<_>>()?,
            }
        }
        tag::MODULE => Definition::Module {
            start: get(f)?,
            end: get(f)?,
            bias: get(f)?,
            build_id: get_bytes(f)?.to_vec(),
            path: text(f)?,
        },
        tag::UNLOADED => Definition::Unloaded { start: get(f)? },
        tag::PYTHON_CODE => Definition::PythonCode {
            id: u32::try_from(get(f)?).ok()?,
            function: text(f)?,
            file: text(f)?,
        },
        tag::STATUS => Definition::Status {
            code: i32::try_from(get_signed(f)?).ok()?,
            name: text(f)?,
        },
        tag::PROPERTY => Definition::Property {
            key: text(f)?,
            value: text(f)?,
        },
        tag::TEXT => Definition::Text {
            id: u32::try_from(get(f)?).ok()?,
            text: text(f)?,
        },
        unknown => return Some(Record::Unknown(unknown)),
    };
    Some(Record::Definition(definition))
}

fn site(from: &mut &[u8]) -> Option<CallSiteId> {
    u32::try_from(get(from)?).ok().map(CallSiteId)
}

fn status(from: &mut &[u8]) -> Option<i32> {
    i32::try_from(unzigzag(get(from)?)).ok()
}

/// Names come from other people's binaries: invalid UTF-8 is replaced, not refused.
fn text(from: &mut &[u8]) -> Option<String> {
    get_bytes(from).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}
