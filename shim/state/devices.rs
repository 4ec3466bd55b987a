//! Devices: how often each was set, the SoC, and the blocks that a reset dropped.

use aclsan_log::{BlockId, CallSiteId};
use aclsan_os::lock::{Mutex, MutexGuard, rank};
use aclsan_rules::api::block::{AddressInfo, Block, End};
use aclsan_rules::api::family::Loss;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::trackers::heap::DeviceRefcount;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// The devices of the process.
#[derive(Default)]
pub struct Devices {
    in_use: Mutex<rank::Devices, InUse>,
    profile: OnceLock<Soc>,
}

#[derive(Default)]
struct InUse {
    references: DeviceRefcount,
    /// The blocks that a device's last reset dropped, kept until the device is set again, and the call site of that reset.
    dropped: HashMap<i32, DroppedBlocks>,
}

/// Blocks in order of allocation, and the reset that dropped them.
type DroppedBlocks = (BTreeMap<BlockId, Block>, CallSiteId);

/// The SoC, as the runtime describes it.
#[derive(Clone, Debug)]
pub struct Soc {
    /// From `aclrtGetSocName`, or from option `soc`.
    pub name: String,
    /// What rules need to know about it.
    pub profile: Profile,
}

impl Devices {
    /// With `is_partial`, devices may have been set before, how often is unknown.
    pub fn new(is_partial: bool) -> Self {
        let devices = Self::default();
        devices.in_use().references = match is_partial {
            true => DeviceRefcount::partial(),
            false => DeviceRefcount::default(),
        };
        devices
    }

    fn in_use(&self) -> MutexGuard<'_, InUse> {
        self.in_use.lock()
    }

    /// The device was set once more. Returns the blocks that its last reset dropped, and the call site of that reset.
    pub fn on_set(&self, id: i32) -> DroppedBlocks {
        let mut in_use = self.in_use();
        in_use.references.set(id);
        in_use.dropped.remove(&id).unwrap_or_default()
    }

    /// The program created a context.
    pub fn on_context_created(&self, context: u64, id: i32) {
        self.in_use().references.open(context, id);
    }

    /// The device of a context that the program created.
    pub fn device_of_context(&self, context: u64) -> Option<i32> {
        self.in_use().references.device_of(context)
    }

    /// The program destroyed a context.
    pub fn on_context_destroyed(&self, context: u64) {
        self.in_use().references.close(context);
    }

    /// Whether the next reset of the device drops its blocks.
    pub fn is_last_reset(&self, id: i32, is_forced: bool) -> bool {
        self.in_use().references.is_last_reset(id, is_forced)
    }

    /// The device was reset once; `true` if that dropped its blocks.
    pub fn on_reset(&self, id: i32, is_forced: bool) -> bool {
        self.in_use().references.reset(id, is_forced)
    }

    /// Whether an object may be gone although its release failed: see [`aclsan_rules::trackers::heap::Heap::may_be_gone`].
    pub fn may_be_gone(&self, block: &Block) -> bool {
        block.family().loss() != Loss::Memory && self.in_use().references.was_reset(block.device)
    }

    /// Records the blocks that a reset at `site` dropped.
    pub fn record_dropped(&self, id: i32, blocks: Vec<Block>, site: CallSiteId) {
        let blocks = blocks.into_iter().map(|block| (block.id, block));
        let blocks = blocks.collect();
        self.in_use().dropped.insert(id, (blocks, site));
    }

    /// The program released what starts at `place`. If a reset had dropped that block, the release came late, but the block was not
    /// forgotten.
    pub fn on_released(&self, place: &AddressInfo) {
        if let AddressInfo::Ended(block, 0, End::Reset(_)) = place
            && let Some((blocks, _)) = self.in_use().dropped.get_mut(&block.device)
        {
            blocks.remove(&block.id);
        }
    }

    /// Calls `each` with every block that a reset dropped and whose device was not set again, and the call site of that reset. At exit, these are leaks.
    pub fn for_each_dropped(&self, mut each: impl FnMut(&Block, CallSiteId)) {
        for (blocks, site) in self.in_use().dropped.values() {
            blocks.values().for_each(|block| each(block, *site));
        }
    }

    /// Stores the SoC. `None` if another thread was first: threads do not wait for each other here, since the runtime may take long to
    /// answer.
    pub fn set_soc(&self, soc: Soc) -> Option<&Soc> {
        self.profile.set(soc).ok()?;
        self.profile.get()
    }

    /// The SoC, once it is known.
    #[inline(always)]
    pub fn soc(&self) -> Option<&Soc> {
        self.profile.get()
    }

    /// Whether the SoC is known.
    pub fn is_soc_known(&self) -> bool {
        self.profile.get().is_some()
    }

    /// The profile that rules use; the default until the SoC is known.
    pub fn profile(&self) -> Profile {
        self.profile
            .get()
            .map_or_else(Profile::default, |soc| soc.profile)
    }
}
