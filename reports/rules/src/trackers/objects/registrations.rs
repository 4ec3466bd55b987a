//! Registered host memory, and the addresses at which devices see it.

use super::tracker::{HeapView, Tracker};
use crate::api::block::Block;
use crate::api::family::Family;
use crate::api::functions::{Call, Effect};
use crate::evidence::finding::Finding;
use crate::rules::{device_address_on_host, host_register_order};
use aclsan_log::record::Values;

/// A registered range.
struct Range {
    host: Block,
    /// The device address of its first byte; 0 if nobody asked for it.
    seen_at: u64,
}

impl Range {
    fn is_seen_at(&self, address: u64) -> bool {
        let is_apart = self.seen_at != 0 && self.seen_at != self.host.address;
        is_apart && address.wrapping_sub(self.seen_at) < self.host.size
    }
}

/// The registered ranges.
#[derive(Default)]
pub(super) struct Registrations {
    ranges: Vec<Range>,
}

impl Tracker for Registrations {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let (first, second) = (values.get(0), values.get(1));
        match call.function.effect() {
            Effect::RegisterHost if status != 0 => {
                let place = view.place(first);
                found.extend(host_register_order::check_alignment(
                    call, first, second, place, status,
                ));
            }
            Effect::RegisterHost if call.function.values.len() > 2 => {
                self.see(first, values.get(2))
            }
            Effect::LocateHost if status == 0 => self.see(first, second),
            Effect::UnregisterHost if status == 0 => {
                let range = self.ranges.iter().find(|range| range.host.address == first);
                found.extend(
                    range.map(|range| host_register_order::check_unmapped(call, &range.host)),
                );
            }
            _ => {}
        }
    }

    fn made(&mut self, call: &Call, block: &Block, view: &dyn HeapView, found: &mut Vec<Finding>) {
        if block.family() == Family::Registered {
            let (address, place) = (block.address, view.place(block.address));
            found.extend(host_register_order::check_alignment(
                call, address, block.size, place, 0,
            ));
            self.ranges.push(Range {
                host: *block,
                seen_at: 0,
            });
        }
    }

    fn releasing(
        &mut self,
        call: &Call,
        block: &Block,
        _: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        match block.family() {
            Family::Registered => self.ranges.retain(|range| range.host.id != block.id),
            Family::Pinned => {
                let range = self.ranges.iter().find(|range| overlap(&range.host, block));
                let finding =
                    range.map(|range| host_register_order::check_release(call, block, &range.host));
                found.extend(finding);
            }
            _ => {}
        }
    }

    fn on_release_failed(&mut self, block: &Block) {
        if block.family() == Family::Registered {
            self.ranges.push(Range {
                host: *block,
                seen_at: 0,
            });
        }
    }

    /// Whether devices still see the range there is not documented.
    fn reset(&mut self, _: &Call, device: i32) {
        let ranges = self.ranges.iter_mut();
        let on_device = ranges.filter(|range| range.host.device == device);
        on_device.for_each(|range| range.seen_at = 0);
    }
}

impl Registrations {
    /// Whether nothing is registered.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// A copy or fill is about to touch memory from these addresses on.
    pub fn touched(&mut self, call: &Call, addresses: &[u64], found: &mut Vec<Finding>) {
        for &address in addresses {
            let range = self.ranges.iter().find(|range| range.is_seen_at(address));
            let finding =
                range.map(|range| device_address_on_host::check_view(call, address, &range.host));
            found.extend(finding);
        }
    }

    /// Devices see the host address `host` at `device`.
    fn see(&mut self, host: u64, device: u64) {
        let range = self.ranges.iter_mut().find(|range| range.host.covers(host));
        if let Some(range) = range.filter(|_| device != 0) {
            range.seen_at = device.wrapping_sub(host - range.host.address);
        }
    }
}

fn overlap(left: &Block, right: &Block) -> bool {
    left.covers(right.address) || right.covers(left.address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::AddressInfo;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;
    use crate::trackers::objects::ObjectTracker;

    /// A host that knows no block.
    struct Nowhere;

    impl HeapView for Nowhere {
        fn place(&self, _: u64) -> AddressInfo {
            AddressInfo::Unknown
        }

        fn profile(&self) -> Profile {
            Profile::default()
        }
    }

    fn registered(tracker: &mut ObjectTracker) -> Block {
        let range = block("aclrtHostRegister", 0x10000, 0x4000);
        tracker.made(&call("aclrtHostRegister"), &range, &Nowhere);
        range
    }

    fn call_with_values(
        tracker: &mut ObjectTracker,
        name: &str,
        values: &[u64],
        status: i32,
    ) -> usize {
        let values = Values::new(values);
        tracker.called(&call(name), &values, status, &Nowhere).len()
    }

    #[test]
    fn pinned_memory_with_a_registered_part_is_not_free_to_go() {
        let mut tracker = ObjectTracker::default();
        let range = registered(&mut tracker);
        let pinned = block("aclrtMallocHost", 0xf000, 0x10000);
        let free = call("aclrtFreeHost");
        assert_eq!(tracker.releasing(&free, &pinned, &Nowhere).len(), 1);
        let split = block("aclrtMallocHost", 0x14000, 0x1000);
        assert_eq!(tracker.releasing(&free, &split, &Nowhere).len(), 0);
        tracker.releasing(&call("aclrtHostUnregister"), &range, &Nowhere);
        assert_eq!(tracker.releasing(&free, &pinned, &Nowhere).len(), 0);
    }

    #[test]
    fn copies_are_held_to_the_hosts_address_wherever_devices_see_it() {
        let mut tracker = ObjectTracker::default();
        let copy = call("aclrtMemcpy");
        let range = registered(&mut tracker);
        call_with_values(
            &mut tracker,
            "aclrtHostGetDevicePointer",
            &[0x11000, 0x91000],
            0,
        );
        assert_eq!(tracker.touched(&copy, &[0x90000, 0x10000]).len(), 1);
        assert_eq!(tracker.touched(&copy, &[0x94000, 0x8ffff]).len(), 0);
        tracker.releasing(&call("aclrtHostUnregister"), &range, &Nowhere);
        assert_eq!(tracker.touched(&copy, &[0x90000]).len(), 0);
    }

    #[test]
    fn memory_that_devices_see_at_the_hosts_own_address_is_silent() {
        let mut tracker = ObjectTracker::default();
        registered(&mut tracker);
        let values = [0x10000, 0x4000, 0x10000];
        call_with_values(&mut tracker, "aclrtHostRegister", &values, 0);
        assert_eq!(tracker.touched(&call("aclrtMemcpy"), &[0x10000]).len(), 0);
    }

    #[test]
    fn what_was_unmapped_and_what_was_refused_off_a_page_is_reported() {
        let mut tracker = ObjectTracker::default();
        registered(&mut tracker);
        let unmapped = |tracker: &mut ObjectTracker, at| {
            call_with_values(tracker, "aclrtHostUnregister", &[at], 0)
        };
        assert_eq!(unmapped(&mut tracker, 0x10000), 1);
        assert_eq!(unmapped(&mut tracker, 0x50000), 0, "of unknown origin");
        let refused = [0x10040, 4096, 0];
        assert_eq!(
            call_with_values(&mut tracker, "aclrtHostRegister", &refused, 107000),
            1
        );
        let twice = [0x10000, 4096, 0];
        assert_eq!(
            call_with_values(&mut tracker, "aclrtHostRegister", &twice, 507910),
            0
        );
    }
}
