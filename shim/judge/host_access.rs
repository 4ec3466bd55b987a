//! Host memory that queued work uses, protected from the CPU (`host_access=trap`).
//!
//! Before a call that names host memory is forwarded, its pages are open: the runtime may access them itself, or have the
//! kernel do it. When it has queued its work, they are protected. They are opened when the host has learned that the work
//! is done. A copy that ends within its call, because it is blocking or its memory pageable, never protects anything.

use super::objects;
use crate::record::Recorder;
use crate::state::limits::Limit;
use crate::state::process::Process;
use aclsan_log::BlockId;
use aclsan_log::record::Access;
use aclsan_os::host_pages::{self, Claim, Outcome};
use aclsan_os::page_range::{end_of, page_down, page_up};
use aclsan_os::stderr;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::is_host_memory;
use aclsan_rules::api::functions::Call;
use aclsan_rules::trackers::stream_order::HostUse;
use std::sync::atomic::{AtomicBool, Ordering::*};

/// The call whose ranges were named has returned: what is in flight is protected.
#[cold]
pub fn end_queued(recorder: &Recorder, is_done: bool) {
    let named = recorder.process.host.take_named(recorder.thread.tid);
    if !is_done || named.is_empty() || !is_supported(recorder.process) {
        return;
    }
    let host_version = || recorder.process.judge.order.lock().host_version();
    let before = host_version();
    for range in named {
        protect(recorder, range);
    }
    // Another thread may have learned that this is done, and looked at the claims too early to see these.
    if host_version() != before {
        open_over(recorder.process);
    }
}

/// The thread's next call names a range: opens its pages, and remembers it if its work is queued.
#[cold]
pub(super) fn name_range(
    recorder: &Recorder,
    call: &Call,
    (address, size): (u64, u64),
    access: Access,
) {
    let end = end_of(address, size);
    host_pages::open(address, end, access != Access::Read);
    if call.function.is_async && size > 0 {
        (recorder.process.host).named(recorder.thread.tid, (address, end));
    }
}

/// Opens the pages of a block that is about to be released, and forgets it.
#[cold]
pub(super) fn release(process: &Process, block: &Block) {
    if is_host_memory(block.family()) {
        host_pages::remapped(block.address, end_of(block.address, block.size));
        process.host.released(block.id);
    }
}

/// Opens what the host knows to be done, if it has learned anything; `version` is what it knows.
///
/// Two threads that learn the same may both open it: neither may go on before that is done.
#[cold]
pub(super) fn open_finished(process: &Process, version: u64) {
    let seen = &process.host.seen_version;
    if host_pages::is_empty() || seen.load(Acquire) == version {
        return;
    }
    open_over(process);
    seen.store(version, Release);
}

/// Opens all pages whose work the host knows to be done. The order's lock is not held while the kernel is asked.
fn open_over(process: &Process) {
    let mut claims = host_pages::claims();
    let mut order = process.judge.order.lock();
    claims.retain(|claim| !order.is_in_flight(&in_use(claim)));
    drop(order);
    host_pages::end(claims);
}

fn in_use(claim: &Claim) -> HostUse {
    HostUse {
        block: BlockId(claim.block),
        bounds: (0, 0),
        from: claim.from,
        to: claim.to,
        writes: claim.writes,
    }
}

fn protect(recorder: &Recorder, (from, to): (u64, u64)) {
    let process = recorder.process;
    let place = objects::resolve(recorder, from);
    let uses = process.judge.order.lock().in_flight(from, &place);
    // What shares a page with it was opened as well.
    let (low, high) = (page_down(from), page_up(to));
    for used in uses.iter().filter(|used| used.from < high && low < used.to) {
        let bounds = process.host.bounds(used.block, used.bounds);
        if bounds.0 == bounds.1 {
            return say_unprotected();
        }
        let claim = Claim::new(used.block.0, bounds, (used.from, used.to), used.writes);
        match host_pages::protect(claim) {
            Outcome::Protected | Outcome::NoPage => {}
            Outcome::Full => {
                Limit::HostCopies.leave_out(1);
            }
            Outcome::Refused => {
                process.host.refused(used.block);
                return say_unprotected();
            }
        }
    }
}

/// Whether devices access host memory by other page tables than the CPU.
fn is_supported(process: &Process) -> bool {
    let is_shared = process.heap.devices.profile().shared_memory;
    static WARNED: AtomicBool = AtomicBool::new(false);
    if is_shared && !WARNED.swap(true, Relaxed) {
        stderr::warning(
            "option `host_access`: host and device share one memory here, and the device may see the protection of pages: nothing is watched",
        );
    }
    !is_shared
}

#[cold]
fn say_unprotected() {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Relaxed) {
        stderr::warning(
            "option `host_access`: the kernel does not change the protection of some host memory; accesses to it are not watched",
        );
    }
}
