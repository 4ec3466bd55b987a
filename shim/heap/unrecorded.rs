//! Blocks that `block_sample` leaves out: forwarded, with no lock and no event.

use super::Request;
use super::allocate::{finish, flush_quarantine_for_retry};
use crate::record::Hook;
use crate::runtime::queries::is_out_of_memory;
use crate::state::block_sampling;
use crate::state::process::Process;
use aclsan_os::clock;
use aclsan_rules::api::family::Family;

/// Allocates a block unless it is to be recorded, in which case nothing was done: `None`.
///
/// Never inlined, so that programs whose blocks are all recorded pay for a comparison alone.
#[inline(never)]
pub fn allocate(
    hook: &Hook,
    process: &'static Process,
    request: Request,
    forward: &dyn Fn(u64) -> i32,
) -> Option<i32> {
    if !hook.is_on()
        || !hook.function.family().is_some_and(Family::is_sampled)
        || block_sampling::is_next_recorded(request.size, process.options.block_sample)
    {
        return None;
    }
    let status = forward(request.size);
    match status {
        0 if !process.heap.live.may_have(request.out.read()) => Some(0),
        0 => Some(on_reused(hook, process, request)),
        _ => Some(on_failed(hook, request, status, forward)),
    }
}

/// Failures are all recorded.
#[cold]
#[inline(never)]
fn on_failed(hook: &Hook, request: Request, status: i32, forward: &dyn Fn(u64) -> i32) -> i32 {
    let begun = clock::ticks(clock::source());
    let may_fit = is_out_of_memory(status) && flush_quarantine_for_retry(hook);
    let status = match may_fit {
        true => forward(request.size),
        false => status,
    };
    match status {
        0 => 0,
        _ => finish(hook, request, None, begun, status),
    }
}

/// The block may start where a recorded one did: that one is gone. If its release was not seen, the new block is recorded, and shows it.
#[cold]
#[inline(never)]
fn on_reused(hook: &Hook, process: &Process, request: Request) -> i32 {
    match process.heap.live.drop_reused(request.out.read()) {
        true => 0,
        false => finish(hook, request, None, clock::ticks(clock::source()), 0),
    }
}

/// Whether the call releases a block that was not recorded, or nothing that is known.
#[inline(never)]
pub fn is_release(hook: &Hook, process: &Process, address: u64) -> bool {
    let family = hook.function.family().unwrap_or(Family::Device);
    let (key, live) = (family.key(address), &process.heap.live);
    hook.is_on() && !family.is_handle() && (!live.may_have(key) || live.get(key).is_none())
}
