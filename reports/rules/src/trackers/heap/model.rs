//! The live blocks of one process, rebuilt from its events.

use aclsan_log::{BlockId, SiteId, Values};

use super::address_index::{Gap, Spot, Starts};
use super::device_refcount::References;
use super::freed_queue::{Ended, Entry};
use super::hint::AHEAD;
use super::live_block::Held;
use super::slot::Slot;
use super::slots::Slots;
use crate::api::block::{Block, End, Place};
use crate::api::family::Loss;
use crate::api::functions::{Function, Role};

/// The model. Feed it events in order of time.
#[derive(Default)]
pub struct Heap {
    /// Live blocks, and the ended ones that are still known, with their end. They don't overlap one another.
    pub(super) blocks: Slots,
    /// Where they begin. Programs get the same addresses again and again: as long as a block stays within the room that its slot has, the
    /// order need not be asked.
    pub(super) starts: Starts,
    pub(super) ended: Ended,
    pub(super) references: References,
    pub(super) allocations: u64,
    /// Blocks since somebody looked ahead last that did not begin where they were looked for.
    pub(super) elsewhere: usize,
    /// So often will blocks be looked for by where they begin, whatever ended not long ago: see [`Heap::look_ahead`].
    pub(super) scattered: usize,
    /// Where blocks will likely begin, of those that were looked for where none is filed: the last two times, and which was the last.
    pub(super) spots: [[Spot; AHEAD]; 2],
    pub(super) turn: usize,
}

impl Heap {
    /// Before the first event: so many blocks may be live at once. Memory that they do not need is set aside and never touched.
    pub fn expect(&mut self, blocks: usize) {
        self.blocks.reserve(blocks);
    }

    /// A block was allocated. Gives back the live blocks that it lies on: their releases were not seen.
    pub fn allocate(&mut self, block: Block, since_ns: u64, thread: u32) -> Vec<Held> {
        self.hold(block, since_ns, thread).1
    }

    /// The same. Gives back as what it is held, too.
    #[inline]
    pub fn hold(&mut self, block: Block, since_ns: u64, thread: u32) -> (Held, Vec<Held>) {
        let held = self.next(block, since_ns, thread);
        self.allocations += 1;
        (held, self.insert(held))
    }

    /// As what the next block is held.
    #[inline(always)]
    pub(super) fn next(&self, block: Block, since_ns: u64, thread: u32) -> Held {
        Held {
            block,
            since_ns,
            thread,
            is_named: false,
            order: self.allocations,
        }
    }

    /// Gives back the live blocks that it lies on.
    fn insert(&mut self, held: Held) -> Vec<Held> {
        let key = held.block.key();
        let mut stale = Vec::new();
        let same = self.blocks.begins(key);
        if let Some(at) = same
            && held.end() <= self.blocks.get(at).room()
        {
            self.displace(at, &mut stale);
            self.blocks.replace(at, held);
            return stale;
        }
        if same.is_none() && self.fill(held).is_some() {
            return stale;
        }
        let before = loop {
            match self.last_before(held.end()) {
                Some(at) if self.blocks.get(at).held().end() > key => {
                    self.displace(at, &mut stale);
                    if self.blocks.get(at).key() == key {
                        break self.last_before(key);
                    }
                    self.remove(at);
                }
                before => break before,
            }
        };
        match same {
            Some(at) => {
                let behind = key.checked_add(1).and_then(|at| self.starts.from(at));
                let room = self.take_room(before, behind, &held);
                self.blocks.replace(at, held);
                self.blocks.get_mut(at).set_room(room);
            }
            None => {
                let slot = self.fill(held);
                debug_assert!(slot.is_some(), "whatever was there has gone");
            }
        }
        stale
    }

    /// Puts a live block where none lies, live or ended. Tells its slot; `None` where one does, and nothing was done.
    #[inline(never)]
    pub(super) fn fill(&mut self, held: Held) -> Option<u32> {
        let gap = self.starts.gap(held.block.key());
        self.fill_gap(held, &gap)
    }

    /// The same of a block whose place is known.
    #[inline(always)]
    pub(super) fn fill_gap(&mut self, held: Held, gap: &Gap) -> Option<u32> {
        let (key, end) = (held.block.key(), held.end());
        let reaches = |at| self.blocks.get(at).held().end() > key;
        if gap.behind.is_some_and(|start| start < end) || gap.before.is_some_and(reaches) {
            return None;
        }
        let room = self.take_room(gap.before, gap.behind, &held);
        let slot = self.blocks.insert(held, room);
        self.starts.fill(gap, key, slot);
        Some(slot)
    }

    /// The block that begins before `end`, and none behind it does.
    fn last_before(&self, end: u64) -> Option<u32> {
        self.starts.before(end).map(|(_, slot)| slot)
    }

    /// Up to where no other block begins, or less, for a block between those two: the room of the one before ends there.
    fn take_room(&mut self, before: Option<u32>, behind: Option<u64>, held: &Held) -> u64 {
        let before = before.map(|at| self.blocks.get_mut(at));
        let taken = before.map_or(0, |before| {
            let room = before.room();
            before.set_room(room.min(held.block.key()));
            room
        });
        match taken >= held.end() {
            true => taken,
            false => behind.unwrap_or(u64::MAX),
        }
    }

    /// Another block takes the memory of this one.
    #[inline]
    fn displace(&mut self, at: u32, stale: &mut Vec<Held>) {
        let slot = self.blocks.get(at);
        match slot.is_live() {
            true => stale.push(slot.held()),
            false => self.ended.gone(Entry::of(at, slot.order())),
        }
    }

