//! How far the peak of a device's live bytes may be off, if only a sample of the blocks is recorded.

use std::collections::BTreeMap;

use aclsan_rules::evidence::estimate::Spread;
use aclsan_rules::trackers::heap::LiveBlock;

/// Of each device that had a block.
#[derive(Default)]
pub struct DeviceSpreads(BTreeMap<i32, DeviceSpread>);

/// Of one device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DeviceSpread {
    live: u64,
    spread: Spread,
    highest: u64,
    /// At the peak.
    pub at_peak: Spread,
    /// Bytes allocated in all.
    pub allocated: u64,
}

impl DeviceSpreads {
    /// A block was allocated on its device, or came back.
    pub fn rise(&mut self, held: &LiveBlock) {
        let of = self.0.entry(held.block.device).or_default();
        of.live = of.live.saturating_add(held.bytes);
        of.allocated = of.allocated.saturating_add(held.bytes);
        of.spread.add(held.block.size, held.bytes);
        if of.live > of.highest {
            (of.highest, of.at_peak) = (of.live, of.spread);
        }
    }

    /// It is gone.
    pub fn fall(&mut self, held: &LiveBlock) {
        let of = self.0.entry(held.block.device).or_default();
        of.live = of.live.saturating_sub(held.bytes);
        of.spread.subtract(held.block.size, held.bytes);
    }

    /// By device.
    pub fn all(self) -> BTreeMap<i32, DeviceSpread> {
        self.0
    }
}
