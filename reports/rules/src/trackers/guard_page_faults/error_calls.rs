//! Calls that return the errors of earlier work.

/// What a call waits for or queries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ErrorSource {
    Stream,
    Device,
    Event,
}

/// What the call with that name waits for or queries.
pub fn error_source(name: &str) -> Option<ErrorSource> {
    Some(match name {
        "aclrtSynchronizeStream" | "aclrtSynchronizeStreamWithTimeout" | "aclrtStreamQuery" => {
            ErrorSource::Stream
        }
        "aclrtSynchronizeDevice" | "aclrtSynchronizeDeviceWithTimeout" => ErrorSource::Device,
        "aclrtSynchronizeEvent"
        | "aclrtSynchronizeEventWithTimeout"
        | "aclrtQueryEvent"
        | "aclrtQueryEventStatus"
        | "aclrtQueryEventWaitStatus" => ErrorSource::Event,
        _ => return None,
    })
}

/// Whether it queries without waiting: success then proves nothing about completion.
pub fn is_query(name: &str) -> bool {
    name.contains("Query")
}

/// Whether a call may return a device error.
pub fn may_report_fault(name: &str) -> bool {
    error_source(name).is_some()
}
