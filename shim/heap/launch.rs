//! Calls that read and write the ranges passed to them: operators, models, collectives.

use super::events::{finish_call, record_use};
use crate::record::{Hook, Recorder};
use aclsan_log::Values;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::operation::RangeUse;

/// Records and judges the ranges, forwards the call, then records the call. If the program crashes in it, the finding is already printed.
pub fn launch(
    hook: &Hook,
    argument: u32,
    ranges: &[RangeUse],
    stream: u64,
    values: &[u64],
    forward: impl FnOnce() -> i32,
) -> i32 {
    let mut recorded = Values::default();
    recorded.set(values);
    launch_as(
        hook,
        |recorder| {
            recorder.prefetch_call(values);
            recorder.call(argument)
        },
        ranges,
        stream,
        &recorded,
        forward,
    )
}

/// As [`launch`], for a call that `call` describes.
#[inline(always)]
pub fn launch_as(
    hook: &Hook,
    mut call: impl FnMut(&mut Recorder) -> Call,
    ranges: &[RangeUse],
    stream: u64,
    values: &Values,
    forward: impl FnOnce() -> i32,
) -> i32 {
    let call = hook.record(|recorder| {
        let call = call(recorder);
        for &used in ranges {
            record_use(recorder, &call, used, stream);
        }
        call
    });
    let status = forward();
    if let Some(call) = call {
        hook.record(|recorder| finish_call(recorder, &call, values, status));
    }
    status
}
