//! What was queued on blocks and is not known to be done.

use aclsan_log::BlockId;

use super::epoch::{Epoch, HOST};
use super::few::Few;
use super::slot_map::SlotMap;
use super::timelines::HappensBefore;
use crate::api::functions::Call;
use crate::evidence::race::{RaceAccess, TimelineKind};

/// One end of a copy: how many bytes, whether all of them are touched.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub address: u64,
    pub extent: u64,
    pub is_whole: bool,
}

impl Range {
    /// Byte behind the last.
    #[inline(always)]
    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.extent)
    }
}

/// What an operation does to its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Touches it; there is no telling how.
    Touch,
    /// Is an operator's, which reads and writes it as its workspace.
    Workspace,
    /// Allocates it in stream order.
    Allocation,
}

impl Kind {
    /// Whether two such operations must be ordered.
    #[inline]
    pub fn conflicts(self, other: Self) -> bool {
        let writes = |kind| matches!(kind, Self::Write | Self::Workspace | Self::Allocation);
        writes(self) || writes(other)
    }
}

/// One operation that is queued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// First byte.
    pub from: u64,
    /// Byte behind the last.
    pub to: u64,
    /// Whether it touches all bytes in between.
    pub is_whole: bool,
    pub kind: Kind,
    pub epoch: Epoch,
    pub side: RaceAccess,
    /// The tensor through which it may be, if that is not certain yet; else 0.
    pub tensor: u64,
}

impl Access {
    /// What `call` does to a range, on the timeline of that name.
    #[inline(always)]
    pub fn new(
        call: &Call,
        epoch: Epoch,
        timeline_kind: TimelineKind,
        range: Range,
        kind: Kind,
    ) -> Self {
        Self {
            from: range.address,
            to: range.end(),
            is_whole: range.is_whole,
            kind,
            epoch,
            side: RaceAccess {
                call: *call,
                timeline_kind,
            },
            tensor: 0,
        }
    }

    /// Is followed by one of that kind on its timeline, which says all of it.
    #[inline(always)]
    pub fn replace_with(
        &mut self,
        call: &Call,
        time: u64,
        timeline_kind: TimelineKind,
        range: Range,
    ) {
        self.from = range.address;
        self.to = range.end();
        self.epoch.time = time;
        self.side = RaceAccess {
            call: *call,
            timeline_kind,
        };
        self.tensor = 0;
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        self.is_whole && other.is_whole && self.from < other.to && other.from < self.to
    }

    /// Whether it says all that `old`, an earlier one, does.
    #[inline]
    fn covers(&self, old: &Self) -> bool {
        old.epoch.timeline == self.epoch.timeline
            && old.kind == self.kind
            && old.is_whole == self.is_whole
            && self.tensor == 0
            && self.from <= old.from
            && old.to <= self.to
    }
}

/// Most operations that are kept of a block; the oldest go first.
const MAX_ACCESSES: usize = 64;

/// What is known of a block.
#[derive(Default)]
struct BlockState {
    block: BlockId,
    queued: Few<Access>,
    /// Whether something is known to have written it.
    is_written: bool,
}

/// By block.
#[derive(Default)]
pub(super) struct ShadowState {
    blocks: SlotMap<BlockId, BlockState>,
    /// The slot that a block had whose place is that: see [`ShadowState::repeat_at`].
    slot_hints: Vec<u32>,
    /// How many there may be before those that are done are looked for.
    limit: usize,
    count: usize,
}

/// What becomes of an operation that is judged.
#[derive(Clone, Copy)]
pub(super) struct AccessEffect {
    /// Whether it is known to write.
    pub writes: bool,
    /// Whether it is queued, and kept.
    pub stays: bool,
}

impl BlockState {
    /// See [`ShadowState::again`].
    #[inline(always)]
    fn repeat(&mut self, timeline: usize, range: Range, kind: Kind) -> Option<&mut Access> {
        let only = self.queued.only()?;
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

    /// Adds an operation; how many there are more.
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
            known.drop_first();
        }
        known.push(access);
        known.len() as isize - before
    }
}

