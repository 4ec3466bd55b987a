//! The live blocks of one process, rebuilt from its events.
//!
//! Blocks are found by number (what a recorded release names) and by address (what a copy or an unrecognised release names). A block
//! that ended stays known, up to [`ENDED_MOST`] of them, until another block takes its memory: that is what tells a second release
//! from a pointer that nobody knows. Memory is bounded by live blocks, never by events.
//!
//! What it cannot see: a release that was not recorded. The block counts as live until another is allocated over it; it then goes
//! without an end of its own ([`Heap::allocate`] hands it out).

mod hash;
mod references;
mod slots;

use std::collections::{BTreeSet, HashMap, VecDeque};

use aclsan_log::{BlockId, SiteId, Values};

use crate::block::{Block, End, Place};
use crate::family::Loss;
use crate::functions::{Function, Role};
pub use hash::IdHash;
pub use references::References;
use slots::{Slot, Slots, State};

/// Ended blocks that are kept at most.
pub const ENDED_MOST: usize = 1 << 16;

/// A block and its history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The block.
    pub block: Block,
    /// When it was allocated, in nanoseconds since the log began.
    pub since_ns: u64,
    /// The thread that allocated it.
    pub thread: u32,
    /// Whether a call named it since.
    pub is_named: bool,
    /// How many allocations of the process came before it.
    pub order: u64,
}

impl Held {
    /// How many keys it covers: a handle one, whatever its size.
    fn covered(&self) -> u64 {
        match self.block.family().is_handle() {
            true => 1,
            false => self.block.size.max(1),
        }
    }

    /// Key behind its last one.
    fn end(&self) -> u64 {
        self.block.key().saturating_add(self.covered())
    }
}

/// The model. Feed it events in order of time.
#[derive(Default)]
pub struct Heap {
    /// Live blocks, and the ended ones that are still known, with their end. They don't overlap one another.
    blocks: Slots,
    starts: BTreeSet<u64>,
    /// Of each start its block. Programs get the same addresses again and again: as long as a block stays within the room that its slot
    /// has, the order need not be asked.
    at: HashMap<u64, u32, IdHash>,
    /// Ended blocks, oldest first; some may have been restored or taken over since.
    ended: VecDeque<BlockId>,
    references: References,
    allocations: u64,
}

impl Heap {
    /// A block was allocated. Gives back the live blocks that it lies on: their releases were not seen.
    pub fn allocate(&mut self, block: Block, since_ns: u64, thread: u32) -> Vec<Held> {
        self.hold(block, since_ns, thread).1
    }

    /// The same. Gives back as what it is held, too.
    pub fn hold(&mut self, block: Block, since_ns: u64, thread: u32) -> (Held, Vec<Held>) {
        let held = Held {
            block,
            since_ns,
            thread,
            is_named: false,
            order: self.allocations,
        };
        self.allocations += 1;
        (held, self.insert(held))
    }

    /// Gives back the live blocks that it lies on.
    fn insert(&mut self, held: Held) -> Vec<Held> {
        let key = held.block.key();
        let mut stale = Vec::new();
        if let Some((at, old)) = self.known(key)
            && held.end() <= old.room
        {
            stale.extend((old.state == State::Live).then_some(old.held));
            self.blocks.replace(at, held);
            return stale;
        }
        while let Some(&start) = self.starts.range(..held.end()).next_back() {
            let Some((at, old)) = self.known(start) else {
                break;
            };
            if old.held.end() <= key {
                break;
            }
            if old.state == State::Live {
                stale.push(old.held);
            }
            self.blocks.remove(at);
            // The usual case, an address handed out again: its place in the order is overwritten below.
            if start == key {
                break;
            }
            self.forget_start(start);
        }
        let next = self.starts.range(key.saturating_add(1)..).next();
        let room = next.copied().unwrap_or(u64::MAX);
        if let Some(&before) = self.starts.range(..key).next_back()
            && let Some((at, _)) = self.known(before)
        {
            let room = &mut self.blocks.get_mut(at).room;
            *room = key.min(*room);
        }
        self.starts.insert(key);
        let at = self.blocks.insert(held, room);
        self.at.insert(key, at);
        stale
    }

    /// The block that begins at `start`, and its slot.
    fn known(&self, start: u64) -> Option<(u32, &Slot)> {
        let at = *self.at.get(&start)?;
        let slot = self.blocks.get(at);
        (slot.held.block.key() == start && slot.state != State::Free).then_some((at, slot))
    }

    fn forget_start(&mut self, start: u64) {
        self.starts.remove(&start);
        self.at.remove(&start);
    }

    /// How many blocks were allocated so far.
    pub fn allocations(&self) -> u64 {
        self.allocations
    }

