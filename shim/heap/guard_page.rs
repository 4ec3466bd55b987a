//! Blocks with a guard page: placing and releasing them, and telling the rules about them and the work queued on them.

use super::{Request, device};
use crate::judge::is_reporting;
use crate::record::{Hook, Recorder};
use crate::runtime::queries::is_out_of_memory;
use crate::runtime::virtual_memory;
use crate::state::process::Process;
use aclsan_guards::guard_page::{self, GuardPages, GuardedBlock, PlaceError};
use aclsan_guards::plan::Plan;
use aclsan_guards::{Device, MapError};
use aclsan_log::{BlockId, CallSiteId, Event, Values};
use aclsan_options::Guard;
use aclsan_os::lock::MutexGuard;
use aclsan_os::stderr;
use aclsan_rules::api::functions::{Call, Family, Role};
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::trackers::guard_page_faults::GuardPageFaults;
use aclsan_tables::live::Entry;
use std::sync::atomic::Ordering::Relaxed;

/// Warnings that are printed once each, by bit number.
mod notice {
    pub const OVER_LIMIT: u32 = 0;
    pub const NO_VIRTUAL_MEMORY: u32 = 1;
    pub const NOT_MAPPED: u32 = 2;
    pub const TOO_LITTLE_MEMORY: u32 = 3;
    pub const NOT_UNMAPPED: u32 = 4;
    pub const EXPORTED: u32 = 5;
    pub const BAD_RANGE: u32 = 6;
}

fn say_once(pages: &GuardPages, which: u32, sentence: &str) {
    if pages.is_first(which) {
        stderr::warning(sentence);
    }
}

/// Stops placing blocks before guard pages, and warns why.
fn turn_off(pages: &GuardPages, which: u32, sentence: &str) {
    pages.turn_off();
    say_once(pages, which, sentence);
}

/// The rules' state about guard pages.
fn rules(process: &Process) -> MutexGuard<'_, GuardPageFaults> {
    process.judge.page_faults.lock()
}

/// Places a sampled block before a guard page and writes its address for the program; returns the plan for its redzone. `None` if the runtime
/// must allocate it.
pub fn place(hook: &Hook, request: &Request, plan: &Plan) -> Option<Plan> {
    let process = Process::current();
    let (options, pages) = (process.options, &process.guards.pages);
    if !guard_page::is_eligible(options, hook.function, request)
        || pages.is_off()
        || process.calls.graph_captures.is_any_active()
    {
        return None;
    }
    let here = hook.record(|recorder| recorder.thread.device)??;
    process.judge.knows_guard_pages.store(true, Relaxed);
    let placed = guard_page::place(&device(process), pages, options, here, request, plan);
    placed.unwrap_or_else(|error| {
        report_place_error(process, error);
        None
    })
}

fn report_place_error(process: &Process, error: PlaceError) {
    let pages = &process.guards.pages;
    match error {
        PlaceError::OverLimit => say_once(
            pages,
            notice::OVER_LIMIT,
            &format!(
                "guard=page: blocks before guard pages hold the {} MiB that `page_mb` allows, further ones get rear guards; raise `page_mb`, or choose fewer by `guard_sample`, `page_min` and `page_max`",
                process.options.page_mb
            ),
        ),
        PlaceError::NotMapped(MapError::Missing) => turn_off(
            pages,
            notice::NO_VIRTUAL_MEMORY,
            "guard=page: this runtime has no virtual memory management; all blocks get rear guards",
        ),
        PlaceError::NotMapped(MapError::Failed(status)) if !is_out_of_memory(status) => turn_off(
            pages,
            notice::NOT_MAPPED,
            &format!(
                "guard=page: the runtime refused to map memory with {status}; further blocks get rear guards"
            ),
        ),
        PlaceError::NotMapped(MapError::BadRange) => turn_off(
            pages,
            notice::BAD_RANGE,
            "guard=page: the runtime reserved addresses that cannot be used; further blocks get rear guards",
        ),
        PlaceError::NotMapped(MapError::Failed(_) | MapError::TooLittleMemory) => say_once(
            pages,
            notice::TOO_LITTLE_MEMORY,
            "guard=page: less than an eighth of the device's memory would stay free; blocks get rear guards until there is more",
        ),
    }
}

