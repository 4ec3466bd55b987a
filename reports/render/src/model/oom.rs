//! Allocations refused for lack of memory: who had it, and why there was none.

use serde::Serialize;

use super::fragmentation::Pinner;
use super::stack::Trace;

/// Why there was no memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Less memory was free than the needed pages.
    Shortage,
    /// Less was free than that, and others held more than this process, and enough to cover the gap.
    OtherProcess,
    /// Memory was free, but not in the only page class that the policy allows.
    PageClass,
    /// Memory was free but unusable.
    Fragmentation,
    /// Without aclsan's redzones it would have sufficed.
    Guards,
    /// The evidence is inconclusive.
    Unknown,
}

/// One call site whose allocations were refused.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OomReport {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// The device, −1 if unknown.
    pub device: i32,
    /// When the first one was refused.
    pub ns: u64,
    /// Refusals of the same call with the same cause.
    pub count: u64,
    /// Bytes requested the first time.
    pub request_bytes: u64,
    /// The runtime's return code.
    pub status: i32,
    /// Pages that the request would have used: `4K`, `2M`, `1G`; empty for memory without a class.
    pub page: &'static str,
    /// The conclusion.
    pub cause: Cause,
    /// Bytes that this process had live on the device.
    pub live_bytes: u64,
    /// The same in whole pages.
    pub page_bytes: u64,
    /// Bytes of redzones among them.
    pub guard_bytes: u64,
    /// The largest request on the device that was granted before.
    pub largest_granted_bytes: u64,
    /// The largest hole between blocks of its page class.
    pub largest_hole_bytes: u64,
    /// Sites whose blocks separated such holes at that time, largest gain first.
    pub pinners: Vec<Pinner>,
    /// Free memory according to the runtime.
    #[serde(rename = "told")]
    pub reported: Option<RuntimeMemInfo>,
    /// The sites with the most memory.
    pub holders: Vec<TopConsumer>,
    /// The refused call.
    pub refused: Trace,
}

/// What the runtime reported about free memory, at the time nearest to a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RuntimeMemInfo {
    /// Free bytes.
    pub free_bytes: u64,
    /// Total bytes.
    pub total_bytes: u64,
    /// When it was reported.
    pub ns: u64,
    /// Bytes of pages that this process allocated between the report and the refusal.
    pub taken_bytes: u64,
    /// Bytes of pages that it released in that time.
    pub returned_bytes: u64,
}

/// Live memory of one allocation site.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TopConsumer {
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
    /// The call that allocated them.
    pub allocated: Trace,
}
