//! The shim's side of the object tracker: forwards recorded facts to it, and reports its findings.
//!
//! The object tracker's lock is held only while the object tracker works, never while the runtime is called or another thread's stack is read.

use super::{Judge, is_reporting};
use crate::record::Recorder;
use crate::state::process::Process;
use aclsan_log::Values;
use aclsan_log::branch::{cold_path, unlikely};
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::{Family, Loss};
use aclsan_rules::api::functions::Call;
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::trackers::objects::{HeapView, ObjectTracker};
use std::sync::atomic::Ordering::Relaxed;

/// The queries that the object tracker may make.
struct LiveScene<'a>(&'a Process);

impl HeapView for LiveScene<'_> {
    fn place(&self, address: u64) -> AddressInfo {
        self.0.heap.live.place(address)
    }

    fn block_at(&self, start: u64) -> Option<Block> {
        self.0.heap.live.block_at(start)
    }

    fn profile(&self) -> Profile {
        self.0.heap.devices.profile()
    }
}

/// Facts about one call that the object tracker receives, and questions that it answers.
pub trait AskObjects {
    /// Resolves `address` for an access: in a reserved range, to whatever is mapped there.
    fn resolve(&self, address: u64) -> AddressInfo;

    /// As [`Self::resolve`], where the live table has already been looked up.
    fn resolve_place(&self, address: u64, place: AddressInfo) -> AddressInfo;

    /// What rules about an access of `size` bytes see, given what it touches: see [`ObjectTracker::part`].
    fn part(&self, address: u64, size: u64, place: &AddressInfo) -> AddressInfo;

    /// Reports an allocated block of memory, if the object tracker follows blocks.
    fn object_allocated(&self, call: &Call, block: impl FnOnce() -> Block);

    /// Reports a block or handle that is about to be released, if the object tracker follows it; `true` if that is a finding.
    fn object_releasing(&self, call: &Call, block: impl FnOnce() -> Block) -> bool;

    /// Reports a release of something that is not live; `true` if that is a finding.
    fn object_unknown_release(&self, call: &Call, address: u64) -> bool;

    /// Reports addresses that a copy or fill is about to access, if the object tracker follows blocks.
    fn object_touched(&self, call: &Call, addresses: &[u64]);

    /// Reports that the release failed.
    fn object_release_failed(&self, block: &Block);

    /// Reports the last reset of a device.
    fn object_reset(&self, call: &Call, device: i32);

    /// Reports a call; `values` are those that the function's row names.
    fn object_called(&self, call: &Call, values: &Values, status: i32);

    /// Reports a handle or range that a call has made.
    fn object_made(&self, call: &Call, block: &Block);
}

impl AskObjects for Recorder<'_> {
    #[inline(always)]
    fn resolve(&self, address: u64) -> AddressInfo {
        self.resolve_place(address, self.process.heap.live.place(address))
    }

    #[inline(always)]
    fn resolve_place(&self, address: u64, place: AddressInfo) -> AddressInfo {
        match place {
            AddressInfo::Live(block, _) if block.family() == Family::Reserved => {
                with_objects(self.process, |objects| objects.resolve(address, place))
            }
            _ => place,
        }
    }

    #[inline(always)]
    fn part(&self, address: u64, size: u64, place: &AddressInfo) -> AddressInfo {
        match self.process.judge.knows_parts.load(Relaxed) {
            true => with_objects(self.process, |objects| objects.part(address, size, *place)),
            false => *place,
        }
    }

    #[inline(always)]
    fn object_allocated(&self, call: &Call, block: impl FnOnce() -> Block) {
        if self.process.judge.objects_want_blocks.load(Relaxed) {
            ask(self, |objects, scene| objects.made(call, &block(), scene));
        }
    }

    #[inline(always)]
    fn object_releasing(&self, call: &Call, block: impl FnOnce() -> Block) -> bool {
        if !is_reporting(self.process) {
            return false;
        }
        let block = block();
        let is_block = block.family().loss() == Loss::Memory;
        let wants = !is_block || self.process.judge.objects_want_blocks.load(Relaxed);
        wants
            && ask(self, |objects, scene| {
                objects.releasing(call, &block, scene)
            })
    }

    #[cold]
    fn object_unknown_release(&self, call: &Call, address: u64) -> bool {
        ask(self, |objects, scene| {
            objects.on_unknown_pointer(call, address, scene)
        })
    }

    #[inline(always)]
    fn object_touched(&self, call: &Call, addresses: &[u64]) {
        if self.process.judge.objects_want_blocks.load(Relaxed) {
            ask(self, |objects, _| objects.touched(call, addresses));
        }
    }

    fn object_release_failed(&self, block: &Block) {
        with_objects(self.process, |objects| objects.on_release_failed(block));
    }

    fn object_reset(&self, call: &Call, device: i32) {
        with_objects(self.process, |objects| objects.reset(call, device));
    }

    #[inline(always)]
    fn object_called(&self, call: &Call, values: &Values, status: i32) {
        ask(self, |objects, scene| {
            objects.called(call, values, status, scene)
        });
    }

    #[inline(always)]
    fn object_made(&self, call: &Call, block: &Block) {
        ask(self, |objects, scene| objects.made(call, block, scene));
    }
}

/// Asks the object tracker and reports its findings; `true` if there were any. Not asked when nothing is reported, like rules.
#[inline(always)]
fn ask(
    recorder: &Recorder,
    question: impl FnOnce(&mut ObjectTracker, &LiveScene) -> Vec<Finding>,
) -> bool {
    if !is_reporting(recorder.process) {
        return false;
    }
    let scene = LiveScene(recorder.process);
    let found = with_objects(recorder.process, |objects| question(objects, &scene));
    if unlikely(found.capacity() > 0) {
        return report(recorder, found);
    }
    std::mem::forget(found); // Nothing to free, and nothing that asks whether there is.
    false
}

// Not inlined: what a hook runs otherwise is in fewer cache lines.
#[cold]
#[inline(never)]
fn report(recorder: &Recorder, found: Vec<Finding>) -> bool {
    !found.is_empty() && recorder.judge(|_| found)
}

/// Runs `work` with the object tracker locked.
pub fn with_objects<T>(process: &Process, work: impl FnOnce(&mut ObjectTracker) -> T) -> T {
    let mut objects = process.judge.objects.lock();
    let result = work(&mut objects);
    if let Some(wants) = objects.take_changed_wants() {
        cold_path();
        process.judge.objects_want_blocks.store(wants, Relaxed);
    }
    result
}
