//! What the program reported about itself through `aclsan.h` or mstx.

use serde::Serialize;

use super::category::CategoryUse;
use super::pool_attributes::PoolAttributes;
use super::pool_use::PoolUse;
use super::stack::Trace;

/// Annotations of a whole report.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Annotations {
    /// Pools, by process, source, name and device.
    pub pools: Vec<Pool>,
    /// Steps, marks and ranges, by process and time.
    pub epochs: Vec<Epoch>,
    /// Number of epochs left out.
    pub epochs_left_out: u64,
    /// Snapshots that the program requested, by process and time.
    pub snapshots: Vec<Snapshot>,
    /// What memory is for, by process and category.
    pub categories: Vec<CategoryUse>,
    /// Blocks and findings ignored because the program asked for it.
    pub ignored: Ignored,
}

/// The pools with one name on one device.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Pool {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// `annotation`, `mstx`, or `runtime` for the runtime's own pools, whose sub-blocks come from `aclrtMemPoolMallocAsync`.
    pub source: &'static str,
    /// Name of the pools; for mstx, the domain.
    pub name: String,
    /// The device, −1 if unknown.
    pub device: i32,
    /// Number of pools.
    pub pools: u64,
    /// Peak of their capacity in bytes; 0 if it was not reported.
    pub bytes: u64,
    /// Sub-blocks allocated.
    pub allocations: u64,
    /// Sub-blocks released.
    pub releases: u64,
    /// Sub-blocks that ended with their pool or its memory.
    pub dropped: u64,
    /// Sub-blocks live at the end.
    pub live_blocks: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// Peak of live sub-block bytes.
    pub peak_bytes: u64,
    /// Time of the peak.
    pub peak_ns: u64,
    /// Sub-blocks that overlapped another.
    pub overlaps: u64,
    /// Sub-blocks that exceeded their pool.
    pub outside: u64,
    /// How they subdivide their memory and serve requests.
    pub inside: PoolUse,
    /// For a runtime pool: its settings, and what the runtime reported.
    pub attributes: Option<PoolAttributes>,
    /// Blocks live at the end, by allocation site, most bytes first.
    pub sites: Vec<PoolSite>,
}

impl Pool {
    /// Whether the program or a framework reported the pool, so that its ranges are known.
    pub fn is_reported(&self) -> bool {
        self.source != "runtime"
    }
}

/// Sub-blocks from one allocation site.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct PoolSite {
    /// Sub-blocks.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The call.
    pub allocated: Trace,
}

/// A time span or an instant.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Epoch {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// `annotation` for a step of `aclsan.h`; `range` or `mark` of mstx.
    pub kind: &'static str,
    /// The mstx domain; empty for the global one.
    pub domain: String,
    /// Its name.
    pub name: String,
    /// When it began.
    pub begin_ns: u64,
    /// When it ended; `None` for a mark, and for a span that lasted to the end.
    pub end_ns: Option<u64>,
    /// Live bytes of device memory at its start.
    pub live_bytes: u64,
}

/// Blocks live when the program asked.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Snapshot {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// Its name.
    pub name: String,
    /// When.
    pub ns: u64,
    /// Live blocks of memory.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The ignored findings.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Ignored {
    /// Blocks that were never released and would otherwise be leaks.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Findings.
    pub findings: u64,
}
