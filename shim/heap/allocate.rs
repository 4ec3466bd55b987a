//! Allocations: forwarded with extra bytes for redzones, then recorded.

use super::soc::detect_soc;
use super::{
    Request, device, events::record_call, guard_page, may_copy, quarantine, unguarded, unrecorded,
};
use crate::judge::{ask_rules, objects};
use crate::record::{Hook, Recorder};
use crate::runtime::queries::is_out_of_memory;
use crate::runtime::slots::LastError;
use crate::state::block_sampling;
use crate::state::companion;
use crate::state::process::Process;
use aclsan_guards::plan::Plan;
use aclsan_guards::{Space, left_redzone, plan, redzone};
use aclsan_log::record::SLOW_NS;
use aclsan_log::{BlockId, CallSiteId, Event};
use aclsan_options::Guard;
use aclsan_os::clock;
use aclsan_os::maps;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::judge;
use aclsan_tables::live::{Entry, State};
use std::cell::Cell;

/// Forwards an allocation and records its block. `forward` calls the runtime with the size to request.
#[inline(always)]
pub fn allocate(hook: &Hook, request: Request, forward: impl Fn(u64) -> i32 + Copy) -> i32 {
    let process = Process::current();
    if block_sampling::is_on()
        && let Some(status) = allocate_unrecorded(hook, process, &request, forward)
    {
        return status;
    }
    if process.guards.may_touch
        && process.options.guard() != Guard::Off
        && !process.heap.devices.is_soc_known()
    {
        hook.record(|recorder| recorder.thread.device.map(|_| detect_soc(recorder)));
    }
    let plan = plan_for(hook, process, &request);
    let begun = clock::ticks(clock::source());
    let guarded = plan.and_then(|plan| guard_page::place(hook, &request, &plan));
    if guarded.is_some() {
        return finish(hook, request, guarded, begun, 0);
    }
    let asked = plan.map_or(request.size, |plan| plan.ask);
    let before = plan.map(|_| LastError::now());
    let mut status = forward_or_flush(hook, || forward(asked));
    let mut plan = plan;
    if is_out_of_memory(status) && asked != request.size {
        // The redzones alone may be what does not fit.
        plan = None;
        status = forward(request.size);
        if status == 0 {
            before.inspect(LastError::restore);
        }
    }
    finish(hook, request, plan, begun, status)
}

/// As [`allocate`], for a block that the sample leaves out; `None` if it is to be recorded. Failures are recorded all the same. Takes `forward` by
/// value: what it captures stays in registers where nothing is left out.
#[cold]
#[inline(never)]
fn allocate_unrecorded(
    hook: &Hook,
    process: &Process,
    request: &Request, // Copied, it would be read in halves right after it was written in words, which waits for the stores.
    forward: impl Fn(u64) -> i32,
) -> Option<i32> {
    if !unrecorded::is_next(hook, process, request.size) {
        return None;
    }
    let status = forward_or_flush(hook, || forward(request.size));
    Some(
        match status == 0 && !unrecorded::is_over_live(process, request.out.read()) {
            true => 0,
            // How long it took is not known: reading the clock twice would cost more than the rest.
            false => finish(hook, *request, None, clock::ticks(clock::source()), status),
        },
    )
}

/// As [`allocate`], for pinned memory, which has pages of its own with `host_access=trap`.
#[inline(always)]
pub fn allocate_pinned(hook: &Hook, request: Request, forward: impl Fn(u64) -> i32 + Copy) -> i32 {
    match Process::current().options.traps_host_access() {
        true => on_own_pages(hook, request, &forward),
        false => allocate(hook, request, forward),
    }
}

#[cold]
#[inline(never)]
fn on_own_pages(hook: &Hook, request: Request, forward: &dyn Fn(u64) -> i32) -> i32 {
    let process = Process::current();
    let sizes = Cell::new((0, 0));
    let status = allocate(hook, request, |size| {
        let whole = process.host.whole_pages(process.options, size);
        sizes.set((size, whole));
        let status = forward(whole);
        if status == 0 || whole == size {
            return status;
        }
        process.host.give_back(size, whole);
        match is_out_of_memory(status) {
            // The rest of the pages may be what does not fit.
            true => {
                sizes.set((size, size));
                forward(size)
            }
            false => status,
        }
    });
    if status == 0 {
        note_pages(hook, &request, sizes.get());
    }
    status
}

/// Records which pages the new block has to itself.
fn note_pages(hook: &Hook, request: &Request, asked: (u64, u64)) {
    hook.record(|recorder| {
        let address = request.out.read();
        if let AddressInfo::Live(block, 0) = recorder.process.heap.live.place(address) {
            let host = &recorder.process.host;
            host.allocated(block.id, (address, block.size), asked);
        } else {
            recorder.process.host.give_back(asked.0, asked.1);
        }
    });
}

/// Plans the guards of a request; reports, once for each kind, what cannot be guarded.
#[inline(always)]
fn plan_for(hook: &Hook, process: &Process, request: &Request) -> Option<Plan> {
    if !process.guards.may_touch || !hook.is_on() || process.options.guard() == Guard::Off {
        return None;
    }
    let soc = process.heap.devices.soc().map(|soc| &soc.profile);
    let soc = soc.filter(|_| !process.calls.graph_captures.forbids_copies());
    let planned = plan::plan(process.options, soc, hook.function, request);
    if let Some(kind) = planned.unsupported {
        unguarded::report_unsupported_kind(process, kind);
    }
    planned.plan
}

