//! The life of every block, for viewers that draw blocks one by one.

use std::collections::BTreeSet;

use super::stack::Trace;

/// Memory operations of one process in order of time.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct History {
    /// The process.
    pub pid: u32,
    /// Its command line.
    pub arguments: String,
    /// When its log began, in nanoseconds since 1970.
    pub started_realtime_ns: u64,
    /// When its last event was.
    pub duration_ns: u64,
    /// Allocating calls with their stacks; changes refer to them by index.
    pub traces: Vec<Trace>,
    /// Allocations and ends of blocks.
    pub changes: Vec<Change>,
    /// Blocks, by number, that a reset dropped and a report counts as leaked: their device was not set again, and nobody released them late.
    pub left: BTreeSet<usize>,
}

/// The allocation or end of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// When, from the process's start.
    pub ns: u64,
    /// The thread.
    pub thread: u32,
    /// What happened.
    pub what: ChangeKind,
    /// The block's number, from 0 in order of allocation.
    pub block: usize,
    /// Its first byte; for physical memory, its handle.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its family's name.
    pub family: &'static str,
    /// Whether it is host memory.
    pub is_host: bool,
    /// Whether it is its device's own memory.
    pub is_of_device: bool,
    /// Its device, −1 if unknown.
    pub device: i32,
    /// The page class that its policy and size request; empty for memory without one.
    pub page: &'static str,
    /// Index of the allocating call.
    pub trace: usize,
    /// Whether the program marked it as ignored: then it is not a leak.
    pub is_ignored: bool,
}

/// A refused allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// When, from the process's start.
    pub ns: u64,
    /// Bytes requested.
    pub size: u64,
    /// The runtime's return code.
    pub status: i32,
    /// The device, −1 if unknown.
    pub device: i32,
    /// Index of the call.
    pub trace: usize,
}

/// The kind of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    /// It was allocated.
    Allocated,
    /// It was released.
    Ended,
    /// Its device's reset dropped it.
    Dropped,
}
