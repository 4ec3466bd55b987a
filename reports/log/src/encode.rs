//! Encodes records into the buffer of one segment.

use crate::compact::{self, MAX_COMPACT_BYTES, MAX_ELAPSED};
use crate::layout::{MAX_FRAMES, SEGMENT_CAPACITY};
use crate::record::{BlockId, CallSiteId, Definition, Event, tag};
use crate::varint::{put, put_bytes, put_signed};

/// Longest string of a definition, in bytes; longer ones are cut off.
pub const MAX_TEXT_BYTES: usize = 16 * 1024;

/// A writer's position in a segment. It only writes bytes: the owner of the memory commits [`Encoder::used`].
#[derive(Clone, Debug)]
pub struct Encoder {
    segment: u32,
    used: usize,
    ticks: u64,
    address: u64,
    allocations: u16,
}

impl Encoder {
    /// Starts at the first record of segment `segment`, whose header says `ticks`.
    pub fn new(segment: u32, ticks: u64) -> Self {
        Self {
            segment,
            used: 0,
            ticks,
            address: 0,
            allocations: 0,
        }
    }

    /// Bytes of whole records so far: the value for `committed`.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Writes an allocation and numbers its block. `None`, with nothing written, if the segment is full.
    #[inline]
    pub fn allocation(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        address: u64,
        size: u64,
    ) -> Option<BlockId> {
        let block = BlockId::new(self.segment, self.allocations);
        let elapsed = ticks.saturating_sub(self.ticks);
        if (address | self.address) & compact::NOT_COMPACT == 0 && elapsed <= MAX_ELAPSED {
            let out = self.compact_slot(buffer)?;
            let distance = (address as i64 >> 4) - (self.address as i64 >> 4);
            self.used += compact::put_allocation(out, elapsed, distance, size, site);
            self.ticks += elapsed;
        } else {
            self.tagged(buffer, ticks, tag::ALLOCATION, |out, at| {
                put(out, at, u64::from(site.0))?;
                put(out, at, address)?;
                put(out, at, size)
            })?;
        }
        self.address = address & !15;
        self.allocations += 1;
        Some(block)
    }

    /// Writes the release of a numbered block. `None`, with nothing written, if the segment is full.
    #[inline]
    pub fn release(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        block: BlockId,
    ) -> Option<()> {
        let elapsed = ticks.saturating_sub(self.ticks);
        match self.segment.checked_sub(block.segment()) {
            Some(back) if elapsed <= MAX_ELAPSED => {
                let out = self.compact_slot(buffer)?;
                self.used += compact::put_release(out, elapsed, back, block.place(), site);
                self.ticks += elapsed;
                Some(())
            }
            // The block is in a later segment: another thread allocated it after this segment was begun.
            _ => self.tagged(buffer, ticks, tag::RELEASE, |out, at| {
                put(out, at, u64::from(site.0))?;
                put(out, at, block.0)
            }),
        }
    }

    /// Writes any event; the `block` of an allocation is assigned, not taken. `None`, with nothing written, if the segment is full.
    pub fn event(&mut self, buffer: &mut [u8], ticks: u64, event: &Event) -> Option<()> {
        let all = |out: &mut [u8], at: &mut usize, values: &[u64]| {
            values.iter().try_for_each(|&value| put(out, at, value))
        };
        let mut write =
            |kind, values: &[u64]| self.tagged(buffer, ticks, kind, |out, at| all(out, at, values));
        match *event {
            Event::Allocation {
                site,
                address,
                size,
                ..
            } => self
                .allocation(buffer, ticks, site, address, size)
                .map(drop),
            Event::Release { block, site } => self.release(buffer, ticks, site, block),
            Event::Thread { tid } => write(tag::THREAD, &[tid.into()]),
            Event::AllocationFailed { site, size, status } => write(
                tag::ALLOCATION_FAILED,
                &[site.0.into(), size, signed(status)],
            ),
            Event::ReleaseAt {
                site,
                address,
                mapping,
            } => write(tag::RELEASE_AT, &[site.0.into(), address, mapping as u64]),
            Event::Refused {
                site,
                address,
                status,
            } => write(tag::REFUSED, &[site.0.into(), address, signed(status)]),
            Event::Copy {
                site,
                to,
                room,
                from,
                count,
                stream,
            } => write(tag::COPY, &[site.0.into(), to, room, from, count, stream]),
            Event::Copy2d {
                site,
                to,
                to_pitch,
                from,
                from_pitch,
                width,
                height,
                stream,
            } => write(
                tag::COPY_2D,
                &[
                    site.0.into(),
                    to,
                    to_pitch,
                    from,
                    from_pitch,
                    width,
                    height,
                    stream,
                ],
            ),
            Event::Set {
                site,
                to,
                room,
                value,
                count,
                stream,
                mapping,
            } => write(
                tag::SET,
                &[
                    site.0.into(),
                    to,
                    room,
                    signed(value),
                    count,
                    stream,
                    mapping as u64,
                ],
            ),
            Event::Call {
                site,
                values,
                status,
            } => self.tagged(buffer, ticks, tag::CALL, |out, at| {
                let values = values.all();
                all(
                    out,
                    at,
                    &[site.0.into(), signed(status), values.len() as u64],
                )?;
                all(out, at, values)
            }),
            Event::Use {
                site,
                address,
                size,
                access,
                stream,
            } => write(
                tag::USE,
                &[site.0.into(), address, size, access as u64, stream],
            ),
            Event::Memory { site, free, total } => {
                write(tag::MEMORY, &[site.0.into(), free, total])
            }
            Event::Guard {
                block,
                slack,
                guard,
                front: 0,
            } => write(tag::GUARD, &[block.0, slack.into(), guard.into()]),
            Event::Guard {
                block,
                slack,
                guard,
                front,
            } => write(
                tag::GUARDS,
                &[block.0, slack.into(), guard.into(), front.into()],
            ),
            Event::Damage {
                block,
                site,
                offset,
                extent,
                found,
            } => self.tagged(buffer, ticks, tag::DAMAGE, |out, at| {
                all(out, at, &[block.0, site.0.into(), offset, extent])?;
                put_bytes(out, at, found.bytes())
            }),
            Event::Fence {
                block,
                slack,
                guard,
                taken,
            } => write(tag::FENCE, &[block.0, slack.into(), guard.into(), taken]),
            Event::Slow { block, ns } => write(tag::SLOW, &[block.0, ns]),
            Event::Pointer { block, at, mapping } => {
                write(tag::POINTER, &[block.0, at, mapping as u64])
            }
            Event::LostObject {
                block,
                at,
                size,
                class,
            } => write(tag::LOST_OBJECT, &[block.0, at, size, class.into()]),
            Event::Gap { what, count } => write(tag::GAP, &[what as u64, count]),
            Event::Scan {
                outcome,
                bytes,
                ns,
                threads,
            } => write(tag::SCAN, &[outcome as u64, bytes, ns, threads.into()]),
            Event::Unwritten {
                block,
                site,
                offset,
                extent,
            } => write(tag::UNWRITTEN, &[block.0, site.0.into(), offset, extent]),
            Event::Dropped { count } => write(tag::DROPPED, &[count]),
            Event::Exit => write(tag::EXIT, &[]),
        }
    }

