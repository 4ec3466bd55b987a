//! The heap as rules see it during replay.

use aclsan_rules::heap::Heap;
use aclsan_rules::profile::Profile;
use aclsan_rules::{Place, Scene};

/// The heap and profile for the trackers.
pub(super) struct ReplayHeap<'a> {
    pub heap: &'a Heap,
    pub profile: Profile,
}

impl Scene for ReplayHeap<'_> {
    fn place(&self, address: u64) -> Place {
        self.heap.place(address)
    }

    fn profile(&self) -> Profile {
        self.profile
    }
}
