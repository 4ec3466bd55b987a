//! Calls that return the errors of earlier work.

use crate::api::function::SyncRole;
use crate::api::functions::{Effect, Function};

/// What a call waits for or queries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ErrorSource {
    Stream,
    Device,
    Event,
}

/// What a call of the function waits for or queries, if it returns errors.
pub fn error_source(function: &Function) -> Option<ErrorSource> {
    use SyncRole::{QueryStream, SynchronizeDevice, SynchronizeStream};
    match function.attributes.sync_role {
        _ if !may_report_fault(function) => None,
        SynchronizeStream | QueryStream => Some(ErrorSource::Stream),
        SynchronizeDevice => Some(ErrorSource::Device),
        _ => Some(ErrorSource::Event),
    }
}

/// Whether it queries without waiting: success then proves nothing about completion.
pub fn is_query(function: &Function) -> bool {
    use SyncRole::{QueryEvent, QueryRecord, QueryStream};
    let role = function.attributes.sync_role;
    matches!(role, QueryStream | QueryEvent | QueryRecord)
}

/// Whether a call may return a device error.
pub fn may_report_fault(function: &Function) -> bool {
    function.effect() == Effect::ReturnErrors
}