    fn remove(&mut self, at: u32) {
        self.starts.remove(self.blocks.get(at).key());
        self.blocks.remove(at);
    }

    /// How many blocks were allocated so far.
    pub fn allocations(&self) -> u64 {
        self.allocations
    }

    /// The live block of that number.
    pub fn get(&self, id: BlockId) -> Option<Held> {
        let slot = self.blocks.get(self.blocks.find(id)?);
        slot.is_live().then(|| slot.held())
    }

    /// A call named a live block; whether none had before.
    pub fn name(&mut self, id: BlockId) -> bool {
        let Some(at) = self.blocks.find(id) else {
            return false;
        };
        let slot = self.blocks.get_mut(at);
        slot.is_live() && slot.name()
    }

    /// What lies at the start of the block of that number, live or ended. [`Place::Unknown`] for a number that is not known any more.
    pub fn place_of(&self, id: BlockId) -> Place {
        let slot = self.blocks.find(id).map(|at| self.blocks.get(at));
        slot.map_or(Place::Unknown, |slot| place_in(slot, 0))
    }

    /// A release at `site` ended the block. `None` when it is not live.
    pub fn release(&mut self, id: BlockId, site: SiteId) -> Option<Held> {
        self.end(id, End::Released(site))
    }

    /// A call at `site` handed the block to a framework, which owns it now. `None` when it is not live.
    pub fn send(&mut self, id: BlockId, site: SiteId) -> Option<Held> {
        self.end(id, End::Sent(site))
    }

    /// Nobody can tell any more whether the block is there: nothing is known of its memory. `None` when it is not live.
    pub fn forget(&mut self, id: BlockId) -> Option<Held> {
        let at = self.blocks.find(id)?;
        let held = self.get(id)?;
        self.remove(at);
        Some(held)
    }

    /// The release that ended the block was refused: it lives on. `None` when it is not known any more.
    pub fn restore(&mut self, id: BlockId) -> Option<Held> {
        let at = self.blocks.find(id)?;
        let slot = self.blocks.get_mut(at);
        if !slot.has_ended() {
            return None;
        }
        slot.end(None);
        self.ended.gone(Entry::of(at, slot.order()));
        Some(slot.held())
    }

    /// A call succeeded at `site` that may open a device or let it go. Gives back the blocks that it dropped; `None` if nothing of a device
    /// came to its end. Page-locked host memory survives (the driver's device heaps go, runtime 681ef761 and driver ef377e95).
    pub fn called(
        &mut self,
        function: &Function,
        values: &Values,
        site: SiteId,
    ) -> Option<Vec<Held>> {
        let (first, device) = (values.get(0), values.get(0) as u32 as i32);
        match function.role {
            Role::SetDevice => self.references.set(device),
            Role::ResetDevice | Role::ResetDeviceForce => {
                let is_forced = function.role == Role::ResetDeviceForce;
                let is_last = self.references.reset(device, is_forced);
                return is_last.then(|| self.drop_device(device, site));
            }
            _ if function.name == "aclrtCreateContext" => {
                self.references.open(values.get(1), device);
            }
            _ if function.name == "aclrtDestroyContext" => self.references.close(first),
            _ => {}
        }
        None
    }

    /// Whether a thing whose release was refused may be gone all the same: no memory, whose end with the device is known, but what nobody
    /// says it of.
    pub fn may_be_gone(&self, block: &Block) -> bool {
        block.family().loss() != Loss::Memory && self.references.was_reset(block.device)
    }

    /// What lies at `address`, or at the key of a handle.
    pub fn place(&self, address: u64) -> Place {
        let begins = self.blocks.begins(address);
        let at = begins.or_else(|| self.last_before(address));
        let slot = at.map(|at| self.blocks.get(at));
        match slot {
            Some(slot) if address - slot.key() < slot.held().covered() => {
                place_in(slot, address - slot.key())
            }
            _ => Place::Unknown,
        }
    }

    /// The live blocks, in no order.
    pub fn live(&self) -> impl Iterator<Item = Held> {
        self.blocks.live()
    }

    /// The live blocks, in the order of their addresses.
    pub fn live_in_order(&self) -> impl Iterator<Item = Held> {
        let slots = self.starts.slots().map(|at| self.blocks.get(at));
        slots.filter(|slot| slot.is_live()).map(Slot::held)
    }

    fn end(&mut self, id: BlockId, how: End) -> Option<Held> {
        let at = self.blocks.find(id)?;
        let is_live = self.blocks.get(at).is_live();
        is_live.then(|| self.end_at(at, how))
    }

    #[inline]
    fn end_at(&mut self, at: u32, how: End) -> Held {
        let held = self.blocks.get(at).held();
        self.blocks.end(at, how);
        self.ended.push(Entry::of(at, held.order));
        if self.ended.is_full() {
            self.forget_oldest();
        }
        held
    }

    #[inline(never)]
    pub(super) fn forget_oldest(&mut self) {
        if let Some(Entry { at, .. }) = self.ended.overdue() {
            self.remove(at);
        }
    }

    fn drop_device(&mut self, device: i32, site: SiteId) -> Vec<Held> {
        let is_dropped =
            |held: &Held| held.block.device == device && held.block.family().is_dropped_by_reset();
        let mut dropped: Vec<Held> = self.live().filter(is_dropped).collect();
        dropped.sort_unstable_by_key(|held| held.order);
        for held in &dropped {
            self.end(held.block.id, End::Reset(site));
        }
        dropped
    }
}

fn place_in(slot: &Slot, offset: u64) -> Place {
    match slot.ended() {
        Some(end) => Place::Ended(slot.block(), offset, end),
        None => Place::Live(slot.block(), offset),
    }
}
