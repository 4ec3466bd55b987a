//! The events that a tracker receives, and the queries that it may make.

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::Call;
use crate::api::profile::Profile;
use crate::evidence::finding::Finding;
use aclsan_log::record::Values;

/// What a tracker may ask of its host.
pub trait HeapView {
    /// Looks up an address, or the key of a handle. For a reserved range, trackers see what is mapped there.
    fn place(&self, address: u64) -> AddressInfo;

    /// The live block that starts at `start`, unless other memory is mapped there.
    fn block_at(&self, start: u64) -> Option<Block> {
        match self.place(start) {
            AddressInfo::Live(block, 0) => Some(block),
            _ => None,
        }
    }

    /// As [`HeapView::place`], of an address that is probably inside the live block that starts at `start`: then nothing else is looked up.
    fn place_in(&self, start: u64, address: u64) -> AddressInfo {
        if let Some(offset @ 1..) = address.checked_sub(start)
            && let Some(block) = self.block_at(start)
            && offset < block.size
        {
            return AddressInfo::Live(block, offset);
        }
        self.place(address)
    }

    /// The machine.
    fn profile(&self) -> Profile;
}

impl<V: HeapView + ?Sized> HeapView for &V {
    fn place(&self, address: u64) -> AddressInfo {
        (**self).place(address)
    }

    fn block_at(&self, start: u64) -> Option<Block> {
        (**self).block_at(start)
    }

    fn profile(&self) -> Profile {
        (**self).profile()
    }
}

/// A state machine. Each method appends its findings to `found`.
pub(super) trait Tracker: Send {
    /// A call returned `status`. `values` are named by its function's row.
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let _ = (call, values, status, view, found);
    }

    /// A block or a handle was created.
    fn made(&mut self, call: &Call, block: &Block, view: &dyn HeapView, found: &mut Vec<Finding>) {
        let _ = (call, block, view, found);
    }

    /// A live block or handle is about to be released.
    fn releasing(
        &mut self,
        call: &Call,
        block: &Block,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let _ = (call, block, view, found);
    }

    /// The last release reported for this block failed: it is live again.
    fn on_release_failed(&mut self, block: &Block) {
        let _ = block;
    }

    /// A release names no live block by its start. Called before the rules if nothing is known of the address,
    /// otherwise after them if they reported nothing.
    fn on_unknown_pointer(
        &mut self,
        call: &Call,
        address: u64,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let _ = (call, address, view, found);
    }

    /// The device's last reset, by this call, dropped its memory.
    fn reset(&mut self, call: &Call, device: i32) {
        let _ = (call, device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::device_block;
    use std::cell::Cell;

    /// A block of 256 bytes at 0x1000, and how often it was looked up.
    struct Counted(Cell<usize>);

    impl HeapView for Counted {
        fn place(&self, address: u64) -> AddressInfo {
            self.0.set(self.0.get() + 1);
            match address.checked_sub(0x1000) {
                Some(offset @ ..256) => AddressInfo::Live(device_block(0x1000, 256), offset),
                _ => AddressInfo::Unknown,
            }
        }

        fn profile(&self) -> Profile {
            Profile::default()
        }
    }

    #[test]
    fn an_address_inside_the_expected_block_is_one_lookup_and_others_are_what_they_are() {
        for (start, address, lookups) in [
            (0x1000, 0x1040, 1),
            (0x1000, 0x1000, 1),
            (0x1000, 0x1100, 2),
            (0x1000, 0x0fff, 1),
            (0x1040, 0x1080, 2),
            (0, 0x1040, 2),
        ] {
            let view = Counted(Cell::default());
            let found = view.place_in(start, address);
            assert_eq!(view.0.get(), lookups, "{start:#x} {address:#x}");
            assert_eq!(found, view.place(address));
        }
    }
}
