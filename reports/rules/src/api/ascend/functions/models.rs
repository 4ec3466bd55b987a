//! Offline models.

use crate::api::function::Effect;
use crate::api::function::Role::*;
use crate::api::function::SyncRole;
use crate::api::function::{Function, now, queued};

const MEMORY: &[&str] = &["model", "work", "workSize", "weights", "weightSize"];
/// The last one is the bundle that the model is part of.
const PART: &[&str] = &[
    "model",
    "work",
    "workSize",
    "weights",
    "weightSize",
    "bundle",
];
const BUNDLE: &[&str] = &["bundle", "variables", "variableSize"];
/// The stream is 0: the runtime copies in the call.
const INPUT: &[&str] = &["model", "index", "stream"];
const EXECUTE: &[&str] = &["model", "stream"];

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclmdlLoadFromFile", State).with(MEMORY).sync(SyncRole::SetModel).opaque(),
    now("aclmdlLoadFromMem", State).with(MEMORY).sync(SyncRole::SetModel).opaque(),
    now("aclmdlLoadFromFileWithMem", State).with(MEMORY).sync(SyncRole::SetModel).opaque(),
    now("aclmdlLoadFromMemWithMem", State).with(MEMORY).sync(SyncRole::SetModel).opaque(),
    now("aclmdlSetConfigOpt", State).with(&["config", "setting", "value"]).sync(SyncRole::SetModel).opaque(),
    now("aclmdlSetExternalWeightAddress", State).with(&["config", "external", "size"]).sync(SyncRole::SetModel).opaque(),
    now("aclmdlLoadWithConfig", State).with(&["model", "config"]).sync(SyncRole::SetModel).opaque(),
    now("aclmdlUnload", State).with(&["model"]).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleLoadFromFile", State).with(BUNDLE).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleLoadFromMem", State).with(BUNDLE).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleInitFromFile", State).with(BUNDLE).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleInitFromMem", State).with(BUNDLE).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleLoadModel", State).with(PART).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleLoadModelWithMem", State).with(PART).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleLoadModelWithConfig", State).with(&["model", "config", "bundle"]).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleUnloadModel", State).with(&["model"]).sync(SyncRole::SetModel).opaque(),
    now("aclmdlBundleUnload", State).with(&["bundle"]).sync(SyncRole::SetModel).opaque(),
    now("aclmdlSetDynamicBatchSize", Launch).with(INPUT).opaque(),
    now("aclmdlSetDynamicHWSize", Launch).with(INPUT).opaque(),
    now("aclmdlSetInputDynamicDims", Launch).with(INPUT).opaque(),
    now("aclmdlSetInputAIPP", Launch).with(INPUT).opaque(),
    now("aclmdlSetAIPPByInputIndex", Launch).with(INPUT).opaque(),
    now("aclmdlExecute", Launch).with(EXECUTE).does(Effect::RunModel).opaque(),
    now("aclmdlExecuteV2", Launch).with(EXECUTE).does(Effect::RunModel).opaque(),
    queued("aclmdlExecuteAsync", Launch).with(EXECUTE).sync(SyncRole::QueueModel).does(Effect::RunModel).opaque(),
    queued("aclmdlExecuteAsyncV2", Launch).with(EXECUTE).sync(SyncRole::QueueModel).does(Effect::RunModel).opaque(),
];