/// Records the outcome of an allocation that began at `begun`.
#[inline(always)]
pub(super) fn finish(
    hook: &Hook,
    request: Request,
    plan: Option<Plan>,
    begun: u64,
    status: i32,
) -> i32 {
    let ended = clock::ticks(clock::source());
    hook.record(|recorder| {
        if status != 0 {
            return on_allocation_failed(recorder, &request, status);
        }
        let address = request.out.read();
        if address != 0 {
            recorder.prefetch_allocation(address);
            recorder.detect_device(); // The thread has a device: the runtime has just allocated on it.
            let call = recorder.call(request.argument);
            let times = (begun, ended);
            match &plan {
                None => on_allocated(recorder, &call, address, request, None, times),
                Some(plan) => on_guarded(recorder, &call, address, request, plan, times),
            }
        } else {
            record_call(recorder, request.argument, &[], 0); // Success, but no block.
        }
    });
    status
}

/// Forwards an allocation, once more where it fails for lack of memory that only the quarantine holds.
#[inline(always)]
pub fn forward_or_flush(hook: &Hook, forward: impl Fn() -> i32) -> i32 {
    match Process::current().guards.quarantine.is_empty() {
        true => forward(),
        false => flush_and_retry(hook, &forward),
    }
}

#[cold]
fn flush_and_retry(hook: &Hook, forward: &dyn Fn() -> i32) -> i32 {
    let before = LastError::now();
    let status = forward();
    let flush = |recorder: &mut Recorder| quarantine::flush(recorder, -1);
    if !is_out_of_memory(status) || hook.record_or(flush, flush) != Some(true) {
        return status;
    }
    let status = forward();
    if status == 0 {
        before.restore();
    }
    status
}

#[cold]
fn on_allocation_failed(recorder: &mut Recorder, request: &Request, status: i32) {
    let site = recorder.call(request.argument).site;
    let size = request.size;
    recorder.event(&Event::AllocationFailed { site, size, status });
    recorder.define_status(status);
    if is_out_of_memory(status) {
        recorder.ask_memory();
    }
}

/// As [`on_allocated`], if the block was to have guards. One function for all hooks, which have none of this in their own code.
#[cold]
#[inline(never)]
fn on_guarded(
    recorder: &mut Recorder,
    call: &Call,
    address: u64,
    request: Request,
    plan: &Plan,
    times: (u64, u64),
) {
    let plan = Some(*plan).filter(|_| maps::is_plausible_range(address, request.size));
    on_allocated(recorder, call, address, request, plan, times);
}

// Unoptimized, it would have two places on the stack below `on_guarded`.
#[cfg_attr(not(debug_assertions), inline(always))]
fn on_allocated(
    recorder: &mut Recorder,
    call: &Call,
    address: u64,
    request: Request,
    plan: Option<Plan>,
    (begun, ended): (u64, u64),
) {
    let (address, plan) = match plan.filter(|plan| plan.left > 0) {
        Some(plan) => shift_by_left_redzone(call, address, request, plan),
        None => (address, plan),
    };
    let id = recorder.allocation_at(ended, call.site, address, request.size);
    if ended.saturating_sub(begun) > clock::QUICK {
        slow(recorder, id, ended.saturating_sub(begun));
    }
    let mut entry = Entry {
        id,
        size: request.size,
        site: call.site,
        end: CallSiteId(0),
        guard: 0,
        slack: 0,
        function: recorder.function_id(),
        device: call.device as i8,
        state: State::Live,
        age: 0,
    };
    if let Some(plan) = plan {
        let space = Space::of_function(call.function);
        if redzone::write_pattern(
            &device(recorder.process),
            space,
            address,
            request.size,
            &plan,
        ) {
            entry.guard = plan.right;
            entry.slack = plan.padding;
        }
        if let Some(event) = guard_page::layout_event(recorder, id, address, &entry, plan.left) {
            recorder.event(&event);
        }
    }
    recorder.process.heap.live.insert(address, &entry);
    let process = recorder.process;
    if process.guards.may_touch && process.options.fill() && may_copy(process, call.function) {
        process
            .guards
            .poisoned
            .poison_new(&device(process), address, &entry);
    }
    recorder.ignore_if_requested(id);
    let is_host = call.function.family().is_some_and(Family::is_host);
    companion::watch_range(recorder.process.options, is_host, address, request.size);
    if !recorder.process.heap.devices.is_soc_known() {
        detect_soc(recorder);
    }
    ask_rules(recorder, |profile| {
        judge::allocation(&entry.block(address), profile)
    });
    objects::allocated(recorder, call, || entry.block(address));
    let out = request.out.address();
    if !recorder.thread.trace.is_on_stack(out) {
        ask_rules(recorder, |profile| {
            judge::out_parameter(call, out, &objects::resolve(recorder, out), profile)
        });
    }
}

/// Returns the address after the left redzone to the program; the block's real start if the redzone could not be written.
#[cold]
fn shift_by_left_redzone(
    call: &Call,
    real: u64,
    request: Request,
    plan: Plan,
) -> (u64, Option<Plan>) {
    let runtime = device(Process::current());
    let space = Space::of_function(call.function);
    let Some(address) = left_redzone::open(&runtime, space, real, plan.left.into()) else {
        return (real, None);
    };
    request.out.write(address);
    (address, Some(plan))
}

/// Records an allocation that took long. Ticks are converted only here, off the fast path.
#[cold]
#[inline(never)] // `tests/benches/instructions.rs` subtracts it by name
fn slow(recorder: &mut Recorder, block: BlockId, ticks: u64) {
    let ns = clock::duration_ns(ticks);
    if ns >= SLOW_NS && block != BlockId(u64::MAX) {
        recorder.event(&Event::Slow { block, ns });
    }
}
