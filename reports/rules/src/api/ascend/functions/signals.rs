//! What orders streams besides events: notifies, waits with conditions, reports, captured graphs.

use crate::api::family::Family;
use crate::api::function::Role::*;
use crate::api::function::SyncRole;
use crate::api::function::{Function, now, queued};

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclrtCreateNotify", Allocate(Family::Notify)),
    now("aclrtNotifyImportByKey", Allocate(Family::Notify)),
    now("aclrtDestroyNotify", Release(Family::Notify)),
    queued("aclrtRecordNotify", Order).with(&["notify", "stream"]).sync(SyncRole::Notify),
    queued("aclrtWaitAndResetNotify", Order).with(&["notify", "stream"]).sync(SyncRole::WaitForNotify),
    now("aclrtNotifyBatchReset", Order).with(&["count"]).sync(SyncRole::ResetNotifies),
    now("aclrtCntNotifyCreate", Allocate(Family::CountNotify)),
    now("aclrtCntNotifyDestroy", Release(Family::CountNotify)),
    queued("aclrtCntNotifyRecord", Order).with(&["notify", "stream", "mode", "value"]).sync(SyncRole::Count),
    queued("aclrtCntNotifyWaitWithTimeout", Order).with(&["notify", "stream", "mode", "value"]).sync(SyncRole::WaitForCount),
    queued("aclrtCntNotifyReset", Order).with(&["notify", "stream"]).sync(SyncRole::Count),
    queued("aclrtStreamWaitEventWithTimeout", Order).with(&["stream", "event"]).sync(SyncRole::Wait),
    queued("aclrtStreamWaitEventWithFlag", Order).with(&["stream", "event"]).sync(SyncRole::Wait),
    now("aclrtSubscribeReport", Order).with(&["thread", "stream"]),
    now("aclrtUnSubscribeReport", Order).with(&["thread", "stream"]),
    now("aclmdlRICaptureBegin", Order).with(&["stream", "mode"]).sync(SyncRole::BeginCapture).of_graph(),
    now("aclmdlRICaptureToModelRIBegin", Order).with(&["stream", "graph", "mode"]).sync(SyncRole::BeginCapture).of_graph(),
    now("aclmdlRICaptureEnd", Order).with(&["stream", "graph"]).sync(SyncRole::EndCapture).of_graph(),
    now("aclmdlRICaptureThreadExchangeMode", Order).with(&["mode"]).of_graph(),
    now("aclmdlRICaptureTaskUpdateBegin", Order).with(&["stream", "group"]).sync(SyncRole::BeginUpdate).of_graph(),
    now("aclmdlRICaptureTaskUpdateEnd", Order).with(&["stream"]).sync(SyncRole::EndUpdate).of_graph(),
    now("aclmdlRIBuildBegin", Order).with(&["graph"]).sync(SyncRole::BuildGraph).of_graph(),
    now("aclmdlRIBindStream", Order).with(&["graph", "stream", "flag"]).sync(SyncRole::BindStream).of_graph(),
    now("aclmdlRIEndTask", Order).with(&["graph", "stream"]).of_graph(),
    now("aclmdlRIBuildEnd", Order).with(&["graph"]).of_graph(),
    now("aclmdlRIUnbindStream", Order).with(&["graph", "stream"]).sync(SyncRole::UnbindStream).of_graph(),
    now("aclrtSetLabel", Order).with(&["stream"]).sync(SyncRole::Branch),
    now("aclrtSwitchLabelByIndex", Order).with(&["stream"]).sync(SyncRole::Branch),
    now("aclrtSwitchStream", Order).with(&["stream"]).sync(SyncRole::Branch),
    now("aclmdlRIUpdate", Order).with(&["graph"]).sync(SyncRole::ChangeGraph).of_graph(),
    now("aclmdlRITaskSetParams", Order).with(&["task"]).sync(SyncRole::ChangeGraphs).of_graph(),
    now("aclmdlRIExecute", Order).with(&["graph"]).sync(SyncRole::RunGraph).of_graph(),
    queued("aclmdlRIExecuteAsync", Order).with(&["graph", "stream"]).sync(SyncRole::QueueGraph).of_graph(),
    now("aclmdlRIAbort", Order).with(&["graph"]).sync(SyncRole::SynchronizeDevice).of_graph(),
    now("aclmdlRIDestroy", Order).with(&["graph"]).sync(SyncRole::DestroyGraph).of_graph(),
];
