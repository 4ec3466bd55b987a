//! What orders streams besides events: notifies, waits with conditions, reports, captured graphs.

use super::function::{Function, now, queued};
use super::role::Role::*;
use crate::api::family::Family;

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtCreateNotify", Allocate(Family::Notify)),
    now("aclrtNotifyImportByKey", Allocate(Family::Notify)),
    now("aclrtDestroyNotify", Release(Family::Notify)),
    queued("aclrtRecordNotify", Order).with(&["notify", "stream"]),
    queued("aclrtWaitAndResetNotify", Order).with(&["notify", "stream"]),
    now("aclrtNotifyBatchReset", Order).with(&["count"]),
    now("aclrtCntNotifyCreate", Allocate(Family::CountNotify)),
    now("aclrtCntNotifyDestroy", Release(Family::CountNotify)),
    queued("aclrtCntNotifyRecord", Order).with(&["notify", "stream", "mode", "value"]),
    queued("aclrtCntNotifyWaitWithTimeout", Order).with(&["notify", "stream", "mode", "value"]),
    queued("aclrtCntNotifyReset", Order).with(&["notify", "stream"]),
    queued("aclrtStreamWaitEventWithTimeout", Order).with(&["stream", "event"]),
    queued("aclrtStreamWaitEventWithFlag", Order).with(&["stream", "event"]),
    now("aclrtSubscribeReport", Order).with(&["thread", "stream"]),
    now("aclrtUnSubscribeReport", Order).with(&["thread", "stream"]),
    now("aclmdlRICaptureBegin", Order).with(&["stream", "mode"]),
    now("aclmdlRICaptureToModelRIBegin", Order).with(&["stream", "graph", "mode"]),
    now("aclmdlRICaptureEnd", Order).with(&["stream", "graph"]),
    now("aclmdlRICaptureThreadExchangeMode", Order).with(&["mode"]),
    now("aclmdlRICaptureTaskUpdateBegin", Order).with(&["stream", "group"]),
    now("aclmdlRICaptureTaskUpdateEnd", Order).with(&["stream"]),
    now("aclmdlRIBuildBegin", Order).with(&["graph"]),
    now("aclmdlRIBindStream", Order).with(&["graph", "stream", "flag"]),
    now("aclmdlRIEndTask", Order).with(&["graph", "stream"]),
    now("aclmdlRIBuildEnd", Order).with(&["graph"]),
    now("aclmdlRIUnbindStream", Order).with(&["graph", "stream"]),
    now("aclrtSetLabel", Order).with(&["stream"]),
    now("aclrtSwitchLabelByIndex", Order).with(&["stream"]),
    now("aclrtSwitchStream", Order).with(&["stream"]),
    now("aclmdlRIUpdate", Order).with(&["graph"]),
    now("aclmdlRITaskSetParams", Order).with(&["task"]),
    now("aclmdlRIExecute", Order).with(&["graph"]),
    queued("aclmdlRIExecuteAsync", Order).with(&["graph", "stream"]),
    now("aclmdlRIAbort", Order).with(&["graph"]),
    now("aclmdlRIDestroy", Order).with(&["graph"]),
];
