//! Encodes records into the buffer of one segment.

mod definitions;
mod events;
mod repeats;

use crate::compact::{self, MAX_COMPACT_BYTES, MAX_ELAPSED};
use crate::layout::SEGMENT_CAPACITY;
use crate::record::{BlockId, CallSiteId, tag};
use crate::varint::put;

pub use definitions::MAX_TEXT_BYTES;
pub use repeats::Repeats;

/// A writer's position in a segment. It only writes bytes: the owner of the memory commits [`Encoder::used`].
#[derive(Clone, Debug)]
pub struct Encoder {
    segment: u32,
    used: usize,
    ticks: u64,
    address: u64,
    allocations: u16,
    /// The last handle released.
    released: BlockId,
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
            released: BlockId::new(segment, 0),
        }
    }

    /// Bytes of whole records so far: the value for `committed`.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Writes an allocation and numbers its block. `None`, with nothing written, if the segment is full.
    #[inline(always)]
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
            self.tagged_fields(
                buffer,
                ticks,
                tag::ALLOCATION,
                [site.0.into(), address, size],
            )?;
        }
        self.address = address & !15;
        self.allocations += 1;
        Some(block)
    }

    /// Writes the release of a numbered block. `None`, with nothing written, if the segment is full.
    #[inline(always)]
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
            _ => self.tagged_fields(buffer, ticks, tag::RELEASE, [site.0.into(), block.0]),
        }
    }

    fn compact_slot<'a>(&self, buffer: &'a mut [u8]) -> Option<&'a mut [u8; MAX_COMPACT_BYTES]> {
        buffer.get_mut(self.used..)?.first_chunk_mut()
    }

    /// Takes the fields by value: a closure would hold their addresses, and so keep them in memory even where the record is compact.
    #[cold]
    #[inline(never)]
    fn tagged_fields<const N: usize>(
        &mut self,
        buffer: &mut [u8],
        ticks: u64,
        kind: u8,
        fields: [u64; N],
    ) -> Option<()> {
        self.tagged(buffer, ticks, kind, |out, at| {
            fields.iter().try_for_each(|&field| put(out, at, field))
        })
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