    /// Writes a definition. `None`, with nothing written, if the segment is full.
    pub fn definition(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        definition: &Definition,
    ) -> Option<()> {
        match definition {
            Definition::Function { id, name } => {
                self.tagged(buffer, ticks, tag::FUNCTION, |out, at| {
                    put(out, at, u64::from(*id))?;
                    put_bytes(out, at, cut(name))
                })
            }
            Definition::Site {
                id,
                function,
                argument,
                device,
                frames,
            } => self.site(buffer, ticks, *id, *function, *argument, *device, frames),
            Definition::Module {
                start,
                end,
                bias,
                build_id,
                path,
            } => self.tagged(buffer, ticks, tag::MODULE, |out, at| {
                put(out, at, *start)?;
                put(out, at, *end)?;
                put(out, at, *bias)?;
                put_bytes(out, at, &build_id[..build_id.len().min(64)])?;
                put_bytes(out, at, cut(path))
            }),
            Definition::Unloaded { start } => {
                self.tagged(buffer, ticks, tag::UNLOADED, |out, at| put(out, at, *start))
            }
            Definition::PythonCode { id, function, file } => {
                self.tagged(buffer, ticks, tag::PYTHON_CODE, |out, at| {
                    put(out, at, u64::from(*id))?;
                    put_bytes(out, at, cut(function))?;
                    put_bytes(out, at, cut(file))
                })
            }
            Definition::Status { code, name } => {
                self.tagged(buffer, ticks, tag::STATUS, |out, at| {
                    put_signed(out, at, i64::from(*code))?;
                    put_bytes(out, at, cut(name))
                })
            }
            Definition::Property { key, value } => {
                self.tagged(buffer, ticks, tag::PROPERTY, |out, at| {
                    put_bytes(out, at, cut(key))?;
                    put_bytes(out, at, cut(value))
                })
            }
            Definition::Text { id, text } => self.tagged(buffer, ticks, tag::TEXT, |out, at| {
                put(out, at, u64::from(*id))?;
                put_bytes(out, at, cut(text))
            }),
        }
    }

    /// Writes a [`Definition::Site`] without owning its frames. Frames beyond [`MAX_FRAMES`] are dropped.
    #[allow(clippy::too_many_arguments)] // the fields of the record
    pub fn site(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        id: CallSiteId,
        function: u16,
        argument: u32,
        device: i32,
        frames: &[u64],
    ) -> Option<()> {
        self.tagged(buffer, ticks, tag::SITE, |out, at| {
            put(out, at, u64::from(id.0))?;
            put(out, at, u64::from(function))?;
            put(out, at, u64::from(argument))?;
            put_signed(out, at, i64::from(device))?;
            let frames = &frames[..frames.len().min(MAX_FRAMES)];
            put(out, at, frames.len() as u64)?;
            let mut before = 0u64;
            for &frame in frames {
                put_signed(out, at, frame.wrapping_sub(before) as i64)?;
                before = frame;
            }
            Some(())
        })
    }

    fn compact_slot<'a>(&self, buffer: &'a mut [u8]) -> Option<&'a mut [u8; MAX_COMPACT_BYTES]> {
        buffer.get_mut(self.used..)?.first_chunk_mut()
    }

    fn tagged(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        kind: u8,
        fields: impl FnOnce(&mut [u8], &mut usize) -> Option<()>,
    ) -> Option<()> {
        let elapsed = ticks.saturating_sub(self.ticks);
        let out = buffer.get_mut(self.used..)?;
        let mut at = 3;
        put(out, &mut at, elapsed)?;
        fields(out, &mut at)?;
        out[0] = compact::TAGGED | kind << 2;
        out[1..3].copy_from_slice(&((at - 3) as u16).to_le_bytes());
        self.used += at;
        self.ticks += elapsed;
        Some(())
    }
}

// A tagged record's length has 16 bits, and a record never leaves its segment.
const _: () = assert!(SEGMENT_CAPACITY <= u16::MAX as usize);

fn signed(value: i32) -> u64 {
    crate::varint::zigzag(i64::from(value))
}

fn cut(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(MAX_TEXT_BYTES)]
}
