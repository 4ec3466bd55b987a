//! `check_indices=1`: brings the indices of an operator to the host before it is launched, and holds them to its contract.

use super::events::finish_call;
use crate::record::Hook;
use crate::runtime::slots;
use crate::state::index_checks::PlannedCheck;
use crate::state::limits::Limit;
use crate::state::process::Process;
use aclsan_guards::{Device, Space};
use aclsan_log::Values;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::indices::OutOfRange;
use aclsan_rules::rules::index_out_of_range::{MANY_AXES, NO_AXIS};
use std::ffi::c_void;

/// Bytes of an index that are copied.
const MAX_BYTES: u64 = 256 << 20;

/// Checks the indices that an executor is about to use on a stream, once what is queued there has completed. Returns the device's error of that
/// work, which a wait may take away: the launch must return it instead.
pub fn check_before_launch(hook: &Hook, executor: u64, stream: *mut c_void) -> i32 {
    let process = Process::current();
    let planned = process.calls.index_checks.of(executor);
    if planned.is_empty() {
        return 0;
    }
    if process.calls.graph_captures.is_any_active() {
        Limit::Indices.leave_out(planned.len() as u64);
        return 0;
    }
    let waited = slots::SYNCHRONIZE_STREAM.status(|wait| wait(stream.cast()));
    let faults = planned[0].call.function.vendor().faults;
    match waited {
        Some(0) => {}
        Some(error) if faults.tasks.contains(&error) => return error,
        // A stream that no wait is allowed for.
        _ => {
            Limit::Indices.leave_out(planned.len() as u64);
            return 0;
        }
    }
    for index in &planned {
        if let Some(found) = broken(process, index) {
            record(hook, index, found);
        }
    }
    0
}

/// The first element that is out of range; `None` if there is none, or the index cannot be read.
fn broken(process: &Process, index: &PlannedCheck) -> Option<OutOfRange> {
    let view = &index.check.view;
    let (first, count) = view.bytes()?;
    if count > MAX_BYTES {
        Limit::Indices.leave_out(1);
        return None;
    }
    let address = view.address.checked_add(first)?;
    let space = match process.heap.live.place(address) {
        AddressInfo::Live(block, _) if block.family().is_host() => Space::Host,
        _ => Space::Device,
    };
    let mut bytes = vec![0; count as usize];
    super::device(process)
        .read(space, address, &mut bytes)
        .then(|| index.check.broken_by(&bytes))?
}

fn record(hook: &Hook, PlannedCheck { call, check }: &PlannedCheck, found: OutOfRange) {
    let columns = match check.view.sizes[..] {
        [] | [_] => 0,
        [_, columns] => columns.cast_unsigned(),
        _ => MANY_AXES,
    };
    let values = Values::of([
        check.argument.into(),
        check.view.address.wrapping_add(found.offset),
        found.value.cast_unsigned(),
        check.least.cast_unsigned(),
        check.below.cast_unsigned(),
        found.position,
        columns,
        check.axis.map_or(NO_AXIS, u64::from),
    ]);
    hook.record(|recorder| finish_call(recorder, call, &values, 0));
}