/// The event that records the redzones of a new block, if it has any.
pub fn layout_event(
    recorder: &Recorder,
    id: BlockId,
    address: u64,
    entry: &Entry,
    front: u32,
) -> Option<Event> {
    let process = recorder.process;
    let (slack, guard) = (u32::from(entry.slack), u32::from(entry.guard));
    if !process.guards.pages.is_empty()
        && let Some(guarded) = process.guards.pages.get(address)
    {
        let reach = guarded.end() - address;
        rules(process).add(&entry.block(address), reach);
        return Some(Event::Fence {
            block: id,
            slack,
            guard,
            taken: guarded.pages,
        });
    }
    (slack > 0 || guard > 0 || front > 0).then_some(Event::Guard {
        block: id,
        slack,
        guard,
        front,
    })
}

/// Whether a block with a guard page starts at `address`.
#[inline(always)]
pub fn contains(process: &Process, address: u64) -> bool {
    !process.guards.pages.is_empty() && process.guards.pages.get(address).is_some()
}

/// Notes that the release of the block that starts at `address` is ordered by a stream.
pub fn set_release_stream(address: u64, stream: u64) {
    let pages = &Process::current().guards.pages;
    if !pages.is_empty() {
        pages.set_stream(address, stream);
    }
}

/// Releases a block with a guard page instead of the runtime; `None` if the block is the runtime's, or the call would refuse device memory.
#[inline(always)]
pub fn release(hook: &Hook, address: u64) -> Option<i32> {
    let process = Process::current();
    if process.guards.pages.is_empty() {
        return None;
    }
    release_guarded(hook, process, address)
}

#[cold]
fn release_guarded(hook: &Hook, process: &Process, address: u64) -> Option<i32> {
    let is_ordered = match hook.function.role {
        Role::Release(Family::Pool) => true,
        Role::Release(Family::Device | Family::Dvpp | Family::DvppMpi) => false,
        _ => return None,
    };
    if hook.function.waits_for_device() && process.guards.pages.get(address).is_some() {
        let status = virtual_memory::wait_for_device();
        if status != 0 {
            return Some(status);
        }
    }
    let guarded = process.guards.pages.remove(address, is_ordered)?;
    if !is_ordered {
        unmap(process, address, &guarded);
    }
    Some(0)
}

/// Frees a block's memory and retires its addresses; unreserves the oldest retired ranges over the limit.
fn unmap(process: &Process, address: u64, guarded: &GuardedBlock) {
    let runtime = device(process);
    let Ok(surplus) = process.guards.pages.unmap(&runtime, address, guarded) else {
        turn_off(
            &process.guards.pages,
            notice::NOT_UNMAPPED,
            "guard=page: the runtime would not unmap a released block; further blocks get rear guards",
        );
        return;
    };
    for (address, guarded) in surplus {
        rules(process).remove(address);
        runtime.unreserve(guarded.mapping.base);
    }
}

/// Unmaps the deferred blocks of a stream, or for `None` of a device, after the program has successfully waited for it.
fn drain_deferred(process: &Process, here: Option<i32>, stream: Option<u64>) {
    for (address, guarded) in process.guards.pages.drain_deferred(here, stream) {
        unmap(process, address, &guarded);
    }
}

/// Unreserves all ranges of a device whose last reset has dropped its memory.
pub fn on_reset(process: &Process, here: i32) {
    if !process.judge.knows_guard_pages.load(Relaxed) {
        return;
    }
    let runtime = device(process);
    for guarded in process.guards.pages.remove_device(here) {
        runtime.unreserve(guarded.mapping.base);
    }
    rules(process).reset(here);
}

