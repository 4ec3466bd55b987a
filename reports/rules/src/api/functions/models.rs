//! Offline models.

use super::function::{Function, now, queued};
use super::role::Role::*;

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
    now("aclmdlLoadFromFile", State).with(MEMORY),
    now("aclmdlLoadFromMem", State).with(MEMORY),
    now("aclmdlLoadFromFileWithMem", State).with(MEMORY),
    now("aclmdlLoadFromMemWithMem", State).with(MEMORY),
    now("aclmdlSetConfigOpt", State).with(&["config", "setting", "value"]),
    now("aclmdlSetExternalWeightAddress", State).with(&["config", "external", "size"]),
    now("aclmdlDestroyConfigHandle", State).with(&["config"]),
    now("aclmdlLoadWithConfig", State).with(&["model", "config"]),
    now("aclmdlUnload", State).with(&["model"]),
    now("aclmdlBundleLoadFromFile", State).with(BUNDLE),
    now("aclmdlBundleLoadFromMem", State).with(BUNDLE),
    now("aclmdlBundleInitFromFile", State).with(BUNDLE),
    now("aclmdlBundleInitFromMem", State).with(BUNDLE),
    now("aclmdlBundleLoadModel", State).with(PART),
    now("aclmdlBundleLoadModelWithMem", State).with(PART),
    now("aclmdlBundleLoadModelWithConfig", State).with(&["model", "config", "bundle"]),
    now("aclmdlBundleUnloadModel", State).with(&["model"]),
    now("aclmdlBundleUnload", State).with(&["bundle"]),
    now("aclmdlSetDynamicBatchSize", Launch).with(INPUT),
    now("aclmdlSetDynamicHWSize", Launch).with(INPUT),
    now("aclmdlSetInputDynamicDims", Launch).with(INPUT),
    now("aclmdlSetInputAIPP", Launch).with(INPUT),
    now("aclmdlSetAIPPByInputIndex", Launch).with(INPUT),
    now("aclmdlExecute", Launch).with(EXECUTE),
    now("aclmdlExecuteV2", Launch).with(EXECUTE),
    queued("aclmdlExecuteAsync", Launch).with(EXECUTE),
    queued("aclmdlExecuteAsyncV2", Launch).with(EXECUTE),
];
