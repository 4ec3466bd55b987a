//! How a call enters the shim.

use crate::lifecycle::snapshot;
use crate::record::Hook;
use crate::runtime::next::Interceptor;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::status::{OFF, OUT_OF_MEMORY, STATE};
use aclsan_os::stderr;
use aclsan_rules::api::functions;
use aclsan_unwind::frame::Frame;
use std::sync::atomic::Ordering::Relaxed;

/// Enters the hook of `row`; `None` for a call from inside another hook. `leaf` is the exported function's own frame, where the stack is
/// walked from.
#[inline(always)]
pub fn enter(row: &'static Interceptor, leaf: Frame) -> Option<Hook> {
    let state = STATE.load(Relaxed);
    let is_off = state != 0 && handle_pending(row, leaf, state);
    Hook::enter(row, leaf, is_off)
}

/// Does what is to be done before a call; whether the call is not to be recorded.
#[cold]
#[inline(never)]
fn handle_pending(row: &'static Interceptor, leaf: Frame, state: u8) -> bool {
    let _uncancelled = CancelGuard::enter();
    let is_off = state & OFF != 0;
    if state & OUT_OF_MEMORY != 0 && STATE.fetch_and(!OUT_OF_MEMORY, Relaxed) & OUT_OF_MEMORY != 0 {
        stderr::warning(
            "memory is short: aclsan records nothing more, counts what it does not record, and the program runs on; raise the limit (ulimit -v, ulimit -d), or set stack_depth lower",
        );
    }
    if !is_off && let Some(hook) = Hook::enter(row, leaf, false) {
        hook.into_call(functions::number("aclsan_snapshot"))
            .record(snapshot::take);
    }
    is_off
}
