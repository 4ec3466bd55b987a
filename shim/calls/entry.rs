//! The entry of every hook.

use crate::lifecycle::snapshot;
use crate::record::Hook;
use crate::runtime::next::Interceptor;
use crate::state::attachment;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::status::{IDLE, NEW_MODULES, OFF, OUT_OF_MEMORY, SNAPSHOT_REQUESTED, STATE};
use aclsan_os::stderr;
use aclsan_rules::api::functions;
use aclsan_unwind::frame::Frame;
use std::sync::atomic::Ordering::Relaxed;

/// Enters the hook of `row`; `None` for a call from inside another hook. `leaf` is the frame of the exported function, where stack walks
/// start.
#[inline(always)]
pub fn enter(row: &'static Interceptor, leaf: Frame) -> Option<Hook> {
    let state = STATE.load(Relaxed);
    if state != 0 {
        return enter_pending(row, leaf, state);
    }
    Hook::enter(row, leaf, false)
}

/// Handles what is pending before a call: modules that were loaded, a warning, a snapshot.
#[cold]
#[inline(never)]
fn enter_pending(row: &'static Interceptor, leaf: Frame, state: u8) -> Option<Hook> {
    if state & IDLE != 0 {
        return None;
    }
    let uncancelled = CancelGuard::enter();
    let is_off = state & OFF != 0;
    if state & NEW_MODULES != 0 {
        attachment::redirect_new();
    }
    if state & OUT_OF_MEMORY != 0 && STATE.fetch_and(!OUT_OF_MEMORY, Relaxed) & OUT_OF_MEMORY != 0 {
        stderr::warning(
            "out of memory: recording has stopped, the program continues, and further events are only counted; raise the limit (`ulimit -v`, `ulimit -d`) or lower `stack_depth`",
        );
    }
    if !is_off
        && state & SNAPSHOT_REQUESTED != 0
        && let Some(hook) = Hook::enter(row, leaf, false)
    {
        hook.into_call(functions::number("aclsan_snapshot"))
            .record(snapshot::take);
    }
    drop(uncancelled);
    Hook::enter(row, leaf, is_off)
}
