//! What a part hears of, and what it may ask.

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::Call;
use crate::api::profile::Profile;
use crate::evidence::finding::Finding;
use aclsan_log::record::Values;

/// What a part may ask of its host.
pub trait HeapView {
    /// What lies at an address, or at the key of a handle. Parts are told of a reserved range what is mapped there.
    fn place(&self, address: u64) -> AddressInfo;
    /// The machine.
    fn profile(&self) -> Profile;
}

/// One state machine. Each method gives what it has found to `found`.
pub(super) trait Tracker: Send {
    /// A call was made with these values, as its function's row names them, and returned `status`.
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

    /// A block or a handle was made.
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

    /// The release that was announced last for this block was refused: it lives on.
    fn on_release_failed(&mut self, block: &Block) {
        let _ = block;
    }

    /// A release names nothing live by its start. Asked before the rules where nothing at all is known there, else after them if they were
    /// silent.
    fn on_unknown_pointer(
        &mut self,
        call: &Call,
        address: u64,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        let _ = (call, address, view, found);
    }

    /// The device's last reset at this call dropped its memory.
    fn reset(&mut self, call: &Call, device: i32) {
        let _ = (call, device);
    }
}
