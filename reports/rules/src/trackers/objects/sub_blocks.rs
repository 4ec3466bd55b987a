//! Segments of blocks at the moment they are reported: through `aclsan.h`, mstx, or a data buffer.
//!
//! Only rules about the segment and its block are judged here; other segments are kept for the diagram. How two live
//! segments lie to each other is judged from the log. Parts of a pool that the program itself reports are blocks to
//! accesses, too: see [`SubBlocks::part`].

use super::tracker::{HeapView, Tracker};
use crate::api::block::{AddressInfo, Block};
use crate::api::family::Family;
use crate::api::fast_hash::FastMap;
use crate::api::functions::{Call, Effect};
use crate::evidence::finding::{Finding, rarely};
use crate::evidence::suballocation::{Neighbors, PlacementRules, Segment};
use crate::rules::{suballoc_misaligned, suballoc_out_of_block};
use aclsan_log::{BlockId, Values};
use parts::GivenBack;
use pool_blocks::{PoolBlocks, most_of};
use segments::{Known, Segments};

/// Segments kept. Further ones are judged, but are nobody's neighbors.
const MAX_SEGMENTS: usize = 1 << 16;

/// A block out of which a pool hands out parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolSegment {
    /// The number of the text that names the pool; 0 for none.
    pub name: u64,
    /// Whether the program itself reported the pool, by `aclsan.h`, and not a framework, by mstx.
    pub is_own: bool,
    /// The parts that are live, by address.
    pub live: Vec<Segment>,
}

/// Who reported a segment: the number of a pool or a heap, or the handle of a data buffer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Pool(u64),
    Heap(u64),
    Buffer(u64),
}

/// Of regions whose heap cannot be trusted.
const UNKNOWN_HEAP: Owner = Owner::Heap(0);

#[derive(Clone, Copy, Default)]
struct Pool {
    /// First address and the one after the last, if reported.
    range: Option<(u64, u64)>,
    /// The pool's promise: alignment, rounding.
    promise: (u64, u64),
    /// The number of the text that names it.
    name: u64,
    /// Whether every part that it has handed out was seen and kept.
    is_complete: bool,
}

/// The known pools and segments.
#[derive(Default)]
pub struct SubBlocks {
    pools: FastMap<Owner, Pool>,
    segments: Segments,
    /// Starts of the segments of data buffers and of mstx handles.
    starts: FastMap<u64, u64>,
    /// Which blocks are a pool's.
    blocks: PoolBlocks,
    /// What pools of the program have taken back.
    given_back: GivenBack,
    /// Whether the program itself has reported a part.
    has_parts: bool,
}

impl SubBlocks {
    /// Forgets the segments, not the pools.
    pub fn forget_segments(&mut self) {
        self.segments.clear();
        self.starts.clear();
        self.given_back = GivenBack::default();
        let pools = self.pools.values_mut();
        pools.for_each(|pool| pool.is_complete = false);
    }
}

impl Tracker for SubBlocks {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        if status == 0 {
            self.annotated(call, values, &view, found);
        }
    }

    fn releasing(&mut self, _: &Call, block: &Block, _: &dyn HeapView, _: &mut Vec<Finding>) {
        if block.family() == Family::DataBuffer {
            self.forget_buffer(block.address);
        }
    }
}

impl SubBlocks {
    /// A call has succeeded.
    #[inline(always)]
    pub(super) fn annotated<V: HeapView>(
        &mut self,
        call: &Call,
        values: &Values,
        view: &V,
        found: &mut Vec<Finding>,
    ) {
        match call.function.effect() {
            Effect::RegisterRegions => self.began(call, values, view, found),
            Effect::UnregisterRegions => self.ended(values),
            _ => self.called_other(call, values, view, found),
        }
    }

    /// A pool hands out a part. `name` is the number of its name, if the call has it.
    fn reported(
        &mut self,
        call: &Call,
        owner: Owner,
        name: Option<u64>,
        range: (u64, u64),
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let pool = self.pool(owner);
        let place = view.place_in(self.blocks.last_start(), range.0);
        self.claim(owner, (name.unwrap_or(pool.name), pool.range), &place, view);
        if let Some(finding) = self.on_reported(call, (owner, &pool), range, &place, view) {
            rarely(|| found.push(finding));
        }
    }

