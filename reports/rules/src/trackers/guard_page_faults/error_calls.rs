//! Calls that return the errors of work before them.

/// What a call waits for, or asks about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ErrorSource {
    Stream,
    Device,
    Event,
}

/// What a call of that name waits for.
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

/// Whether it asks and does not wait: a success says nothing of what is done.
pub fn is_query(name: &str) -> bool {
    name.contains("Query")
}

/// Whether an error of the device may come out of a call.
pub fn may_report_fault(name: &str) -> bool {
    error_source(name).is_some()
}
