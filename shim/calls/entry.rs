//! The entry of every hook.

use crate::lifecycle::{control, snapshot, warnings};
use crate::record::{Hook, Recording};
use crate::runtime::next::Interceptor;
use crate::state::attachment;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::status::{
    CONTROL_REQUESTED, NEW_MODULES, SNAPSHOT_REQUESTED, STATE, UNSETTLED, WARNINGS_WAIT,
};
use aclsan_rules::api::functions;
use aclsan_unwind::frame::Frame;
use std::sync::atomic::Ordering::Relaxed;

/// Enters the hook of `row`; `None` for a call from inside another hook. `leaf` is the frame of the exported function, where stack walks
/// start.
#[inline(always)]
pub fn enter(row: &'static Interceptor, leaf: Frame) -> Option<Hook> {
    let state = STATE.load(Relaxed);
    let recording = match state {
        0 => Recording::On,
        _ => handle_pending(row, state, leaf.pc, leaf.sp, leaf.fp)?,
    };
    Hook::enter(row, leaf, recording)
}

/// Handles what is pending before a call: modules that were loaded, a warning, a snapshot. Returns what is recorded of the call; `None` if it
/// is only forwarded. Takes the words of the frame one by one: passed whole, it would be in memory at every call.
#[cold]
#[inline(never)]
fn handle_pending(
    row: &'static Interceptor,
    state: u8,
    pc: u64,
    sp: u64,
    fp: u64,
) -> Option<Recording> {
    let recording = Recording::of(state)?;
    if state & NEW_MODULES != 0 {
        let _uncancelled = CancelGuard::enter();
        attachment::redirect_new();
    }
    if state & UNSETTLED != 0 {
        attachment::settle();
    }
    if state & WARNINGS_WAIT != 0 {
        warnings::print_waiting();
    }
    if state & CONTROL_REQUESTED != 0 {
        let _uncancelled = CancelGuard::enter();
        control::begin();
    }
    if state & SNAPSHOT_REQUESTED != 0
        && recording != Recording::Off
        && let Some(hook) = Hook::enter(row, Frame { pc, sp, fp }, recording)
    {
        let _uncancelled = CancelGuard::enter();
        hook.into_call(functions::number("aclsan_snapshot"))
            .record(snapshot::take);
    }
    Some(recording)
}
