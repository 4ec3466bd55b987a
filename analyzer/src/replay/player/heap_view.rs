//! The heap as rules see it during replay.

use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::trackers::heap::Heap;
use aclsan_rules::trackers::objects::HeapView;

/// The heap and profile for the trackers.
pub(super) struct ReplayHeap<'a> {
    pub heap: &'a Heap,
    pub profile: Profile,
}

impl HeapView for ReplayHeap<'_> {
    fn place(&self, address: u64) -> AddressInfo {
        self.heap.place(address)
    }

    fn profile(&self) -> Profile {
        self.profile
    }
}
