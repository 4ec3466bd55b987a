//! The shim's side of the object tracker: forwards recorded facts to it, and reports its findings.
//!
//! The object tracker's lock is held only while the object tracker works, never while the runtime is called or another thread's stack is read.

use super::{ask_rules, is_reporting};
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

/// Resolves `address` for an access: in a reserved range, to whatever is mapped there.
#[inline(always)]
pub fn resolve(recorder: &Recorder, address: u64) -> AddressInfo {
    resolve_place(recorder, address, recorder.process.heap.live.place(address))
}

/// As [`resolve`], where the live table has already been looked up.
#[inline(always)]
pub fn resolve_place(recorder: &Recorder, address: u64, place: AddressInfo) -> AddressInfo {
    match place {
        AddressInfo::Live(block, _) if block.family() == Family::Reserved => {
            with_objects(recorder.process, |objects| objects.resolve(address, place))
        }
        _ => place,
    }
}

/// What rules about an access of `size` bytes see, given what it touches: see [`ObjectTracker::part`].
#[inline(always)]
pub fn part(recorder: &Recorder, address: u64, size: u64, place: &AddressInfo) -> AddressInfo {
    match recorder.process.judge.knows_parts.load(Relaxed) {
        true => with_objects(recorder.process, |objects| {
            objects.part(address, size, *place)
        }),
        false => *place,
    }
}

/// Reports an allocated block of memory, if the object tracker follows blocks.
#[inline(always)]
pub fn allocated(recorder: &Recorder, call: &Call, block: impl FnOnce() -> Block) {
    if recorder.process.judge.objects_want_blocks.load(Relaxed) {
        ask(recorder, |objects, scene| {
            objects.made(call, &block(), scene)
        });
    }
}

/// Reports a block or handle that is about to be released, if the object tracker follows it; `true` if that is a finding.
#[inline(always)]
pub fn releasing(recorder: &Recorder, call: &Call, block: impl FnOnce() -> Block) -> bool {
    if !is_reporting(recorder.process) {
        return false;
    }
    let block = block();
    let is_block = block.family().loss() == Loss::Memory;
    let wants = !is_block || recorder.process.judge.objects_want_blocks.load(Relaxed);
    wants
        && ask(recorder, |objects, scene| {
            objects.releasing(call, &block, scene)
        })
}

/// Reports a release of something that is not live; `true` if that is a finding.
#[cold]
pub fn unknown_release(recorder: &Recorder, call: &Call, address: u64) -> bool {
    ask(recorder, |objects, scene| {
        objects.on_unknown_pointer(call, address, scene)
    })
}

/// Reports addresses that a copy or fill is about to access, if the object tracker follows blocks.
#[inline(always)]
pub fn touched(recorder: &Recorder, call: &Call, addresses: &[u64]) {
    if recorder.process.judge.objects_want_blocks.load(Relaxed) {
        ask(recorder, |objects, _| objects.touched(call, addresses));
    }
}

/// Reports that the release failed.
pub fn release_failed(recorder: &Recorder, block: &Block) {
    with_objects(recorder.process, |objects| objects.on_release_failed(block));
}

/// Reports the last reset of a device.
pub fn reset(recorder: &Recorder, call: &Call, device: i32) {
    with_objects(recorder.process, |objects| objects.reset(call, device));
}

/// Reports a call; `values` are those that the function's row names.
#[inline(always)]
pub fn called(recorder: &Recorder, call: &Call, values: &Values, status: i32) {
    ask(recorder, |objects, scene| {
        objects.called(call, values, status, scene)
    });
}

/// Reports a handle or range that a call has made.
#[inline(always)]
pub fn made(recorder: &Recorder, call: &Call, block: &Block) {
    ask(recorder, |objects, scene| objects.made(call, block, scene));
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
    !found.is_empty() && ask_rules(recorder, |_| found)
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
