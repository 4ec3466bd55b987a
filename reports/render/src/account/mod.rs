//! Where the memory is: who holds a device's memory at one moment, in rows that add up to what the runtime says is in use.

mod text;

use serde::Serialize;

pub use text::write;

/// Version of the JSON of an account. It is raised when a field changes its meaning or is removed, but not for new fields.
pub const VERSION: u32 = 1;

/// The residual from which on the text says what it may be, as a share of what is in use.
pub const MAX_RESIDUAL_SHARE: f64 = 0.01;

/// The accounts of some logs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Accounts {
    /// [`VERSION`].
    pub version: u32,
    /// A process and device each.
    pub devices: Vec<DeviceAccount>,
    /// A process each.
    pub hosts: Vec<HostAccount>,
}

/// A device of a process at one moment. `in_use` is the sum of `owners`, `other_processes` and `residual`.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct DeviceAccount {
    /// The device.
    pub device: i32,
    /// The process whose log it is, and its program.
    pub pid: u32,
    /// The program's file name.
    pub program: String,
    /// Nanoseconds since the log began.
    pub at_ns: u64,
    /// The moment, as it was asked for: `peak`, `end`, `oom`, or an epoch's name.
    pub at: String,
    /// The moment that changes are counted from, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// All bytes of the device; `None` if the runtime did not say.
    pub capacity: Option<u64>,
    /// Bytes in use.
    pub in_use: u64,
    /// What `in_use` is from.
    pub source: Source,
    /// Who holds them, most first.
    pub owners: Vec<OwnerRow>,
    /// Other processes with a log, of the same machine, at the same time.
    pub other_processes: Vec<OtherProcess>,
    /// Objects for which the runtime keeps memory that it does not tell apart: part of the residual.
    pub unmeasured: Vec<Share>,
    /// Bytes in use beyond all these; negative if they come to more than the runtime says. `None` if it did not say.
    pub residual: Option<i64>,
}

/// What the bytes in use are from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// `aclrtGetMemInfo`, with what the log shows since.
    Runtime,
    /// The log alone.
    #[default]
    Log,
}

/// A holder of device memory.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct OwnerRow {
    /// Its name.
    pub owner: String,
    /// Bytes.
    pub bytes: u64,
    /// Blocks.
    pub count: u64,
    /// Bytes more than at the moment that changes are counted from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<i64>,
    /// What it is for, most first.
    pub parts: Vec<Share>,
    /// Where it was allocated, most first.
    pub sites: Vec<Share>,
}

/// A part of what an owner holds.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Share {
    /// A category, or a place in the program.
    pub name: String,
    /// Blocks.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Another process on the same device.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct OtherProcess {
    /// The process.
    pub pid: u32,
    /// Its program's file name.
    pub program: String,
    /// Bytes of the device that its log shows at that time.
    pub bytes: u64,
}

/// What a process holds on the host for its devices.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct HostAccount {
    /// The process.
    pub pid: u32,
    /// The program's file name.
    pub program: String,
    /// Nanoseconds since the log began.
    pub at_ns: u64,
    /// Page-locked memory.
    pub pinned: OwnerRow,
    /// Memory registered for devices.
    pub registered: OwnerRow,
    /// Live objects of the runtime by kind, most first.
    pub objects: Vec<OwnerRow>,
}