    #[inline(never)]
    fn called_other(
        &mut self,
        call: &Call,
        values: &Values,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let at = |index| values.get(index);
        match call.function.effect() {
            Effect::CreatePool => self.open(Owner::Pool(at(0)), at(1), (at(2), at(3)), view),
            Effect::PromisePool => {
                let pool = self.pools.entry(Owner::Pool(at(0))).or_default();
                pool.promise = (at(1), at(2));
            }
            Effect::AllocateInPool => {
                self.reported(call, Owner::Pool(at(0)), None, (at(1), at(2)), view, found);
            }
            Effect::FreeInPool => {
                found.extend(self.take_back(call, Owner::Pool(at(0)), at(1), view));
            }
            Effect::DestroyPool => self.close(Owner::Pool(at(0))),
            Effect::RegisterHeap => self.open(Owner::Heap(at(1)), at(0), (at(2), at(3)), view),
            Effect::UnregisterHeap => self.close(Owner::Heap(at(1))),
            Effect::DescribeBuffer => {
                self.forget_buffer(at(0));
                if self.starts.len() < MAX_SEGMENTS {
                    self.starts.insert(at(0), at(1));
                }
                let range = (at(1), at(2));
                let place = view.place(range.0);
                let owner = Owner::Buffer(at(0));
                let pool = self.pool(owner);
                found.extend(self.on_reported(call, (owner, &pool), range, &place, view));
            }
            _ => {}
        }
    }

    /// What a pool makes of the block; `None` if none that still exists has anything to do with it.
    pub fn pool_segment(&self, block: &Block) -> Option<PoolSegment> {
        let (owner, name) = self.blocks.owner(block.id)?;
        let end = block.address.saturating_add(block.size);
        let inside = self.segments.within(block.address, end);
        let live = inside
            .filter(|known| known.block == block.id && !known.is_buffer())
            .map(|known| known.segment);
        Some(PoolSegment {
            name,
            is_own: matches!(owner, Owner::Pool(_)),
            live: live.collect(),
        })
    }

    /// A pool that is not known promises nothing, and its memory may be anywhere.
    fn pool(&self, owner: Owner) -> Pool {
        if owner == UNKNOWN_HEAP {
            return Pool::default();
        }
        self.pools.get(&owner).copied().unwrap_or_default()
    }

    fn open(&mut self, owner: Owner, name: u64, (address, size): (u64, u64), view: &dyn HeapView) {
        self.close(owner);
        if self.pools.len() < MAX_SEGMENTS {
            let is_range = address > 0 && size > 0;
            let range = is_range.then(|| (address, address.saturating_add(size)));
            let pool = Pool {
                range,
                promise: (0, 0),
                name,
                is_complete: true,
            };
            self.pools.insert(owner, pool);
            if is_range {
                self.claim(owner, (name, range), &view.place(address), view);
            }
        }
    }

    /// The block at `place` is the pool's, unless the pool has a range that is only a smaller part of the block.
    fn claim(
        &mut self,
        owner: Owner,
        (name, range): (u64, Option<(u64, u64)>),
        place: &AddressInfo,
        view: &dyn HeapView,
    ) {
        let AddressInfo::Live(block, _) = place else {
            return;
        };
        if !self.blocks.is_last(block)
            && is_addressable_memory(block)
            && range.is_none_or(|range| most_of(block, range))
        {
            self.blocks.add(block, (owner, name), view);
        }
    }

    fn close(&mut self, owner: Owner) {
        if self.pools.remove(&owner).is_some() {
            self.segments.retain(|known| known.owner != owner);
            self.given_back.forget_pool(owner);
            self.blocks.forget_pool(owner);
        }
    }

    fn remove(&mut self, address: u64) {
        self.segments.remove_if(address, |known| !known.is_buffer());
    }