    /// The live block of that number.
    pub fn get(&self, id: BlockId) -> Option<&Held> {
        let slot = self.blocks.get(self.blocks.find(id)?);
        (slot.state == State::Live).then_some(&slot.held)
    }

    /// A call named a live block; whether none had before.
    pub fn name(&mut self, id: BlockId) -> bool {
        let Some(at) = self.blocks.find(id) else {
            return false;
        };
        let slot = self.blocks.get_mut(at);
        slot.state == State::Live && !std::mem::replace(&mut slot.held.is_named, true)
    }

    /// What lies at the start of the block of that number, live or ended. [`Place::Unknown`] for a number that is not known any more.
    pub fn place_of(&self, id: BlockId) -> Place {
        let slot = self.blocks.find(id).map(|at| self.blocks.get(at));
        slot.map_or(Place::Unknown, |slot| place_in(slot, 0))
    }

    /// A release at `site` ended the block, if it is live and `is_plain` says so of it. `None` where nothing was done.
    #[inline]
    pub fn release_if(
        &mut self,
        id: BlockId,
        site: SiteId,
        is_plain: impl FnOnce(&Block) -> bool,
    ) -> Option<Held> {
        let at = self.blocks.find(id)?;
        let slot = self.blocks.get(at);
        if slot.state != State::Live || !is_plain(&slot.held.block) {
            return None;
        }
        Some(self.end_at(at, End::Released(site)))
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
        let held = *self.get(id)?;
        self.forget_start(held.block.key());
        self.blocks.remove(self.blocks.find(id)?);
        Some(held)
    }

    /// The release that ended the block was refused: it lives on. `None` when it is not known any more.
    pub fn restore(&mut self, id: BlockId) -> Option<Held> {
        let slot = self.blocks.get_mut(self.blocks.find(id)?);
        if !matches!(slot.state, State::Ended(_)) {
            return None;
        }
        slot.state = State::Live;
        Some(slot.held)
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
        let start = match self.at.contains_key(&address) {
            true => Some(address),
            false => self.starts.range(..=address).next_back().copied(),
        };
        match start.and_then(|start| self.known(start)) {
            Some((_, slot)) if address - slot.held.block.key() < slot.held.covered() => {
                place_in(slot, address - slot.held.block.key())
            }
            _ => Place::Unknown,
        }
    }

    /// The nearest live blocks before and behind `block`, no further away than `near` bytes.
    pub fn neighbours(&self, block: &Block, near: u64) -> (Option<Block>, Option<Block>) {
        let (start, end) = (block.address, block.address.saturating_add(block.size));
        let is_live = |start: &u64| {
            let (_, slot) = self.known(*start)?;
            (slot.state == State::Live).then_some(slot.held.block)
        };
        let from = start.saturating_sub(near);
        let before = self.starts.range(from..start).rev();
        let behind = self.starts.range(end..=end.saturating_add(near));
        (
            before.filter_map(is_live).next(),
            behind.filter_map(is_live).next(),
        )
    }

    /// The live blocks, in no order.
    pub fn live(&self) -> impl Iterator<Item = &Held> {
        let live = self.blocks.iter().filter(|slot| slot.state == State::Live);
        live.map(|slot| &slot.held)
    }

    fn end(&mut self, id: BlockId, how: End) -> Option<Held> {
        let at = self.blocks.find(id)?;
        let is_live = self.blocks.get(at).state == State::Live;
        is_live.then(|| self.end_at(at, how))
    }

    #[inline]
    fn end_at(&mut self, at: u32, how: End) -> Held {
        let slot = self.blocks.get_mut(at);
        slot.state = State::Ended(how);
        let held = slot.held;
        self.ended.push_back(held.block.id);
        if self.ended.len() > ENDED_MOST {
            self.forget_oldest();
        }
        held
    }

    fn forget_oldest(&mut self) {
        let oldest = self.ended.pop_front();
        let at = oldest.and_then(|id| self.blocks.find(id));
        if let Some(at) = at
            && let slot = self.blocks.get(at)
            && matches!(slot.state, State::Ended(_))
        {
            self.forget_start(slot.held.block.key());
            self.blocks.remove(at);
        }
    }

    fn drop_device(&mut self, device: i32, site: SiteId) -> Vec<Held> {
        let is_dropped =
            |held: &&Held| held.block.device == device && held.block.family().is_dropped_by_reset();
        let mut dropped: Vec<Held> = self.live().filter(is_dropped).copied().collect();
        dropped.sort_unstable_by_key(|held| held.order);
        for held in &dropped {
            self.end(held.block.id, End::Reset(site));
        }
        dropped
    }
}

fn place_in(slot: &Slot, offset: u64) -> Place {
    match slot.state {
        State::Ended(end) => Place::Ended(slot.held.block, offset, end),
        _ => Place::Live(slot.held.block, offset),
    }
}

#[cfg(test)]
mod tests;
