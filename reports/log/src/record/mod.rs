//! What can be written down: one variant per fact.

mod definition;
mod fields;
mod ids;
pub(crate) mod tag;
mod values;

pub use definition::{Definition, NO_FRONT};
pub use fields::{Access, Mapping, ScanOutcome};
pub use ids::{BlockId, CallSiteId};
pub use values::{ByteSample, MAX_SAMPLE, MAX_VALUES, Values};

// Old names, until their last use is gone.
pub use fields::ScanOutcome as Outcome;
pub use ids::CallSiteId as SiteId;
pub use values::ByteSample as Found;
pub use values::MAX_VALUES as VALUES_MOST;

/// Allocations that take this long are told apart by [`Event::Slow`], where a log's property `slow_ns` says so.
pub const SLOW_NS: u64 = 10_000;

/// Something that happened, to one thread, at one time. Addresses are the program's own, sizes are bytes, `status` is the runtime's
/// return code; sites name the call, the device and the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The events that follow in this segment are thread `tid`'s.
    Thread { tid: u32 },
    /// A block was allocated.
    Allocation {
        block: BlockId,
        site: CallSiteId,
        address: u64,
        size: u64,
    },
    /// An allocation was refused.
    AllocationFailed {
        site: CallSiteId,
        size: u64,
        status: i32,
    },
    /// A block that the live table knew by its start is about to be released.
    Release { block: BlockId, site: CallSiteId },
    /// A release of any other address: already released, inside a block, null, or never seen. `mapping` says what lies there.
    ReleaseAt {
        site: CallSiteId,
        address: u64,
        mapping: Mapping,
    },
    /// The release or copy that this thread recorded last was refused.
    Refused {
        site: CallSiteId,
        address: u64,
        status: i32,
    },
    /// A copy of `count` bytes; `room` is the caller's `destMax`. `stream` is 0 for a blocking copy and the default stream.
    Copy {
        site: CallSiteId,
        to: u64,
        room: u64,
        from: u64,
        count: u64,
        stream: u64,
    },
    /// A copy of `height` rows of `width` bytes.
    Copy2d {
        site: CallSiteId,
        to: u64,
        to_pitch: u64,
        from: u64,
        from_pitch: u64,
        width: u64,
        height: u64,
        stream: u64,
    },
    /// `count` bytes set to `value`; `room` is the caller's `maxCount`. `mapping` says what lies at `to` when no block explains it.
    Set {
        site: CallSiteId,
        to: u64,
        room: u64,
        value: i32,
        count: u64,
        stream: u64,
        mapping: Mapping,
    },
    /// A call that no other event tells: life cycle, streams, mappings, descriptors. What the values are depends on the function.
    Call {
        site: CallSiteId,
        values: Values,
        status: i32,
    },
    /// A range that the thread's next call reads or writes, where that is no copy and no fill: an operator's tensor, a model's buffer, a
    /// message.
    Use {
        site: CallSiteId,
        address: u64,
        size: u64,
        access: Access,
        stream: u64,
    },
    /// The runtime's own count of free and total bytes of the site's device.
    Memory {
        site: CallSiteId,
        free: u64,
        total: u64,
    },
    /// Patterns lie behind the block: `slack` bytes of the runtime's rounding, then `guard` bytes that were asked for on top; and `front`
    /// bytes were asked for before it.
    Guard {
        block: BlockId,
        slack: u32,
        guard: u32,
        front: u32,
    },
    /// The page behind the block is not mapped. Between it and the block lie patterns: `slack` bytes of the runtime's rounding, then `guard` more.
    /// Its memory was put there by mappings of the shim's own, which take `taken` bytes of pages.
    Fence {
        block: BlockId,
        slack: u32,
        guard: u32,
        taken: u64,
    },
    /// The runtime took this long to give the block out: at least [`SLOW_NS`].
    Slow { block: BlockId, ns: u64 },
    /// Bytes around the block differ from the pattern: `found` are the first of `extent` bytes, `offset` bytes after the block's start (before
    /// it, counted down from 2^64).
    Damage {
        block: BlockId,
        site: CallSiteId,
        offset: u64,
        extent: u64,
        found: ByteSample,
    },
    /// The process's memory has a pointer into a block that is still live; `at` is where. Part of the [`Event::Scan`] that follows.
    Pointer {
        block: BlockId,
        at: u64,
        mapping: Mapping,
    },
    /// The process's memory was looked through for pointers to the blocks that were live: those of which no [`Event::Pointer`] tells since
    /// the scan before were found nowhere. `threads` ran meanwhile.
    Scan {
        outcome: ScanOutcome,
        bytes: u64,
        ns: u64,
        threads: u32,
    },
    /// A copy to the host returned `extent` bytes, from `offset` bytes after the block's start on, that still hold what the shim filled the
    /// fresh block with.
    Unwritten {
        block: BlockId,
        site: CallSiteId,
        offset: u64,
        extent: u64,
    },
    /// Events that could not be written.
    Dropped { count: u64 },
    /// The process's exit handlers ran; more events may follow.
    Exit,
}
