//! The fields of events.

use super::{Decoder, Record, site};
use crate::record::{
    Access, BlockId, ByteSample, Event, MAX_VALUES, Mapping, ScanGap, ScanOutcome, Values, tag,
};
use crate::repeat::away;
use crate::varint::{get, get_bytes, unzigzag};

impl Decoder {
    /// Fields after the known ones come from a later version and are ignored. A repeat may have another address, at that distance.
    pub(super) fn event(
        &mut self,
        kind: u8,
        mut fields: &[u8],
        distance: Option<i64>,
    ) -> Option<Record> {
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
            tag::DESCRIPTOR => {
                let (site, address, count) = (site(f)?, get(f)?, get(f)?);
                let address = distance.map_or(address, |distance| self.moved(distance));
                let values = descriptor_values(address, count, || get(f))?;
                let made = self.allocation(site, address, 0)?.event()?;
                self.second = values.map(|values| Event::Call {
                    site,
                    values,
                    status: 0,
                });
                made
            }
            tag::HANDLE_RELEASE => {
                let site = site(f)?;
                let block = self.release_handle(get(f)?)?;
                Event::Release { block, site }
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
                if let Some(distance) = distance {
                    let first = values[..count].first_mut()?;
                    *first = away(*first, distance);
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

/// The values of the call that made a descriptor: its address, then `count - 1` more from `next`. The outer `None` if one is missing, the
/// inner one if there was no call.
#[inline(always)]
pub(crate) fn descriptor_values(
    address: u64,
    count: u64,
    mut next: impl FnMut() -> Option<u64>,
) -> Option<Option<Values>> {
    let count = usize::try_from(count).ok()?.min(MAX_VALUES);
    if count == 0 {
        return Some(None);
    }
    let mut values = [address; MAX_VALUES];
    for value in &mut values[1..count] {
        *value = next()?;
    }
    Some(Some(Values::new(&values[..count])))
}

fn status(from: &mut &[u8]) -> Option<i32> {
    i32::try_from(unzigzag(get(from)?)).ok()
}
