//! References that keep devices open. `aclrtSetDevice` adds one and `aclrtResetDevice` takes one. The last one drops
//! the device's memory, unless a context that the program created still holds the device.

use std::collections::{BTreeMap, HashMap};

/// References by device.
#[derive(Default)]
pub struct DeviceRefcount {
    devices: BTreeMap<i32, Device>,
    /// Devices of contexts created by `aclrtCreateContext`.
    contexts: HashMap<u64, i32>,
    /// Whether there may be references that were not seen.
    is_partial: bool,
}

#[derive(Clone, Copy, Default)]
struct Device {
    sets: u64,
    contexts: u64,
    was_reset: bool,
}

impl Device {
    /// Sets the count and returns whether nothing holds the device any more. A device that was not seen set has no
    /// references.
    fn let_go(&mut self, sets: u64) -> bool {
        self.sets = sets;
        self.was_reset |= sets == 0;
        sets == 0 && self.contexts == 0
    }
}

impl DeviceRefcount {
    /// The references of a process that was not watched from its start: no reset is known to take the last.
    pub fn partial() -> Self {
        Self {
            is_partial: true,
            ..Self::default()
        }
    }

    /// The device was set once more.
    pub fn set(&mut self, device: i32) {
        self.devices.entry(device).or_default().sets += 1;
    }

    /// A context was created on the device.
    pub fn open(&mut self, context: u64, device: i32) {
        self.close(context);
        self.contexts.insert(context, device);
        self.devices.entry(device).or_default().contexts += 1;
    }

    /// The device of a context that the program created.
    pub fn device_of(&self, context: u64) -> Option<i32> {
        self.contexts.get(&context).copied()
    }

    /// A context was destroyed. What that does to the device's memory, if nothing else held the device, is not
    /// documented.
    pub fn close(&mut self, context: u64) {
        let device = self.contexts.remove(&context);
        if let Some(device) = device.and_then(|device| self.devices.get_mut(&device)) {
            device.contexts = device.contexts.saturating_sub(1);
        }
    }

    /// Whether the next reset of the device takes its last reference. Contexts are no references.
    pub fn is_last_reference(&self, device: i32) -> bool {
        self.devices
            .get(&device)
            .is_none_or(|device| device.sets <= 1)
    }

    /// Whether the next reset of the device drops its memory.
    pub fn is_last_reset(&self, device: i32, is_forced: bool) -> bool {
        let contexts = self
            .devices
            .get(&device)
            .map_or(0, |device| device.contexts);
        !self.is_partial && (is_forced || self.is_last_reference(device)) && contexts == 0
    }

    /// The device was reset once. Returns whether that dropped its memory.
    pub fn reset(&mut self, device: i32, is_forced: bool) -> bool {
        let device = self.devices.entry(device).or_default();
        let sets = match is_forced || self.is_partial {
            true => 0,
            false => device.sets.saturating_sub(1),
        };
        device.let_go(sets) && !self.is_partial
    }

    /// Whether the device was ever closed; any device, if it is unknown. Streams, mappings and the like may have gone
    /// with it.
    pub fn was_reset(&self, device: i32) -> bool {
        match self.devices.get(&device) {
            Some(device) => device.was_reset,
            None => self.devices.values().any(|device| device.was_reset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reset_drops_the_memory() {
        let mut references = DeviceRefcount::default();
        references.set(0);
        references.set(0);
        assert!(!references.is_last_reset(0, false) && references.is_last_reset(0, true));
        assert!(!references.reset(0, false));
        assert!(!references.was_reset(0));
        assert!(references.reset(0, false));
        assert!(references.was_reset(0) && references.was_reset(-1));
        references.set(1);
        assert!(!references.was_reset(1));
    }

    #[test]
    fn no_reset_is_the_last_if_references_may_be_older_than_the_watch() {
        let mut references = DeviceRefcount::partial();
        assert!(!references.is_last_reset(0, true) && !references.reset(0, true));
        references.set(0);
        assert!(!references.is_last_reset(0, false) && !references.reset(0, false));
        assert!(references.was_reset(0), "blocks may be gone");
    }

    #[test]
    fn a_context_of_the_programs_own_holds_its_device() {
        let mut references = DeviceRefcount::default();
        references.set(0);
        references.open(0x10, 0);
        assert!(!references.is_last_reset(0, true) && !references.reset(0, true));
        references.open(0x10, 0); // reuses the address of a destroyed one
        references.set(0);
        references.close(0x10);
        references.close(0x10);
        assert!(references.is_last_reset(0, false) && references.reset(0, false));
    }
}
