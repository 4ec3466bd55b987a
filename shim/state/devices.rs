//! Devices: how often each is set, which SoC it is, and what a reset dropped.

use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::block::{AddressInfo, Block, End};
use aclsan_rules::api::family::Loss;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::trackers::heap::DeviceRefcount;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// What the process does with devices.
#[derive(Default)]
pub struct Devices {
    in_use: Mutex<InUse>,
    profile: OnceLock<Soc>,
}

#[derive(Default)]
struct InUse {
    references: DeviceRefcount,
    /// Blocks that a device's last reset dropped, until the device is set again, and that reset.
    dropped: HashMap<i32, DroppedBlocks>,
}

/// Blocks in the order of their allocations, and the reset that dropped them.
type DroppedBlocks = (BTreeMap<BlockId, Block>, CallSiteId);

/// The machine, as the runtime describes it.
#[derive(Clone, Debug)]
pub struct Soc {
    /// `aclrtGetSocName`, or what the user said.
    pub name: String,
    /// What follows from it.
    pub profile: Profile,
}

impl Devices {
    fn in_use(&self) -> MutexGuard<'_, InUse> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The device was set once more. Returns the blocks that its last reset had dropped, with that reset.
    pub fn on_set(&self, id: i32) -> DroppedBlocks {
        let mut in_use = self.in_use();
        in_use.references.set(id);
        in_use.dropped.remove(&id).unwrap_or_default()
    }

    /// The program made a context.
    pub fn on_context_created(&self, context: u64, id: i32) {
        self.in_use().references.open(context, id);
    }

    /// The device of a context that the program made.
    pub fn device_of_context(&self, context: u64) -> Option<i32> {
        self.in_use().references.device_of(context)
    }

    /// The program destroyed a context.
    pub fn on_context_destroyed(&self, context: u64) {
        self.in_use().references.close(context);
    }

    /// Whether the next reset of the device is the one that drops its blocks.
    pub fn is_last_reset(&self, id: i32, is_forced: bool) -> bool {
        self.in_use().references.is_last_reset(id, is_forced)
    }

    /// The device was reset once; `true` if that dropped its blocks.
    pub fn on_reset(&self, id: i32, is_forced: bool) -> bool {
        self.in_use().references.reset(id, is_forced)
    }

    /// Whether a thing whose release was refused may be gone all the same: see [`aclsan_rules::trackers::heap::Heap::may_be_gone`].
    pub fn may_be_gone(&self, block: &Block) -> bool {
        block.family().loss() != Loss::Memory && self.in_use().references.was_reset(block.device)
    }

    /// Remembers what a reset at `site` dropped.
    pub fn record_dropped(&self, id: i32, blocks: Vec<Block>, site: CallSiteId) {
        let blocks = blocks.into_iter().map(|block| (block.id, block));
        let blocks = blocks.collect();
        self.in_use().dropped.insert(id, (blocks, site));
    }

    /// What begins at a place was released: if a reset had dropped it, that was late, and it is not forgotten.
    pub fn on_released(&self, place: &AddressInfo) {
        if let AddressInfo::Ended(block, 0, End::Reset(_)) = place
            && let Some((blocks, _)) = self.in_use().dropped.get_mut(&block.device)
        {
            blocks.remove(&block.id);
        }
    }

    /// Calls `each` with every block that a reset dropped and whose device was not set again: with the process at its end, a leak.
    pub fn for_each_dropped(&self, each: impl FnMut(&Block)) {
        let in_use = self.in_use();
        let dropped = in_use.dropped.values();
        dropped
            .flat_map(|(blocks, _)| blocks.values())
            .for_each(each);
    }

    /// Takes what the runtime says of the machine. `None` where another thread had the answer first: nobody waits for anybody's, since the
    /// runtime may be long about it.
    pub fn set_soc(&self, soc: Soc) -> Option<&Soc> {
        self.profile.set(soc).ok()?;
        self.profile.get()
    }

    /// The machine, if it has been asked.
    #[inline(always)]
    pub fn soc(&self) -> Option<&Soc> {
        self.profile.get()
    }

    /// Whether the machine has been asked.
    pub fn is_soc_known(&self) -> bool {
        self.profile.get().is_some()
    }

    /// What rules have to know of the machine; the usual until it has been asked.
    pub fn profile(&self) -> Profile {
        self.profile
            .get()
            .map_or_else(Profile::default, |soc| soc.profile)
    }
}
