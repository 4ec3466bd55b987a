//! Reference counts of devices: `aclrtSetDevice` adds one, `aclrtResetDevice` takes one, the last one drops the device's memory.

use std::collections::BTreeMap;

/// References by device.
#[derive(Default)]
pub struct Devices {
    references: BTreeMap<i32, u64>,
}

impl Devices {
    /// One more reference.
    pub fn set(&mut self, device: i32) {
        *self.references.entry(device).or_default() += 1;
    }

    /// One fewer. Whether none is left; a device that nobody was seen to set has none.
    pub fn reset(&mut self, device: i32) -> bool {
        let count = self.references.entry(device).or_default();
        *count = count.saturating_sub(1);
        *count == 0
    }

    /// None left.
    pub fn force(&mut self, device: i32) {
        self.references.insert(device, 0);
    }
}
