//! Shared buffers: which data belongs to which handle, so that a release of the data by itself is recognized.

use super::tracker::{HeapView, Tracker};
use crate::api::block::{AddressInfo, Block};
use crate::api::family::Family;
use crate::api::functions::{Call, Effect, Role};
use crate::evidence::finding::Finding;
use crate::rules::mismatched_free;
use aclsan_log::record::Values;
use std::collections::BTreeMap;

/// Data that the runtime has shown to the program: its handle, by address.
#[derive(Default)]
pub(super) struct Buffers(BTreeMap<u64, u64>);

impl Tracker for Buffers {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        _: &dyn HeapView,
        _: &mut Vec<Finding>,
    ) {
        let (handle, address) = (values.get(0), values.get(1));
        if call.function.effect() == Effect::ShowBuffer && status == 0 && address != 0 {
            self.0.insert(address, handle);
        }
    }

    /// The data may go with a handle. It is forgotten here even if other handles keep it.
    fn releasing(&mut self, _: &Call, block: &Block, _: &dyn HeapView, _: &mut Vec<Finding>) {
        if block.family() == Family::Buffer {
            self.0.retain(|_, handle| *handle != block.address);
        }
    }

    fn on_unknown_pointer(
        &mut self,
        call: &Call,
        address: u64,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let Role::Release(releaser) = call.function.role else {
            return;
        };
        let Some(&handle) = self.0.get(&address).filter(|_| !releaser.is_handle()) else {
            return;
        };
        if let AddressInfo::Live(buffer, 0) = view.place(Family::Buffer.key(handle)) {
            found.push(mismatched_free::of_data(call, address, &buffer));
        }
    }

    fn reset(&mut self, _: &Call, _: i32) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;

    struct One(AddressInfo);

    impl HeapView for One {
        fn place(&self, address: u64) -> AddressInfo {
            let key = Family::Buffer.key(0x500);
            if address == key {
                self.0
            } else {
                AddressInfo::Unknown
            }
        }

        fn profile(&self) -> Profile {
            Profile::default()
        }
    }

    fn shown() -> (Buffers, One) {
        let view = One(AddressInfo::Live(block("aclrtAllocBuf", 0x500, 64), 0));
        let mut buffers = Buffers::default();
        let values = Values::new(&[0x500, 0x9000, 64]);
        let mut found = Vec::new();
        buffers.called(&call("aclrtGetBufData"), &values, 0, &view, &mut found);
        (buffers, view)
    }

    fn released(buffers: &mut Buffers, view: &One, name: &str, address: u64) -> Vec<Finding> {
        let mut found = Vec::new();
        buffers.on_unknown_pointer(&call(name), address, view, &mut found);
        found
    }

    #[test]
    fn data_of_a_live_buffer_that_is_released_by_itself_is_reported() {
        let (mut buffers, view) = shown();
        let [finding] = &released(&mut buffers, &view, "aclrtFree", 0x9000)[..] else {
            panic!("one finding");
        };
        assert_eq!(finding.rule.name, "mismatched-free");
        assert_eq!(
            finding.message,
            "`aclrtFree` was given the data of a buffer that `aclrtAllocBuf` allocated"
        );
    }

    #[test]
    fn other_addresses_and_data_whose_handle_went_are_silent() {
        let (mut buffers, view) = shown();
        assert!(released(&mut buffers, &view, "aclrtFree", 0x9040).is_empty());
        let free = call("aclrtFreeBuf");
        let handle = block("aclrtAllocBuf", 0x500, 64);
        buffers.releasing(&free, &handle, &view, &mut Vec::new());
        assert!(released(&mut buffers, &view, "aclrtFree", 0x9000).is_empty());
    }
}
