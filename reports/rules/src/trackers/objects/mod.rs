//! The ledger: what lasts between calls and is no block.
//!
//! Each part is a state machine in a file of its own: it hears of calls and of blocks that are about to go, and says what breaks its
//! order. Like the rules it has two hosts, the shim at the call and replay from the log, which give it the same facts in the same order.
//! A part decides when to ask a rule; the sentences are the rule's.

mod buffers;
mod contexts;
mod executors;
mod hiai;
mod interval_buckets;
mod ipc;
mod libc;
mod mappings;
mod models;
mod registrations;
mod resolved_view;
pub mod sub_block_index;
mod sub_blocks;
mod tensors;
#[cfg(test)]
pub(crate) mod testing;
mod tracker;
mod virtual_memory;

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::{Call, Family, Role};
use crate::evidence::finding::Finding;
use crate::rules::context_mismatch::STREAM_CONTEXT;
use aclsan_log::record::Values;
use resolved_view::ResolvedView;
pub use tracker::HeapView;
use tracker::Tracker;
use virtual_memory::VirtualMemory;

/// All parts.
#[derive(Default)]
pub struct ObjectTracker {
    tensors: tensors::Tensors,
    executors: executors::Executors,
    models: models::Models,
    buffers: buffers::Buffers,
    ipc: ipc::Ipc,
    registrations: registrations::Registrations,
    contexts: contexts::Contexts,
    virtual_memory: VirtualMemory,
    hiai: hiai::Hiai,
    libc: libc::Libc,
    sub_blocks: sub_blocks::SubBlocks,
}

impl ObjectTracker {
    fn trackers(&mut self) -> [&mut dyn Tracker; 11] {
        let (virtual_memory, [a, b, c, d, e, f, g, h, i, j]) = self.split();
        [a, b, c, d, e, f, g, h, i, j, virtual_memory]
    }

    /// The part that knows what is mapped, and those that are told of it.
    fn split(&mut self) -> (&mut VirtualMemory, [&mut dyn Tracker; 10]) {
        let others: [&mut dyn Tracker; 10] = [
            &mut self.tensors,
            &mut self.executors,
            &mut self.models,
            &mut self.buffers,
            &mut self.ipc,
            &mut self.registrations,
            &mut self.contexts,
            &mut self.hiai,
            &mut self.libc,
            &mut self.sub_blocks,
        ];
        (&mut self.virtual_memory, others)
    }

    /// The host's scene, with what is mapped in its reserved ranges.
    pub fn resolved<'a>(&'a self, view: &'a dyn HeapView) -> impl HeapView + 'a {
        ResolvedView {
            view,
            virtual_memory: &self.virtual_memory,
        }
    }

    /// What an access to `address` meets, where the host has `place`: in a reserved range, what is mapped there.
    #[inline]
    pub fn resolve(&self, address: u64, place: AddressInfo) -> AddressInfo {
        self.virtual_memory.resolve(address, place)
    }

    /// A call was made with these values, as its function's row names them, and returned `status`.
    pub fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        // Nothing is kept of streams, events and the like: `Role::State` is what parts keep.
        if call.function.role == Role::Order && status != STREAM_CONTEXT {
            return Vec::new();
        }
        self.ask(view, |tracker, view, found| {
            tracker.called(call, values, status, view, found)
        })
    }

    /// A block or a handle was made.
    pub fn made(&mut self, call: &Call, block: &Block, view: &dyn HeapView) -> Vec<Finding> {
        if self.is_uninteresting(block) {
            return Vec::new();
        }
        self.ask(view, |tracker, view, found| {
            tracker.made(call, block, view, found)
        })
    }

    /// A live block or handle is about to be released.
    pub fn releasing(&mut self, call: &Call, block: &Block, view: &dyn HeapView) -> Vec<Finding> {
        if self.is_uninteresting(block) {
            return Vec::new();
        }
        self.ask(view, |tracker, view, found| {
            tracker.releasing(call, block, view, found)
        })
    }

    /// A release names nothing live by its start. Asked before the rules where nothing at all is known there, else after them if they were
    /// silent.
    pub fn on_unknown_pointer(
        &mut self,
        call: &Call,
        address: u64,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        self.ask(view, |tracker, view, found| {
            tracker.on_unknown_pointer(call, address, view, found)
        })
    }

    /// The release that was announced last for this block was refused: it lives on.
    pub fn on_release_failed(&mut self, block: &Block) {
        self.trackers()
            .into_iter()
            .for_each(|tracker| tracker.on_release_failed(block));
    }

    /// A copy or fill is going to touch memory from these addresses on.
    #[inline]
    pub fn touched(&mut self, call: &Call, addresses: &[u64]) -> Vec<Finding> {
        let mut found = Vec::new();
        if !self.registrations.is_empty() {
            self.registrations.touched(call, addresses, &mut found);
        }
        found
    }

    /// Whether a part wants to hear of copies and fills; hosts need not tell of them otherwise.
    #[inline]
    pub fn wants_accesses(&self) -> bool {
        !self.registrations.is_empty()
    }

    /// The device's last reset at this call dropped its memory.
    pub fn reset(&mut self, call: &Call, device: i32) {
        self.trackers()
            .into_iter()
            .for_each(|tracker| tracker.reset(call, device));
    }

    /// Whether a part wants to hear of blocks of memory; hosts need not tell of them otherwise.
    pub fn wants_blocks(&self) -> bool {
        !(self.registrations.is_empty() && self.ipc.is_empty() && self.hiai.is_empty())
    }

    /// Whether the block is plain memory, and no part wants to hear of that now.
    fn is_uninteresting(&self, block: &Block) -> bool {
        use Family::*;
        matches!(
            block.family(),
            Device | Dvpp | DvppMpi | Pinned | Managed | Pool | HiaiDvpp
        ) && !self.wants_blocks()
    }

    fn ask(
        &mut self,
        view: &dyn HeapView,
        mut question: impl FnMut(&mut dyn Tracker, &dyn HeapView, &mut Vec<Finding>),
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let (virtual_memory, others) = self.split();
        let resolved = ResolvedView {
            view,
            virtual_memory,
        };
        for tracker in others {
            question(tracker, &resolved, &mut found);
        }
        question(virtual_memory, view, &mut found);
        found
    }
}
