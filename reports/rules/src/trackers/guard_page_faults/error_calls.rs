//! Calls that return the errors of work before them.

/// What a call waits for, or asks about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    Stream,
    Device,
    Event,
}

/// What a call of that name waits for.
pub fn waits(name: &str) -> Option<Waits> {
    Some(match name {
        "aclrtSynchronizeStream" | "aclrtSynchronizeStreamWithTimeout" | "aclrtStreamQuery" => {
            Waits::Stream
        }
        "aclrtSynchronizeDevice" | "aclrtSynchronizeDeviceWithTimeout" => Waits::Device,
        "aclrtSynchronizeEvent"
        | "aclrtSynchronizeEventWithTimeout"
        | "aclrtQueryEvent"
        | "aclrtQueryEventStatus"
        | "aclrtQueryEventWaitStatus" => Waits::Event,
        _ => return None,
    })
}

/// Whether it asks and does not wait: a success says nothing of what is done.
pub fn is_query(name: &str) -> bool {
    name.contains("Query")
}

/// Whether an error of the device may come out of a call.
pub fn surfaces_in(name: &str) -> bool {
    waits(name).is_some()
}
