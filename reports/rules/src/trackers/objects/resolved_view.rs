//! What parts see of the host: of an address in a reserved range what is mapped there, for that is what a call will touch.

use super::tracker::Scene;
use super::virtual_memory::VirtualMemory;
use crate::api::block::Place;
use crate::api::profile::Profile;

/// The host's scene, with the mappings in it.
pub struct Reached<'a> {
    pub scene: &'a dyn Scene,
    pub virtual_memory: &'a VirtualMemory,
}

impl Scene for Reached<'_> {
    fn place(&self, address: u64) -> Place {
        self.virtual_memory
            .reach(address, self.scene.place(address))
    }

    fn profile(&self) -> Profile {
        self.scene.profile()
    }
}

#[cfg(test)]
mod tests {
    use crate::api::block::{Block, Place};
    use crate::evidence::testing::*;
    use crate::trackers::objects::Ledger;
    use crate::trackers::objects::testing::Stage;
    use aclsan_log::Values;

    /// What the ledger says of a model whose work memory lies at `work`, in a range of which 0x10000 to 0x12000 is mapped.
    fn said(work: u64) -> Vec<&'static str> {
        let range = block("aclrtReserveMemAddress", 0x10000, 0x10000);
        let stage = Stage::with(Place::Live(range, 0));
        let mut ledger = Ledger::default();
        let mapping = Block {
            size: 0x2000,
            ..block("aclrtMapMem", 0x10000, 0)
        };
        ledger.made(&call("aclrtMapMem"), &mapping, &stage);
        let load = call("aclmdlLoadFromMemWithMem");
        let found = ledger.called(&load, &Values::new(&[1, work, 0x1000, 0, 0]), 0, &stage);
        found.iter().map(|finding| finding.rule.name).collect()
    }

    #[test]
    fn memory_that_is_mapped_is_memory_and_what_is_not_is_reported() {
        assert!(said(0x11000).is_empty());
        assert_eq!(said(0x11001), ["copy-overrun"]);
        assert_eq!(said(0x13000), ["vmm-order"]);
    }
}
