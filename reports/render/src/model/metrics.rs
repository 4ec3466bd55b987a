//! Counts: calls, failures, bytes by family and device, pointers of unknown origin.

use serde::Serialize;

use super::estimate::Estimate;
use super::hex;
use super::stack::Trace;

/// Counts of a whole report.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Metrics {
    /// By function, most calls first.
    pub functions: Vec<FunctionUse>,
    /// By function and code, most frequent first.
    pub failures: Vec<Failure>,
    /// By process and family, those in use only.
    pub families: Vec<FamilyUse>,
    /// By process and device.
    pub devices: Vec<DeviceUse>,
    /// Pointers of unknown origin.
    pub unknown_origin: UnknownOrigin,
}

/// Calls of one function.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct FunctionUse {
    /// Its name.
    pub function: String,
    /// Calls.
    pub calls: u64,
    /// Calls that were refused.
    pub failures: u64,
}

/// Refusals of one function with one code.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Failure {
    /// The function.
    pub function: String,
    /// The return code.
    pub status: i32,
    /// Its name, if known.
    pub name: Option<String>,
    /// Times.
    pub count: u64,
    /// Bytes requested by allocations; 0 for other calls.
    pub bytes: u64,
}

/// One process's use of one family.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct FamilyUse {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// The family.
    pub family: &'static str,
    /// Number of allocations.
    pub allocations: u64,
    /// Number of releases.
    pub releases: u64,
    /// Total bytes allocated.
    pub allocated_bytes: u64,
    /// Bytes live at the end.
    pub live_bytes: u64,
    /// Peak of live bytes.
    pub peak_bytes: u64,
    /// Time of the peak.
    pub peak_ns: u64,
    /// Bounds of `peak_bytes` and `live_bytes`, if only a sample of the blocks is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_estimate: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_estimate: Option<Estimate>,
}

/// One process's use of one device's memory: the families device, dvpp, dvpp-mpi, pool and physical.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct DeviceUse {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report.
    pub process: usize,
    /// The device, −1 if unknown.
    pub device: i32,
    /// Bytes live at the end.
    pub live_bytes: u64,
    /// Peak of live bytes.
    pub peak_bytes: u64,
    /// Time of the peak.
    pub peak_ns: u64,
    /// Minimum of free bytes that `aclrtGetMemInfo` reported; `None` if it was not called.
    pub least_free_bytes: Option<u64>,
    /// Total bytes that it reported.
    pub total_bytes: Option<u64>,
    /// Bounds of `peak_bytes`, if only a sample of the blocks is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_estimate: Option<Estimate>,
}

/// Releases of pointers whose allocation was not seen. They are not findings.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct UnknownOrigin {
    /// Releases.
    pub pointers: u64,
    /// By releasing call, most frequent first.
    pub sites: Vec<Unknown>,
}

/// One call that released pointers of unknown origin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unknown {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// Releases.
    pub count: u64,
    /// The first pointer.
    #[serde(serialize_with = "hex::address")]
    pub address: u64,
    /// The call.
    pub released: Trace,
}
