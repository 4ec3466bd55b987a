//! Offline models.

use super::function::{Function, now, queued};
use super::role::Role::*;

const MEMORY: &[&str] = &["model", "work", "workSize", "weights", "weightSize"];
const EXECUTE: &[&str] = &["model", "stream"];

#[rustfmt::skip] // a table
pub(super) const ROWS: &[Function] = &[
    now("aclmdlLoadFromFile", State).with(MEMORY),
    now("aclmdlLoadFromMem", State).with(MEMORY),
    now("aclmdlLoadFromFileWithMem", State).with(MEMORY),
    now("aclmdlLoadFromMemWithMem", State).with(MEMORY),
    now("aclmdlSetConfigOpt", State).with(&["config", "setting", "value"]),
    now("aclmdlDestroyConfigHandle", State).with(&["config"]),
    now("aclmdlLoadWithConfig", State).with(&["model", "config"]),
    now("aclmdlUnload", State).with(&["model"]),
    now("aclmdlExecute", Launch).with(EXECUTE),
    now("aclmdlExecuteV2", Launch).with(EXECUTE),
    queued("aclmdlExecuteAsync", Launch).with(EXECUTE),
    queued("aclmdlExecuteAsyncV2", Launch).with(EXECUTE),
];