    fn forget_buffer(&mut self, handle: u64) {
        if let Some(start) = self.starts.remove(&handle) {
            let is_meant = |known: &Known| known.owner == Owner::Buffer(handle);
            self.segments.remove_if(start, is_meant);
        }
    }

    /// A segment is reported.
    fn on_reported(
        &mut self,
        call: &Call,
        (owner, pool): (Owner, &Pool),
        (address, size): (u64, u64),
        place: &AddressInfo,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        if address == 0 || size == 0 {
            return None;
        }
        let segment = Segment {
            address,
            size,
            site: call.site,
        };
        // A buffer in a segment that its pool reported is a part of that segment.
        let is_buffer = matches!(owner, Owner::Buffer(_));
        if is_buffer && self.is_reported(address) {
            return None;
        }
        match place {
            AddressInfo::Live(block, offset) if is_addressable_memory(block) => {
                self.keep(segment, owner, block.id);
                let placement = PlacementRules::of(block, 0, &view.profile());
                let placement =
                    placement.map(|placement| placement.promised(pool.promise.0, pool.promise.1));
                let around = || self.around(block, address);
                // A data buffer over a whole block is no segment.
                let is_segment = *offset > 0 || !is_buffer;
                is_segment
                    .then(|| {
                        let placement = placement.as_ref();
                        suballoc_out_of_block::check(call, &segment, block, around, placement)
                    })
                    .flatten()
                    .or_else(|| {
                        // Operators accept slices of plain memory at any alignment; what models accept is seen when
                        // they run.
                        let placement = placement.filter(|placement| {
                            !is_buffer
                                || placement.alignment >= block.function.vendor().media_alignment
                        })?;
                        suballoc_misaligned::check(call, &segment, block, around, &placement)
                    })
                    .or_else(|| {
                        let around = || Some(self.around(block, address));
                        suballoc_out_of_block::check_pool(call, &segment, pool.range?, around)
                    })
            }
            _ => {
                self.overlooked(owner);
                suballoc_out_of_block::check_pool(call, &segment, pool.range?, || None)
            }
        }
    }

    /// A part of the pool is not kept.
    fn overlooked(&mut self, owner: Owner) {
        if let Some(pool) = self.pools.get_mut(&owner) {
            pool.is_complete = false;
        }
    }

    fn keep(&mut self, segment: Segment, owner: Owner, block: BlockId) {
        if matches!(owner, Owner::Pool(_)) {
            self.has_parts = true;
            self.given_back.hand_out(segment.address, segment.end());
        }
        let other = self.segments.get(segment.address).map(|known| known.owner);
        if let Some(other) = other.filter(|other| *other != owner) {
            self.overlooked(other); // A pool in a part of another: the outer part is not kept.
        }
        if self.segments.len() >= MAX_SEGMENTS && !self.segments.contains(segment.address) {
            self.overlooked(owner);
        } else {
            self.segments.insert(Known {
                segment,
                owner,
                block,
            });
        }
    }

    /// Whether a pool or a heap reported a segment that contains this byte.
    fn is_reported(&self, address: u64) -> bool {
        if self.segments.are_buffers() {
            return false;
        }
        let before = self.segments.last_until(address);
        before.is_some_and(|known| !known.is_buffer() && address < known.segment.end())
    }

    /// The neighbors of a segment that starts at `address`. Whether it is in the table itself makes no difference.
    #[cold]
    fn around<'a>(&self, block: &'a Block, address: u64) -> Neighbors<'a> {
        let is_in = |known: &&Known| known.block == block.id;
        let end = block.address.saturating_add(block.size);
        let before = self.segments.within(block.address, address).next_back();
        let next = address.saturating_add(1);
        let behind = self.segments.within(next, end).next();
        let segment = |known: Option<&Known>| known.filter(is_in).map(|known| known.segment);
        Neighbors {
            block,
            before: segment(before),
            behind: segment(behind),
            room: None,
        }
    }
}

/// Whether the block is memory with an address.
fn is_addressable_memory(block: &Block) -> bool {
    block.family().is_memory() && !block.family().is_handle()
}

mod parts;
mod pool_blocks;
mod regions;
mod segments;
#[cfg(test)]
mod tests;
