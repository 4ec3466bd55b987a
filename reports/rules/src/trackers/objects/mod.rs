//! Objects that outlive a call and are no blocks of memory: executors, keys, mappings, registrations and the like.
//!
//! Each tracker is a state machine in a file of its own. It receives calls and blocks that are about to go, and
//! notices when their order is broken. Like the rules, trackers have two hosts, the shim at the call and replay from
//! the log, which report the same facts in the same order. A tracker decides when to ask a rule; the sentences are the
//! rule's.

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
use crate::api::functions::{Call, Effect, Family, Function, Role};
use crate::evidence::finding::Finding;
use crate::rules::index_out_of_range;
use aclsan_log::branch::unlikely;
use aclsan_log::record::Values;
use resolved_view::ResolvedView;
pub use sub_blocks::PoolSegment;
pub use tracker::HeapView;
use tracker::Tracker;
use virtual_memory::VirtualMemory;

/// All trackers.
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
    /// Whether a tracker needs blocks of memory.
    wants_blocks: bool,
    /// The same, if the host has not asked since it changed.
    changed_wants: Option<bool>,
}

/// Which trackers follow a function's successful calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follower {
    /// One alone, of calls that an operator or a pool makes for each tensor.
    SubBlocks,
    Executors,
    Tensors,
    /// Any.
    Several,
}

impl Follower {
    #[inline(always)]
    fn of(function: &Function) -> Self {
        match function.role {
            Role::Annotation => Self::SubBlocks,
            _ if function.is_phase_one() || function.is_phase_two() => Self::Executors,
            _ if function.is_of_tensor() => Self::Tensors,
            _ => Self::Several,
        }
    }
}

impl ObjectTracker {
    fn trackers(&mut self) -> [&mut dyn Tracker; 11] {
        let (virtual_memory, [a, b, c, d, e, f, g, h, i, j]) = self.split();
        [a, b, c, d, e, f, g, h, i, j, virtual_memory]
    }

    /// The tracker that knows what is mapped, and the others, which see its mappings.
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

    /// The host's view, with what is mapped in its reserved ranges.
    pub fn resolved<'a>(&'a self, view: &'a dyn HeapView) -> impl HeapView + 'a {
        ResolvedView {
            view,
            virtual_memory: &self.virtual_memory,
        }
    }

    /// What an access to `address` touches, given the host's `place`: in a reserved range, what is mapped there.
    #[inline]
    pub fn resolve(&self, address: u64, place: AddressInfo) -> AddressInfo {
        self.virtual_memory.resolve(address, place)
    }

    /// What rules about an access of `size` bytes see, given what it touches: in a pool of the program, the pool's part.
    pub fn part(&self, address: u64, size: u64, place: AddressInfo) -> AddressInfo {
        self.sub_blocks.part(address, size, place)
    }

    /// A call returned `status`. `values` are named by its function's row.
    pub fn called<V: HeapView>(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &V,
    ) -> Vec<Finding> {
        let follower = Follower::of(call.function);
        if follower == Follower::Several || unlikely(status != 0) {
            return self.called_of_several(call, values, status, view);
        }
        let mut found = Vec::new();
        let view = &ResolvedView {
            view,
            virtual_memory: &self.virtual_memory,
        };
        // Each by its name: a call of a `dyn Tracker` would be one that nothing has predicted.
        match follower {
            Follower::SubBlocks => self.sub_blocks.annotated(call, values, view, &mut found),
            Follower::Executors => self.executors.called(call, values, 0, view, &mut found),
            Follower::Tensors | Follower::Several => {
                self.tensors.called(call, values, 0, view, &mut found);
            }
        }
        found
    }

    #[inline(never)]
    fn called_of_several(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        // Streams, events and the like are not tracked here; trackers keep what `Role::State` changes.
        let foreign_stream = call.function.vendor().answers.foreign_stream.0;
        if call.function.role == Role::Order && status != foreign_stream {
            return Vec::new();
        }
        if call.function.effect() == Effect::CheckIndices {
            let address = values.get(1);
            let place = self.resolve(address, view.place(address));
            let part = self.part(address, 1, place);
            return vec![index_out_of_range::check(call, values, &part)];
        }
        self.ask(view, |tracker, view, found| {
            tracker.called(call, values, status, view, found)
        })
    }

