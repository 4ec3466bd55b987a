//! The host's view with mappings: an address in a reserved range is what is mapped there, since that is what a call
//! will touch.

use super::tracker::HeapView;
use super::virtual_memory::VirtualMemory;
use crate::api::block::{AddressInfo, Block};
use crate::api::family::Family;
use crate::api::profile::Profile;

/// The host's view, with mappings.
pub struct ResolvedView<'a, V: HeapView + ?Sized = dyn HeapView> {
    pub view: &'a V,
    pub virtual_memory: &'a VirtualMemory,
}

impl<V: HeapView + ?Sized> HeapView for ResolvedView<'_, V> {
    fn place(&self, address: u64) -> AddressInfo {
        self.virtual_memory
            .resolve(address, self.view.place(address))
    }

    fn block_at(&self, start: u64) -> Option<Block> {
        let block = self.view.block_at(start);
        block.filter(|block| block.family() != Family::Reserved)
    }

    fn profile(&self) -> Profile {
        self.view.profile()
    }
}

#[cfg(test)]
mod tests {
    use crate::api::block::{AddressInfo, Block};
    use crate::evidence::testing::*;
    use crate::trackers::objects::ObjectTracker;
    use crate::trackers::objects::testing::FakeView;
    use aclsan_log::Values;

    /// The findings for a model whose work memory is at `work`, in a range of which 0x10000 to 0x12000 is mapped.
    fn said(work: u64) -> Vec<&'static str> {
        let range = block("aclrtReserveMemAddress", 0x10000, 0x10000);
        let view = FakeView::with(AddressInfo::Live(range, 0));
        let mut tracker = ObjectTracker::default();
        let mapping = Block {
            size: 0x2000,
            ..block("aclrtMapMem", 0x10000, 0)
        };
        tracker.made(&call("aclrtMapMem"), &mapping, &view);
        let load = call("aclmdlLoadFromMemWithMem");
        let found = tracker.called(&load, &Values::new(&[1, work, 0x1000, 0, 0]), 0, &view);
        found.iter().map(|finding| finding.rule.name).collect()
    }

    #[test]
    fn memory_that_is_mapped_is_memory_and_what_is_not_is_reported() {
        assert!(said(0x11000).is_empty());
        assert_eq!(said(0x11001), ["copy-overrun"]);
        assert_eq!(said(0x13000), ["vmm-order"]);
    }
}