/// The kernel arguments that point into blocks with a guard page, `most` at most.
pub fn blocks_named_by(arguments: &[u64], most: usize) -> Vec<u64> {
    let pages = &Process::current().guards.pages;
    if pages.is_empty() {
        return Vec::new();
    }
    pages.named_in(arguments, most)
}

/// What the runtime would report about the guarded block that contains `address`, had it allocated it: start, size, page size.
pub fn apparent_block(address: u64) -> Option<(u64, u64, u64)> {
    let pages = &Process::current().guards.pages;
    if pages.is_empty() {
        return None;
    }
    let (start, guarded) = pages.at_or_before(address)?;
    let (bytes, page) = guarded.apparent;
    (address - start < bytes).then_some((start, bytes, page))
}

/// The program exports a block, which the runtime refuses for mapped memory. Turns guard pages off, so it happens once at most.
pub fn on_export(address: u64) {
    let process = Process::current();
    if process.options.guard() != Guard::Page {
        return;
    }
    let is_guarded = apparent_block(address).is_some();
    let what = if is_guarded {
        "a block that ends at an unmapped page cannot be exported"
    } else {
        "the program exports blocks, which those that end at an unmapped page cannot be"
    };
    turn_off(
        &process.guards.pages,
        notice::EXPORTED,
        &format!(
            "guard=page: {what}; from here on blocks get rear guards: run this program with guard=rear"
        ),
    );
}

/// Whether the rules need to see calls.
#[inline(always)]
fn wants_calls(process: &Process) -> bool {
    process.judge.knows_guard_pages.load(Relaxed) && is_reporting(process)
}

/// The runtime refused to queue a copy or memset on `stream`: what is found, and whether the error is accounted for.
pub fn on_refused(
    recorder: &mut Recorder,
    call: &Call,
    stream: u64,
    status: i32,
) -> (Option<Finding>, bool) {
    if !wants_calls(recorder.process) {
        return (None, false);
    }
    let mut rules = rules(recorder.process);
    (
        rules.refused(call, stream, status),
        rules.explains_last_error(),
    )
}

/// A check has found the redzone of a block overwritten.
pub fn on_corruption(recorder: &Recorder, address: u64, site: CallSiteId) {
    if wants_calls(recorder.process) {
        rules(recorder.process).damaged(address, site);
    }
}

/// The block that starts at `address` is about to be released.
#[inline(always)]
pub fn on_release(recorder: &Recorder, address: u64, site: CallSiteId) {
    if wants_calls(recorder.process) {
        rules(recorder.process).released(address, site);
    }
}

/// The release has failed.
pub fn on_release_failed(recorder: &Recorder, address: u64) {
    if wants_calls(recorder.process) {
        rules(recorder.process).on_release_failed(address);
    }
}

/// A call queues work on these addresses.
#[inline(always)]
pub fn on_queued(recorder: &Recorder, call: &Call, stream: u64, addresses: &[u64]) {
    if wants_calls(recorder.process) {
        rules(recorder.process).queued(call, stream, addresses);
    }
}

/// A call has returned, with these values, after a page was guarded: what is found, and whether an error that it returned is accounted for.
pub fn on_call(
    recorder: &Recorder,
    call: &Call,
    values: &Values,
    status: i32,
) -> (Option<Finding>, bool) {
    let process = recorder.process;
    if status == 0 && call.function.is_wait() && !process.guards.pages.is_empty() {
        match call.function.values {
            ["stream"] => drain_deferred(process, None, Some(values.get(0))),
            [] => drain_deferred(process, recorder.thread.device, None),
            _ => {} // A wait as far as the order is concerned.
        }
    }
    if !is_reporting(process) {
        return (None, false);
    }
    let mut rules = rules(process);
    (
        rules.called(call, values, status),
        rules.explains_last_error(),
    )
}
