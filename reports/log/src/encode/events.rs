//! Events of every kind.

use super::Encoder;
use crate::record::{CallSiteId, Event, Values, tag};
use crate::varint::{put, put_address, put_bytes, zigzag};

impl Encoder {
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
            } => self.tagged(buffer, ticks, tag::COPY, |out, at| {
                put(out, at, u64::from(site.0))?;
                put_address(out, at, to)?;
                put(out, at, room)?;
                put_address(out, at, from)?;
                put(out, at, count)?;
                put(out, at, stream)
            }),
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
                ref values,
                status,
            } => self.call(buffer, ticks, site, values, status),
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
}

impl Encoder {
    /// Writes a call. `None`, with nothing written, if the segment is full.
    pub(super) fn call(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        site: CallSiteId,
        values: &Values,
        status: i32,
    ) -> Option<()> {
        let values = values.all();
        self.tagged(buffer, ticks, tag::CALL, |out, at| {
            put(out, at, site.0.into())?;
            put(out, at, signed(status))?;
            put(out, at, values.len() as u64)?;
            values.iter().try_for_each(|&value| put(out, at, value))
        })
    }
}

fn signed(value: i32) -> u64 {
    zigzag(i64::from(value))
}
