//! The heap model.

use aclsan_log::{BlockId, CallSiteId, Values};

use super::address_index::{AddressIndex, Cursor, InsertPoint};
use super::device_refcount::DeviceRefcount;
use super::freed_queue::{Entry, FreedQueue};
use super::hint::LOOKAHEAD;
use super::live_block::LiveBlock;
use super::slot::Slot;
use super::slots::Slots;
use crate::api::block::{AddressInfo, Block, End};
use crate::api::family::Loss;
use crate::api::function::SyncRole;
use crate::api::functions::{Function, Role};
use crate::evidence::estimate::BlockSample;

/// The heap model. Feed it events in order of time.
#[derive(Default)]
pub struct Heap {
    /// Live blocks, and freed ones that are still known. They do not overlap.
    pub(super) blocks: Slots,
    /// Where blocks begin. Programs get the same addresses again and again: as long as a block stays within the room of
    /// its slot, the index is not consulted.
    pub(super) starts: AddressIndex,
    pub(super) freed: FreedQueue,
    pub(super) references: DeviceRefcount,
    pub(super) allocations: u64,
    /// Blocks since the last lookahead that did not begin where they were looked up.
    pub(super) misses: usize,
    /// Rounds of lookahead left that search the address index, whatever was freed recently: see [`Heap::look_ahead`].
    pub(super) index_lookups: usize,
    /// Where blocks will probably begin that were looked up where no block is known: the last two rounds, and which of
    /// them was the last.
    pub(super) cursors: [[Cursor; LOOKAHEAD]; 2],
    pub(super) turn: usize,
    /// The sample, if not all blocks are in the log.
    pub(super) sample: Option<BlockSample>,
}

impl Heap {
    /// The model of a process that was not watched from its start: a reset is never known to drop blocks.
    pub fn partial() -> Self {
        Self {
            references: DeviceRefcount::partial(),
            ..Self::default()
        }
    }

    /// Reserves room for this many live blocks, before the first event. Memory that turns out unneeded is never
    /// touched.
    pub fn expect(&mut self, blocks: usize) {
        self.blocks.reserve(blocks);
    }

    /// A block was allocated. Returns the live blocks that it overlaps: their releases were not seen.
    pub fn allocate(&mut self, block: Block, since_ns: u64, thread: u32) -> Vec<LiveBlock> {
        self.insert(block, since_ns, thread).1
    }

    /// [`Heap::allocate`], which also returns the new block with its history.
    #[inline]
    pub fn insert(
        &mut self,
        block: Block,
        since_ns: u64,
        thread: u32,
    ) -> (LiveBlock, Vec<LiveBlock>) {
        let live = self.next(block, since_ns, thread);
        self.allocations += 1;
        (self.weighed(live), self.insert_live(live))
    }

    /// The next block with its history.
    #[inline(always)]
    pub(super) fn next(&self, block: Block, since_ns: u64, thread: u32) -> LiveBlock {
        LiveBlock {
            block,
            since_ns,
            thread,
            is_named: false,
            order: self.allocations,
            bytes: block.size,
        }
    }

