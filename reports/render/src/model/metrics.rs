//! Counts: calls, failures, bytes by family and device, pointers of unknown origin.

use serde::Serialize;

use super::hex;
use super::stack::Trace;

/// Counts of a whole report.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Metrics {
    /// By function, the most called first.
    pub functions: Vec<FunctionUse>,
    /// By function and code, the most frequent first.
    pub failures: Vec<Failure>,
    /// By process and family, only those that were used.
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
    /// Of these, refused ones.
    pub failures: u64,
}

/// Refusals of one function with one code.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Failure {
    /// The function.
    pub function: String,
    /// What it returned.
    pub status: i32,
    /// That code's name, if known.
    pub name: Option<String>,
    /// Times.
    pub count: u64,
    /// Bytes that allocations asked for; 0 for other calls.
    pub bytes: u64,
}

/// What one process did with one family.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct FamilyUse {
    /// The process.
    pub pid: u32,
    /// Its place in the report: a process number may be that of several.
    pub process: usize,
    /// The family.
    pub family: &'static str,
    /// Blocks allocated.
    pub allocations: u64,
    /// Blocks released.
    pub releases: u64,
    /// Bytes allocated in all.
    pub allocated_bytes: u64,
    /// Bytes live at the end.
    pub live_bytes: u64,
    /// Most bytes live at once.
    pub peak_bytes: u64,
    /// When that was.
    pub peak_ns: u64,
}

/// Memory of one device, as one process used it: of the families device, dvpp, dvpp-mpi, pool and physical.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct DeviceUse {
    /// The process.
    pub pid: u32,
    /// Its place in the report.
    pub process: usize,
    /// The device, −1 when not known.
    pub device: i32,
    /// Bytes live at the end.
    pub live_bytes: u64,
    /// Most bytes live at once.
    pub peak_bytes: u64,
    /// When that was.
    pub peak_ns: u64,
    /// Fewest free bytes that `aclrtGetMemInfo` told; `None` when it was not asked.
    pub least_free_bytes: Option<u64>,
    /// Total bytes that it told.
    pub total_bytes: Option<u64>,
}

/// Releases of pointers whose allocation was not seen: no findings.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct UnknownOrigin {
    /// Releases.
    pub pointers: u64,
    /// By releasing call, the most frequent first.
    pub sites: Vec<Unknown>,
}

/// One call that released pointers of unknown origin.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unknown {
    /// The process.
    pub pid: u32,
    /// Its place among the processes, from 0: a number may be that of several.
    pub process: usize,
    /// Releases.
    pub count: u64,
    /// The first pointer.
    #[serde(serialize_with = "hex::address")]
    pub address: u64,
    /// The call.
    pub released: Trace,
}
