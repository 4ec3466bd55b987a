//! Every block's life, for viewers that draw them one by one.

use std::collections::BTreeSet;

use super::stack::Trace;

/// What one process did with memory, in order of time.
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
    /// Allocating calls with their stacks; changes name them by index.
    pub traces: Vec<Trace>,
    /// Allocations and ends.
    pub changes: Vec<Change>,
    /// Blocks, by number, that a reset dropped and a report counts as leaked: their device was not set again, and nobody released them late.
    pub left: BTreeSet<usize>,
}

/// A block comes or goes.
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
    /// Its first byte; of physical memory, its handle.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its family's name.
    pub family: &'static str,
    /// Whether its bytes lie on the host.
    pub is_host: bool,
    /// Whether it is its device's own memory.
    pub is_of_device: bool,
    /// Its device, −1 when not known.
    pub device: i32,
    /// Its page class, as its policy and size ask for; empty for what has none.
    pub page: &'static str,
    /// Index of the allocating call's stack.
    pub trace: usize,
    /// Whether the program wanted nobody to look: it is no leak then.
    pub is_ignored: bool,
}

/// An allocation that was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// When, from the process's start.
    pub ns: u64,
    /// What was asked for.
    pub size: u64,
    /// What the runtime answered.
    pub status: i32,
    /// The device, −1 when not known.
    pub device: i32,
    /// Index of the call's stack.
    pub trace: usize,
}

/// What happens to a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    /// It was allocated.
    Allocated,
    /// It was released.
    Ended,
    /// Its device's reset dropped it.
    Dropped,
}
