//! Blocks that `block_sample` leaves out: forwarded, with no lock and no event. Cold, so that programs whose blocks are all recorded pay for
//! a comparison alone.

use crate::record::Hook;
use crate::state::process::Process;
use aclsan_rules::api::family::Family;

/// Whether the block that the call allocates is left out.
#[inline(always)]
pub fn is_next(hook: &Hook, process: &Process, size: u64) -> bool {
    hook.is_on()
        && hook.function.family().is_some_and(Family::is_sampled)
        && !hook
            .inside()
            .countdown()
            .is_next_recorded(size, process.options.block_sample)
}

/// Whether a block that was to be left out is recorded after all: it starts at the address of a live one, whose release was not seen. A freed
/// one there is forgotten.
#[inline(always)]
pub fn is_over_live(process: &Process, address: u64) -> bool {
    let live = &process.heap.live;
    live.may_have(address) && !live.drop_reused(address)
}

/// Whether the call releases a block that was left out, or nothing that is known.
#[cold]
#[inline(never)]
pub fn is_release(hook: &Hook, address: u64) -> bool {
    let family = hook.function.family().unwrap_or(Family::Device);
    let (key, live) = (family.key(address), &Process::current().heap.live);
    hook.is_on() && !family.is_handle() && (!live.may_have(key) || live.get(key).is_none())
}