impl ShadowState {
    /// The operation on `block` that conflicts with `next`, an operation of `timeline`, and is not before it; of several the [`worst_race`], the later
    /// before the earlier.
    pub fn conflict(
        &mut self,
        block: BlockId,
        next: &Access,
        timeline: usize,
        timelines: &HappensBefore,
    ) -> Option<Access> {
        self.blocks.get(block)?.conflict(next, timeline, timelines)
    }

    /// The one operation that is queued on `block`, if one of that kind on that timeline and range is ordered behind it and says all of it: the usual
    /// case of [`ShadowState::meet`], a timeline that goes on with its own block. That one is to be put in its place.
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

    /// The same of a block that has the number `place` in some table of its finder's: then it is mostly known without a look where its slot is.
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

    /// Its slot, which is noted. `None` if it has none.
    #[inline(never)]
    fn look_up(&mut self, place: u32, block: BlockId) -> Option<u32> {
        let (slot, place) = (self.blocks.slot_of(block)?, place as usize);
        if self.slot_hints.len() <= place {
            self.slot_hints.resize(place + 1, 0);
        }
        self.slot_hints[place] = slot;
        Some(slot)
    }

    /// What is known of a block; of a new one nothing.
    #[inline]
    fn known(&mut self, block: BlockId) -> &mut BlockState {
        let known = self.blocks.entry(block);
        known.block = block;
        known
    }

    /// The same as [`ShadowState::conflict`]; `next` is added.
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

    /// The operation at `epoch` is certain.
    pub fn confirm(&mut self, block: BlockId, epoch: Epoch) {
        let known = self.blocks.get(block);
        let known = known.into_iter().flat_map(|known| known.queued.iter_mut());
        for access in known.filter(|access| access.epoch == epoch) {
            access.tensor = 0;
        }
    }

    /// Something is known to have written a block.
    pub fn wrote(&mut self, block: BlockId) {
        self.known(block).is_written = true;
    }

    /// Whether something is.
    pub fn is_written(&mut self, block: BlockId) -> bool {
        self.blocks.get(block).is_some_and(|known| known.is_written)
    }

    /// Adds an operation. One that it covers on the same timeline says nothing more.
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

    /// How many operations are kept.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.blocks.all().map(|known| known.queued.len()).sum()
    }

    /// For how many blocks there is slot.
    #[cfg(test)]
    pub fn slots(&self) -> usize {
        self.blocks.count()
    }

    /// Whether nothing is queued that is not known to be done, and nothing is known to be written.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Forgets what the host knows is done.
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

    /// Forgets the operations at `epoch`: they were refused.
    pub fn undo(&mut self, block: BlockId, epoch: Epoch) {
        self.forget(block, |old| old.epoch == epoch);
    }

    /// Forgets those operations of a block.
    pub fn forget(&mut self, block: BlockId, is_over: impl Fn(&Access) -> bool) {
        if let Some(known) = self.blocks.get(block) {
            known.queued.retain(|old| !is_over(old));
        }
    }

    /// The operations on a block that ends.
    pub fn take(&mut self, block: BlockId) -> Few<Access> {
        let known = self.blocks.remove(block).unwrap_or_default().queued;
        self.count = self.count.saturating_sub(known.len());
        known
    }
}

/// The allocation, before which there is nothing to read or write; else the first that is certain, else the first.
#[inline]
pub(super) fn worst_race<'a>(known: impl Iterator<Item = &'a Access>) -> Option<&'a Access> {
    let (mut first, mut first_certain) = (None, None);
    for access in known {
        if access.kind == Kind::Allocation {
            return Some(access);
        }
        if access.tensor == 0 {
            first_certain = first_certain.or(Some(access));
        }
        first = first.or(Some(access));
    }
    first_certain.or(first)
}