    /// A block or a handle was created.
    pub fn made(&mut self, call: &Call, block: &Block, view: &dyn HeapView) -> Vec<Finding> {
        // The call reports what a tensor describes.
        if self.is_uninteresting(block) || block.family() == Family::Tensor {
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
        if block.family() == Family::Tensor {
            let mut found = Vec::new();
            let view = &ResolvedView {
                view,
                virtual_memory: &self.virtual_memory,
            };
            self.tensors.releasing(call, block, view, &mut found);
            return found;
        }
        self.ask(view, |tracker, view, found| {
            tracker.releasing(call, block, view, found)
        })
    }

    /// A release names no live block by its start. Called before the rules if nothing is known of the address,
    /// otherwise after them if they reported nothing.
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

    /// The last release reported for this block failed: it is live again.
    pub fn on_release_failed(&mut self, block: &Block) {
        self.trackers()
            .into_iter()
            .for_each(|tracker| tracker.on_release_failed(block));
        self.update_wants();
    }

    /// A copy or fill is about to touch memory from these addresses on.
    #[inline]
    pub fn touched(&mut self, call: &Call, addresses: &[u64]) -> Vec<Finding> {
        let mut found = Vec::new();
        if !self.registrations.is_empty() {
            self.registrations.touched(call, addresses, &mut found);
        }
        found
    }

    /// Whether a tracker needs copies and fills. Otherwise hosts need not report them.
    #[inline]
    pub fn wants_accesses(&self) -> bool {
        !self.registrations.is_empty()
    }

    /// Recording was stopped: tensors, executors and parts of blocks may be others by now.
    pub fn forget_transient(&mut self) {
        self.tensors = tensors::Tensors::default();
        self.executors = executors::Executors::with_unseen();
        self.sub_blocks.forget_segments();
    }

    /// The device's last reset, by this call, dropped its memory.
    pub fn reset(&mut self, call: &Call, device: i32) {
        self.trackers()
            .into_iter()
            .for_each(|tracker| tracker.reset(call, device));
        self.update_wants();
    }

    /// Whether a tracker needs blocks of memory. Otherwise hosts need not report them.
    pub fn wants_blocks(&self) -> bool {
        self.wants_blocks
    }

    /// What [`ObjectTracker::wants_blocks`] says, if that has changed since the last call of this function; at first it is `false`.
    #[inline(always)]
    pub fn take_changed_wants(&mut self) -> Option<bool> {
        self.changed_wants.take()
    }

    /// Calls that a tracker follows alone change nothing about it.
    fn update_wants(&mut self) {
        let wants = !(self.registrations.is_empty() && self.ipc.is_empty() && self.hiai.is_empty());
        if wants != self.wants_blocks {
            self.wants_blocks = wants;
            self.changed_wants = Some(wants);
        }
    }

    /// The pool that hands out parts of the block, and which of them are live.
    pub fn pool_segment(&self, block: &Block) -> Option<PoolSegment> {
        self.sub_blocks.pool_segment(block)
    }

    /// Whether the block is plain memory that no tracker needs now.
    fn is_uninteresting(&self, block: &Block) -> bool {
        use Family::*;
        matches!(
            block.family(),
            Device | Dvpp | DvppMpi | Pinned | Managed | Pool | HiaiDvpp
        ) && !self.wants_blocks
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
        self.update_wants();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::functions::{Effect, FUNCTIONS};
    use std::fs;
    use std::path::Path;

    /// Trackers match calls by effect, so their sources say what they follow.
    #[test]
    fn no_tracker_names_an_effect_that_another_follows_alone() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/trackers/objects");
        let sources = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let sources = sources.filter(|path| path.is_file() && !path.ends_with("mod.rs"));
        let sources: Vec<_> = sources
            .map(|path| (fs::read_to_string(&path).unwrap(), path))
            .collect();
        let mut followed = 0;
        for function in FUNCTIONS {
            let own = match Follower::of(function) {
                Follower::Tensors => "tensors.rs",
                Follower::Executors => "executors.rs",
                Follower::SubBlocks => "sub_blocks.rs",
                Follower::Several => continue,
            };
            if function.effect() == Effect::None {
                continue;
            }
            followed += 1;
            let name = format!("Effect::{:?}", function.effect());
            let named = sources.iter().filter(|(text, _)| text.contains(&name));
            for (_, path) in named {
                assert!(path.ends_with(own), "{name} in {}", path.display());
            }
        }
        assert!(followed > 10, "{followed}");
    }
}
