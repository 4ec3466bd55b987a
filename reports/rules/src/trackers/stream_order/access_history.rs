//! Shadow state: accesses to blocks that are queued and not known to have completed.

use aclsan_log::BlockId;

use super::access::{Access, Accesses, Kind, Range, worst_race};
use super::epoch::{Epoch, HOST};
use super::slot_map::SlotMap;
use super::timelines::HappensBefore;

/// Accesses kept per block; the oldest are dropped first.
const MAX_ACCESSES: usize = 64;

/// Shadow state of one block.
#[derive(Default)]
struct BlockState {
    block: BlockId,
    queued: Accesses,
    /// Whether anything is known to have written the block.
    is_written: bool,
}

/// Shadow state of all blocks.
#[derive(Default)]
pub(super) struct ShadowState {
    blocks: SlotMap<BlockId, BlockState>,
    /// Slots of blocks by their position in the caller's table: see [`ShadowState::repeat_at`].
    slot_hints: Vec<u32>,
    /// Number of accesses at which completed ones are pruned.
    limit: usize,
    count: usize,
}

/// What becomes of an access after the check.
#[derive(Clone, Copy)]
pub(super) struct AccessEffect {
    /// Whether it is known to write.
    pub writes: bool,
    /// Whether it is queued and added to the state.
    pub stays: bool,
}

impl BlockState {
    /// See [`ShadowState::repeat`].
    #[inline(always)]
    fn repeat(&mut self, timeline: usize, range: Range, kind: Kind) -> Option<&mut Access> {
        let [only] = &mut self.queued[..] else {
            return None;
        };
        let is_same = only.epoch.timeline == timeline && only.kind == kind;
        let is_all = range.address <= only.from && only.to <= range.end();
        if !is_same || !is_all || only.is_whole != range.is_whole {
            return None;
        }
        self.is_written |= kind == Kind::Write;
        Some(only)
    }

    /// See [`ShadowState::conflict`].
    #[inline]
    fn conflict(
        &self,
        next: &Access,
        timeline: usize,
        timelines: &HappensBefore,
    ) -> Option<Access> {
        let known = self.queued.iter().rev();
        let known = known.filter(|old| !timelines.is_before(old.epoch, timeline));
        worst_race(known.filter(|old| old.kind.conflicts(next.kind) && old.overlaps(next))).copied()
    }

    /// Adds an access and returns by how many the count changed.
    #[inline]
    fn add(&mut self, access: Access, timelines: &HappensBefore) -> isize {
        match &mut self.queued[..] {
            [] => {
                self.queued.push(access);
                1
            }
            [only] if access.covers(only) => {
                *only = access;
                0
            }
            _ => self.add_to_many(access, timelines),
        }
    }

    #[inline(never)]
    fn add_to_many(&mut self, access: Access, timelines: &HappensBefore) -> isize {
        let known = &mut self.queued;
        let before = known.len() as isize;
        known.retain(|old| !access.covers(old) && !timelines.is_before(old.epoch, HOST));
        if known.len() == MAX_ACCESSES {
            known.remove(0);
        }
        known.push(access);
        known.len() as isize - before
    }
}

impl ShadowState {
    /// The access to `block` that races with `next`, an access of `timeline`. Of several, the [`worst_race`], later
    /// ones before earlier ones.
    pub fn conflict(
        &mut self,
        block: BlockId,
        next: &Access,
        timeline: usize,
        timelines: &HappensBefore,
    ) -> Option<Access> {
        self.blocks.get(block)?.conflict(next, timeline, timelines)
    }

    /// The only access queued on `block`, if one of that kind, timeline and range is ordered after it and covers it:
    /// the common case of [`ShadowState::check_and_add`], a stream that keeps using its own block. The caller replaces
    /// that access.
    #[inline(always)]
    pub fn repeat(
        &mut self,
        block: BlockId,
        timeline: usize,
        range: Range,
        kind: Kind,
    ) -> Option<&mut Access> {
        self.blocks.get(block)?.repeat(timeline, range, kind)
    }

    /// [`ShadowState::repeat`] for a block at position `place` of the caller's own table, which mostly saves the
    /// lookup.
    #[inline(always)]
    pub fn repeat_at(
        &mut self,
        place: u32,
        block: BlockId,
        timeline: usize,
        range: Range,
        kind: Kind,
    ) -> Option<&mut Access> {
        let slot = match self.slot_hints.get(place as usize) {
            Some(&slot) if self.blocks.get_slot(slot)?.block == block => slot,
            _ => self.look_up(place, block)?,
        };
        self.blocks.get_slot(slot)?.repeat(timeline, range, kind)
    }