    /// Inserts a block. Returns the live blocks that it overlaps.
    fn insert_live(&mut self, live: LiveBlock) -> Vec<LiveBlock> {
        let key = live.block.key();
        let mut stale = Vec::new();
        let same = self.blocks.begins(key);
        if let Some(at) = same
            && live.end() <= self.blocks.get(at).room()
        {
            self.displace(at, &mut stale);
            self.blocks.replace(at, live);
            return stale;
        }
        if same.is_none() && self.insert_new(live).is_some() {
            return stale;
        }
        let before = loop {
            match self.last_before(live.end()) {
                Some(at) if self.blocks.get(at).live().end() > key => {
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
                let next = key.checked_add(1).and_then(|at| self.starts.first_from(at));
                let room = self.claim_room(before, next, &live);
                self.blocks.replace(at, live);
                self.blocks.get_mut(at).set_room(room);
            }
            None => {
                let slot = self.insert_new(live);
                debug_assert!(slot.is_some(), "whatever was there has gone");
            }
        }
        stale
    }

    /// Inserts a block where there is none, live or freed. Returns its slot, or `None` if there is one and nothing was
    /// done.
    #[inline(never)]
    pub(super) fn insert_new(&mut self, live: LiveBlock) -> Option<u32> {
        let insert_point = self.starts.insert_point(live.block.key());
        self.insert_at(live, &insert_point)
    }

    /// [`Heap::insert_new`] for a block whose insert point is known.
    #[inline(always)]
    pub(super) fn insert_at(&mut self, live: LiveBlock, insert_point: &InsertPoint) -> Option<u32> {
        let (key, end) = (live.block.key(), live.end());
        let reaches = |at| self.blocks.get(at).live().end() > key;
        if insert_point.next.is_some_and(|start| start < end)
            || insert_point.before.is_some_and(reaches)
        {
            return None;
        }
        let room = self.claim_room(insert_point.before, insert_point.next, &live);
        let slot = self.blocks.insert(live, room);
        self.starts.insert(insert_point, key, slot);
        Some(slot)
    }

    /// The last block that begins before `end`.
    fn last_before(&self, end: u64) -> Option<u32> {
        self.starts.last_before(end).map(|(_, slot)| slot)
    }

    /// The room of a block between those two: up to where the next one begins, or less. Cuts the room of the block
    /// before.
    fn claim_room(&mut self, before: Option<u32>, next: Option<u64>, live: &LiveBlock) -> u64 {
        let before = before.map(|at| self.blocks.get_mut(at));
        let taken = before.map_or(0, |before| {
            let room = before.room();
            before.set_room(room.min(live.block.key()));
            room
        });
        match taken >= live.end() {
            true => taken,
            false => next.unwrap_or(u64::MAX),
        }
    }

    /// Another block takes the memory of this one.
    #[inline]
    fn displace(&mut self, at: u32, stale: &mut Vec<LiveBlock>) {
        let slot = self.blocks.get(at);
        match slot.is_live() {
            true => stale.push(self.weighed(slot.live())),
            false => self.freed.remove(Entry::of(at, slot.order())),
        }
    }

    fn remove(&mut self, at: u32) {
        self.starts.remove(self.blocks.get(at).key());
        self.blocks.remove(at);
    }

    /// Blocks allocated so far.
    pub fn allocations(&self) -> u64 {
        self.allocations
    }

    /// The live block with that id.
    pub fn get(&self, id: BlockId) -> Option<LiveBlock> {
        let slot = self.blocks.get(self.blocks.find(id)?);
        slot.is_live().then(|| self.weighed(slot.live()))
    }

    /// A call named a live block. Returns whether it was the first.
    pub fn name(&mut self, id: BlockId) -> bool {
        let Some(at) = self.blocks.find(id) else {
            return false;
        };
        let slot = self.blocks.get_mut(at);
        slot.is_live() && slot.name()
    }

    /// The start of the block with that id, live or freed. [`AddressInfo::Unknown`] if the id is not known any more.
    pub fn place_of(&self, id: BlockId) -> AddressInfo {
        let slot = self.blocks.find(id).map(|at| self.blocks.get(at));
        slot.map_or(AddressInfo::Unknown, |slot| place_in(slot, 0))
    }

    /// A release at `site` ended the block. `None` if it is not live.
    pub fn release(&mut self, id: BlockId, site: CallSiteId) -> Option<LiveBlock> {
        self.end(id, End::Released(site))
    }

    /// A call at `site` passed the block to a framework, which owns it now. `None` if it is not live.
    pub fn send(&mut self, id: BlockId, site: CallSiteId) -> Option<LiveBlock> {
        self.end(id, End::Sent(site))
    }

    /// Forgets a live block, because it is unknown whether it still exists. `None` if it is not live.
    pub fn forget(&mut self, id: BlockId) -> Option<LiveBlock> {
        let at = self.blocks.find(id)?;
        let live = self.get(id)?;
        self.remove(at);
        Some(live)
    }

    /// Forgets a freed block: its memory may belong to a block that is not seen.
    pub fn forget_ended(&mut self, id: BlockId) {
        let at = self.blocks.find(id);
        if let Some(at) = at.filter(|&at| self.blocks.get(at).has_ended()) {
            self.freed
                .remove(Entry::of(at, self.blocks.get(at).order()));
            self.remove(at);
        }
    }

    /// As [`Heap::forget_ended`], for every freed block.
    pub fn forget_all_ended(&mut self) {
        let ended: Vec<_> = self.blocks.ended().collect();
        ended.into_iter().for_each(|id| self.forget_ended(id));
    }

    /// The release that ended the block failed: it is live again. `None` if it is not known any more.
    pub fn restore(&mut self, id: BlockId) -> Option<LiveBlock> {
        let at = self.blocks.find(id)?;
        let slot = self.blocks.get_mut(at);
        if !slot.has_ended() {
            return None;
        }
        slot.end(None);
        let live = slot.live();
        self.freed.remove(Entry::of(at, live.order));
        Some(self.weighed(live))
    }

    /// A call succeeded at `site` that may open or close a device. Returns the blocks that it dropped, or `None` if it
    /// closed nothing. Page-locked host memory survives (the driver's device heaps are dropped, runtime 681ef761 and
    /// driver ef377e95). `now_ns` is the time of the call, in nanoseconds since the log began.
    pub fn called(
        &mut self,
        function: &Function,
        values: &Values,
        site: CallSiteId,
        now_ns: u64,
    ) -> Option<Vec<LiveBlock>> {
        let (first, device) = (values.get(0), values.get(0) as u32 as i32);
        match function.role {
            Role::SetDevice => self.references.set(device),
            Role::ResetDevice | Role::ResetDeviceForce => {
                let is_forced = function.role == Role::ResetDeviceForce;
                let is_last = self.references.reset(device, is_forced);
                // Without a duration, nothing was allocated while it ran.
                let begun = match values.get(1) {
                    0 => u64::MAX,
                    took => now_ns.saturating_sub(took),
                };
                return is_last.then(|| self.drop_device(device, begun, site));
            }
            _ if function.attributes.sync_role == SyncRole::CreateContext => {
                self.references.open(values.get(1), device);
            }
            _ if function.attributes.sync_role == SyncRole::DestroyContext => {
                self.references.close(first)
            }
            _ => {}
        }
        None
    }

    /// Whether a thing may be gone although its release failed. Not memory, which is known to go with its device, but
    /// things of which that is not documented.
    pub fn may_be_gone(&self, block: &Block) -> bool {
        block.family().loss() != Loss::Memory && self.was_reset(block.device)
    }

    /// Whether the device was ever closed: see [`DeviceRefcount::was_reset`].
    pub fn was_reset(&self, device: i32) -> bool {
        self.references.was_reset(device)
    }

    /// Looks up `address`, or the key of a handle.
    pub fn place(&self, address: u64) -> AddressInfo {
        match self.find_place(address) {
            AddressInfo::Ended(..) if self.is_sampled() => AddressInfo::Unknown,
            place => place,
        }
    }

    pub(super) fn find_place(&self, address: u64) -> AddressInfo {
        let begins = self.blocks.begins(address);
        let at = begins.or_else(|| self.last_before(address));
        let slot = at.map(|at| self.blocks.get(at));
        match slot {
            Some(slot) if address - slot.key() < slot.live().covered() => {
                place_in(slot, address - slot.key())
            }
            _ => AddressInfo::Unknown,
        }
    }

    /// The live blocks, in no particular order.
    pub fn live(&self) -> impl Iterator<Item = LiveBlock> {
        self.blocks.live().map(|live| self.weighed(live))
    }

    /// The live blocks, by address.
    pub fn live_in_order(&self) -> impl Iterator<Item = LiveBlock> {
        let slots = self.starts.slots().map(|at| self.blocks.get(at));
        let live = slots.filter(|slot| slot.is_live()).map(Slot::live);
        live.map(|live| self.weighed(live))
    }

    fn end(&mut self, id: BlockId, how: End) -> Option<LiveBlock> {
        let at = self.blocks.find(id)?;
        let is_live = self.blocks.get(at).is_live();
        is_live.then(|| self.end_at(at, how))
    }

    #[inline]
    fn end_at(&mut self, at: u32, how: End) -> LiveBlock {
        let live = self.blocks.get(at).live();
        self.blocks.end(at, how);
        self.freed.push(Entry::of(at, live.order));
        if self.freed.is_full() {
            self.evict_oldest();
        }
        self.weighed(live)
    }

    #[inline(never)]
    pub(super) fn evict_oldest(&mut self) {
        if let Some(Entry { at, .. }) = self.freed.evict_oldest() {
            self.remove(at);
        }
    }

    /// A reset that began at `begun` drops what the device held then.
    fn drop_device(&mut self, device: i32, begun: u64, site: CallSiteId) -> Vec<LiveBlock> {
        let is_dropped = |live: &LiveBlock| {
            let is_of_device = live.block.device == device && live.since_ns <= begun;
            is_of_device && live.block.family().is_dropped_by_reset()
        };
        let mut dropped: Vec<LiveBlock> = self.live().filter(is_dropped).collect();
        dropped.sort_unstable_by_key(|live| live.order);
        for live in &dropped {
            self.end(live.block.id, End::Reset(site));
        }
        dropped
    }
}

fn place_in(slot: &Slot, offset: u64) -> AddressInfo {
    match slot.ended() {
        Some(end) => AddressInfo::Ended(slot.block(), offset, end),
        None => AddressInfo::Live(slot.block(), offset),
    }
}
