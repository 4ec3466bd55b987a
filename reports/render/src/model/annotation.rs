//! What the program told about itself, by `aclsan.h` or mstx.

use serde::Serialize;

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
    /// How many more there were than are kept.
    pub epochs_left_out: u64,
    /// Counts that the program asked for, by process and time.
    pub snapshots: Vec<Snapshot>,
    /// What was passed over because the program wanted it so.
    pub ignored: Ignored,
}

/// The pools of one name on one device.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Pool {
    /// The process.
    pub pid: u32,
    /// Its place among the processes, from 0: a number may be that of several.
    pub process: usize,
    /// `annotation`, `mstx`, or `runtime` for what `aclrtMemPoolMallocAsync` gives out.
    pub source: &'static str,
    /// What they are called; of mstx the domain.
    pub name: String,
    /// The device, −1 when not known.
    pub device: i32,
    /// Pools.
    pub pools: u64,
    /// Most bytes that they had to give out at once; 0 when that was not told.
    pub bytes: u64,
    /// Sub-blocks given out.
    pub allocations: u64,
    /// Of these, taken back.
    pub releases: u64,
    /// Of these, gone with their pool or its memory.
    pub dropped: u64,
    /// Sub-blocks live at the end.
    pub live_blocks: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// Most bytes given out at once.
    pub peak_bytes: u64,
    /// When that was.
    pub peak_ns: u64,
    /// Sub-blocks that shared bytes with another.
    pub overlaps: u64,
    /// Sub-blocks that left their pool.
    pub outside: u64,
    /// How they cut up their memory, and serve their requests.
    pub inside: PoolUse,
    /// Of one of the runtime's own, what it was set to and what the runtime said.
    pub attributes: Option<PoolAttributes>,
    /// What was live at the end, by where it was given out, the most bytes first.
    pub sites: Vec<PoolSite>,
}

impl Pool {
    /// Whether the program or a framework told of it, so that its ranges are known.
    pub fn is_told(&self) -> bool {
        self.source != "runtime"
    }
}

/// Sub-blocks that one call told of.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct PoolSite {
    /// Sub-blocks.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The call.
    pub allocated: Trace,
}

/// A stretch of time, or a moment.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Epoch {
    /// The process.
    pub pid: u32,
    /// Its place in the report: a process number may be that of several.
    pub process: usize,
    /// `annotation` for a step of `aclsan.h`; `range` or `mark` of mstx.
    pub kind: &'static str,
    /// The mstx domain; empty for the global one.
    pub domain: String,
    /// Its name.
    pub name: String,
    /// When it began.
    pub begin_ns: u64,
    /// When it ended; `None` for a mark, and for what lasted to the end.
    pub end_ns: Option<u64>,
    /// Live bytes of device memory when it began.
    pub live_bytes: u64,
}

/// How much was live when the program asked.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Snapshot {
    /// The process.
    pub pid: u32,
    /// Its place among the processes, from 0: a number may be that of several.
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

/// What was passed over.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Ignored {
    /// Blocks that were never released, and would be leaks.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Findings.
    pub findings: u64,
}
