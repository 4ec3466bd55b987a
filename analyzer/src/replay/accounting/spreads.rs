//! How far live bytes and their peaks may be off, if only a sample of the blocks is recorded.

use std::collections::BTreeMap;

use aclsan_render::model::LINES;
use aclsan_rules::evidence::estimate::Spread;

use crate::replay::counted::Counted;

/// Of each family, and of each device that had a block.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Spreads {
    /// In the order of `Family::MEMORY`.
    pub families: [LiveSpread; LINES],
    /// By device.
    pub devices: BTreeMap<i32, LiveSpread>,
}

/// Of one sum of live bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LiveSpread {
    live: u64,
    highest: u64,
    /// Now.
    pub now: Spread,
    /// At the peak.
    pub at_peak: Spread,
    /// Bytes allocated in all.
    pub allocated: u64,
}

impl Spreads {
    /// A block was allocated, or came back; `device` if it is device memory.
    pub fn rise(&mut self, held: &Counted, line: usize, device: Option<i32>) {
        self.families[line].rise(held);
        if let Some(device) = device {
            self.devices.entry(device).or_default().rise(held);
        }
    }

    /// It is gone.
    pub fn fall(&mut self, held: &Counted, line: usize, device: Option<i32>) {
        self.families[line].fall(held);
        if let Some(device) = device {
            self.devices.entry(device).or_default().fall(held);
        }
    }
}

impl LiveSpread {
    fn rise(&mut self, held: &Counted) {
        self.live = self.live.saturating_add(held.bytes);
        self.allocated = self.allocated.saturating_add(held.bytes);
        self.now.add(held.size, held.bytes);
        if self.live > self.highest {
            (self.highest, self.at_peak) = (self.live, self.now);
        }
    }

    fn fall(&mut self, held: &Counted) {
        self.live = self.live.saturating_sub(held.bytes);
        self.now.subtract(held.size, held.bytes);
    }
}
