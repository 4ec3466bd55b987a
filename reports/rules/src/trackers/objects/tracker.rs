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

    /// As [`HeapView::place`], of an address that is probably inside the live block that starts at `start`: then nothing else is looked up.
    fn place_in(&self, start: u64, address: u64) -> AddressInfo {
        if let Some(offset @ 1..) = address.checked_sub(start)
            && let AddressInfo::Live(block, 0) = self.place(start)
            && offset < block.size
        {
            return AddressInfo::Live(block, offset);
        }
        self.place(address)
    }

    /// The machine.
    fn profile(&self) -> Profile;
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