    /// Looks up the block's slot and remembers it. `None` if the block has none.
    #[inline(never)]
    fn look_up(&mut self, place: u32, block: BlockId) -> Option<u32> {
        let (slot, place) = (self.blocks.slot_of(block)?, place as usize);
        if self.slot_hints.len() <= place {
            self.slot_hints.resize(place + 1, 0);
        }
        self.slot_hints[place] = slot;
        Some(slot)
    }

    /// The block's state, empty for a new block.
    #[inline]
    fn known(&mut self, block: BlockId) -> &mut BlockState {
        let known = self.blocks.entry(block);
        known.block = block;
        known
    }

    /// [`ShadowState::conflict`], after which `next` is added.
    pub fn check_and_add(
        &mut self,
        block: BlockId,
        next: &Access,
        timeline: usize,
        fate: AccessEffect,
        timelines: &HappensBefore,
    ) -> Option<Access> {
        let known = match fate.writes || fate.stays {
            true => self.known(block),
            false => self.blocks.get(block)?,
        };
        known.is_written |= fate.writes;
        let old = known.conflict(next, timeline, timelines);
        if fate.stays {
            let more = known.add(*next, timelines);
            self.grow(more, timelines);
        }
        old
    }

    /// The accesses to a block.
    pub fn queued(&mut self, block: BlockId) -> &[Access] {
        self.blocks.get(block).map_or(&[], |known| &known.queued)
    }

    /// All accesses.
    pub fn all(&self) -> impl Iterator<Item = &Access> {
        self.blocks.all().flat_map(|known| &known.queued)
    }

    /// The access at `epoch` is certain now.
    pub fn confirm(&mut self, block: BlockId, epoch: Epoch) {
        let known = self.blocks.get(block);
        let known = known.into_iter().flat_map(|known| known.queued.iter_mut());
        for access in known.filter(|access| access.epoch == epoch) {
            access.tensor = 0;
        }
    }

    /// The block is known to be written.
    pub fn wrote(&mut self, block: BlockId) {
        self.known(block).is_written = true;
    }

    /// Whether the block is known to be written.
    pub fn is_written(&mut self, block: BlockId) -> bool {
        self.blocks.get(block).is_some_and(|known| known.is_written)
    }

    /// Adds an access, replacing one that it covers on the same timeline.
    pub fn add(&mut self, block: BlockId, access: Access, timelines: &HappensBefore) {
        let more = self.known(block).add(access, timelines);
        self.grow(more, timelines);
    }

    #[inline]
    fn grow(&mut self, more: isize, timelines: &HappensBefore) {
        self.count = self.count.saturating_add_signed(more);
        if self.count > self.limit.max(1 << 12) {
            self.prune_done(timelines);
            self.limit = 2 * self.count;
        }
    }

    /// Number of accesses.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.blocks.all().map(|known| known.queued.len()).sum()
    }

    /// Capacity in blocks.
    #[cfg(test)]
    pub fn slots(&self) -> usize {
        self.blocks.count()
    }

    /// Whether no block has pending accesses and none is known to be written.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Drops accesses that the host knows to have completed.
    #[inline(never)]
    pub fn prune_done(&mut self, timelines: &HappensBefore) {
        let mut count = 0;
        self.blocks.retain(|known| {
            let queued = &mut known.queued;
            queued.retain(|old| !timelines.is_before(old.epoch, HOST));
            count += queued.len();
            !queued.is_empty() || known.is_written
        });
        self.count = count;
    }

    /// Drops the accesses at `epoch`: the runtime refused them.
    pub fn undo(&mut self, block: BlockId, epoch: Epoch) {
        self.forget(block, |old| old.epoch == epoch);
    }

    /// Drops some accesses to a block.
    pub fn forget(&mut self, block: BlockId, is_over: impl Fn(&Access) -> bool) {
        if let Some(known) = self.blocks.get(block) {
            known.queued.retain(|old| !is_over(old));
        }
    }

    /// Takes the accesses to a block that ends.
    pub fn take(&mut self, block: BlockId) -> Accesses {
        let known = self.blocks.remove(block).unwrap_or_default().queued;
        self.count = self.count.saturating_sub(known.len());
        known
    }
}
