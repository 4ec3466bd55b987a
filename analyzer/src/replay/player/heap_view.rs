//! What rules may ask while a log is played.

use aclsan_rules::heap::Heap;
use aclsan_rules::profile::Profile;
use aclsan_rules::{Place, Scene};

/// What the ledger may ask of replay.
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
