//! Allocations that were refused for want of memory: who had it, and why there was none.

use serde::Serialize;

use super::fragmentation::Pinner;
use super::stack::Trace;

/// Why there was no memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Less was free than the pages that it needed.
    Shortage,
    /// Less was free than that; others had more than this process, and enough for what was lacking.
    OtherProcess,
    /// It was free, but not in the only pages that the policy takes.
    PageClass,
    /// It was free, and could not be had.
    Fragmentation,
    /// Without aclsan's guards it would have been enough.
    Guards,
    /// The evidence does not tell.
    Unknown,
}

/// One place whose allocations were refused.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OomReport {
    /// The process.
    pub pid: u32,
    /// Its place among the processes, from 0: a number may be that of several.
    pub process: usize,
    /// The device, −1 when not known.
    pub device: i32,
    /// When the first was refused.
    pub ns: u64,
    /// Times, by the same call with the same cause.
    pub count: u64,
    /// Bytes asked for, the first time.
    pub request_bytes: u64,
    /// What the runtime returned.
    pub status: i32,
    /// Pages that the request would have got: `4K`, `2M`, `1G`; empty for memory without a class.
    pub page: &'static str,
    /// The verdict.
    pub cause: Cause,
    /// Bytes that this process had live on the device.
    pub live_bytes: u64,
    /// The same in whole pages.
    pub page_bytes: u64,
    /// Bytes of guards among them.
    pub guard_bytes: u64,
    /// The largest request on the device that had been granted.
    pub largest_granted_bytes: u64,
    /// The largest hole between blocks of its page class.
    pub largest_hole_bytes: u64,
    /// Whose blocks kept such holes apart then; the largest gain first.
    pub pinners: Vec<Pinner>,
    /// What the runtime told of free memory.
    pub told: Option<RuntimeMemInfo>,
    /// Who had most, by place.
    pub holders: Vec<TopConsumer>,
    /// The refused call.
    pub refused: Trace,
}

/// The runtime's word on free memory, nearest to a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct RuntimeMemInfo {
    /// Free bytes.
    pub free_bytes: u64,
    /// All bytes.
    pub total_bytes: u64,
    /// When it was given.
    pub ns: u64,
    /// Bytes of pages that this process took between the word and the refusal.
    pub taken_bytes: u64,
    /// Bytes of pages that it gave back in that time.
    pub returned_bytes: u64,
}

/// What one place had live.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TopConsumer {
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
    /// The call that allocated them.
    pub allocated: Trace,
}
