//! The live blocks of one process, rebuilt from its events.
//!
//! Blocks are found by number (what a recorded release names) and by address (what a copy or an unrecognised release names). A block
//! that ended stays known, up to [`ENDED_MOST`] of them, until another block takes its memory: that is what tells a second release
//! from a pointer that nobody knows. Memory is bounded by live blocks, never by events.
//!
//! What it cannot see: a release that was not recorded. The block counts as live until another is allocated over it; it then goes
//! without an end of its own ([`Heap::allocate`] hands it out).

mod devices;
mod ended;
mod hash;

use std::collections::{BTreeMap, HashMap};

use aclsan_log::{BlockId, SiteId};

use crate::block::{Block, End, Place};
use crate::functions::Family;
use devices::Devices;
use ended::Ended;
pub use hash::IdHash;

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
    /// How many allocations of the process came before it.
    pub order: u64,
}

/// The model. Feed it events in order of time.
#[derive(Default)]
pub struct Heap {
    live: HashMap<BlockId, Held, IdHash>,
    /// Live blocks by start. They don't overlap.
    starts: BTreeMap<u64, BlockId>,
    ended: Ended,
    devices: Devices,
    allocations: u64,
}

impl Heap {
    /// A block was allocated. Gives back the live blocks that it lies on: their releases were not seen.
    pub fn allocate(&mut self, block: Block, since_ns: u64, thread: u32) -> Vec<Held> {
        let held = Held {
            block,
            since_ns,
            thread,
            order: self.allocations,
        };
        self.allocations += 1;
        self.ended.overlapped(block.address, block.size);
        let stale = self.overlapping(&block);
        for old in &stale {
            self.forget(old);
        }
        self.insert(held);
        stale
    }

    /// How many blocks were allocated so far.
    pub fn allocations(&self) -> u64 {
        self.allocations
    }

    /// The live block of that number.
    pub fn get(&self, id: BlockId) -> Option<&Held> {
        self.live.get(&id)
    }

    /// What lies at the start of the block of that number, live or ended. [`Place::Unknown`] for a number that is not known any more.
    pub fn place_of(&self, id: BlockId) -> Place {
        match (self.live.get(&id), self.ended.get(id)) {
            (Some(held), _) => Place::Live(held.block, 0),
            (None, Some((held, end))) => Place::Ended(held.block, 0, end),
            (None, None) => Place::Unknown,
        }
    }

    /// A release at `site` ended the block. `None` when it is not live.
    pub fn release(&mut self, id: BlockId, site: SiteId) -> Option<Held> {
        let held = self.live.get(&id).copied()?;
        self.forget(&held);
        self.ended.keep(held, End::Released(site));
        Some(held)
    }

    /// The release that ended the block was refused: it lives on. `None` when it is not known any more.
    pub fn restore(&mut self, id: BlockId) -> Option<Held> {
        let held = self.ended.take(id)?;
        self.insert(held);
        Some(held)
    }

    /// `aclrtSetDevice` succeeded.
    pub fn set_device(&mut self, device: i32) {
        self.devices.set(device);
    }

    /// `aclrtResetDevice` succeeded at `site`. Gives back the blocks that it dropped: none unless it was the device's last reference.
    /// Page-locked host memory survives (the driver's device heaps go, runtime 681ef761 and driver ef377e95).
    pub fn reset_device(&mut self, device: i32, site: SiteId) -> Vec<Held> {
        match self.devices.reset(device) {
            true => self.drop_device(device, site),
            false => Vec::new(),
        }
    }

    /// `aclrtResetDeviceForce` succeeded at `site`: drops the device's blocks whatever the count.
    pub fn reset_device_force(&mut self, device: i32, site: SiteId) -> Vec<Held> {
        self.devices.force(device);
        self.drop_device(device, site)
    }

    /// What lies at `address`: a live block first, then one that ended.
    pub fn place(&self, address: u64) -> Place {
        if let Some(held) = self.at(address) {
            return Place::Live(held.block, address - held.block.address);
        }
        match self.ended.at(address) {
            Some((held, end)) => Place::Ended(held.block, address - held.block.address, end),
            None => Place::Unknown,
        }
    }

    /// The live blocks, in no order.
    pub fn live(&self) -> impl Iterator<Item = &Held> {
        self.live.values()
    }

    fn at(&self, address: u64) -> Option<&Held> {
        let (_, id) = self.starts.range(..=address).next_back()?;
        self.live.get(id).filter(|held| held.block.covers(address))
    }

    /// Live blocks that share a byte with `block`. The driver hands out one range of addresses to all devices of a process.
    fn overlapping(&self, block: &Block) -> Vec<Held> {
        let end = block.address.saturating_add(block.size.max(1));
        self.starts
            .range(..end)
            .rev()
            .filter_map(|(_, id)| self.live.get(id).copied())
            .take_while(|held| {
                held.block.address.saturating_add(held.block.size.max(1)) > block.address
            })
            .collect()
    }

    fn drop_device(&mut self, device: i32, site: SiteId) -> Vec<Held> {
        let mut dropped: Vec<Held> = self
            .live
            .values()
            .filter(|held| held.block.device == device && held.block.family() != Family::Pinned)
            .copied()
            .collect();
        dropped.sort_unstable_by_key(|held| held.order);
        for held in &dropped {
            self.forget(held);
            self.ended.keep(*held, End::Reset(site));
        }
        dropped
    }

    fn insert(&mut self, held: Held) {
        self.starts.insert(held.block.address, held.block.id);
        self.live.insert(held.block.id, held);
    }

    fn forget(&mut self, held: &Held) {
        self.live.remove(&held.block.id);
        self.starts.remove(&held.block.address);
    }
}

#[cfg(test)]
mod tests;
