//! Everything that a log can record: one variant per fact.

mod definition;
mod fields;
mod ids;
pub(crate) mod tag;
mod values;

pub use definition::{
    ALLOCATOR_SETTINGS, ATTACH_SETTLES_NS, ATTACHED, BLOCK_SAMPLE, Definition, NO_FRONT,
    THREAD_NAME,
};
pub use fields::{Access, Mapping, ScanGap, ScanOutcome};
pub use ids::{BlockId, CallSiteId};
pub use values::{ByteSample, MAX_SAMPLE, MAX_VALUES, Values};

/// Allocations that take at least this long have an [`Event::Slow`], in logs whose property `slow_ns` says so.
pub const SLOW_NS: u64 = 10_000;

/// Something that happened in one thread at one time. Addresses are the program's own, sizes are bytes, `status` is the runtime's return
/// code; sites identify the call, the device and the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The following events of this segment belong to thread `tid`.
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
    /// A block that the live table found by its start is about to be released.
    Release { block: BlockId, site: CallSiteId },
    /// A release of any other address: already released, inside a block, null, or never seen. `mapping` says what is mapped there.
    ReleaseAt {
        site: CallSiteId,
        address: u64,
        mapping: Mapping,
    },
    /// The last release or copy recorded by this thread was refused.
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
    /// `count` bytes set to `value`; `room` is the caller's `maxCount`. `mapping` says what is mapped at `to` if no block explains it.
    Set {
        site: CallSiteId,
        to: u64,
        room: u64,
        value: i32,
        count: u64,
        stream: u64,
        mapping: Mapping,
    },
    /// A call that no other event covers: life cycle, streams, mappings, descriptors. The meaning of the values depends on the function.
    Call {
        site: CallSiteId,
        values: Values,
        status: i32,
    },
    /// A range that the thread's next call reads or writes, other than by a copy or memset: an operator's tensor, a model's buffer, a
    /// message.
    Use {
        site: CallSiteId,
        address: u64,
        size: u64,
        access: Access,
        stream: u64,
    },
    /// The runtime's count of free and total bytes of the site's device.
    Memory {
        site: CallSiteId,
        free: u64,
        total: u64,
    },
    /// The block has redzones. After it: `slack` bytes of the runtime's rounding, then `guard` bytes requested in addition. Before it:
    /// `front` requested bytes.
    Guard {
        block: BlockId,
        slack: u32,
        guard: u32,
        front: u32,
    },
    /// A guard page follows the block. Between block and page is a redzone: `slack` bytes of the runtime's rounding, then `guard` more. The
    /// shim mapped the block's memory itself, which takes `taken` bytes of pages.
    Fence {
        block: BlockId,
        slack: u32,
        guard: u32,
        taken: u64,
    },
    /// The runtime took this long to return the block: at least [`SLOW_NS`].
    Slow { block: BlockId, ns: u64 },
    /// Redzone bytes of the block differ from the pattern: `extent` bytes starting `offset` bytes after the block's start (before it,
    /// counted down from 2^64), of which `found` holds the first.
    Damage {
        block: BlockId,
        site: CallSiteId,
        offset: u64,
        extent: u64,
        found: ByteSample,
    },
    /// The process's memory holds a pointer, at `at`, into a block that is still live. Part of the [`Event::Scan`] that follows.
    Pointer {
        block: BlockId,
        at: u64,
        mapping: Mapping,
    },
    /// The object from `malloc` that has the pointer of the last [`Event::Pointer`], for one of [`Mapping::LostObject`]: its address, its size,
    /// and text number `class`, the name of its class; 0 if that is not known.
    LostObject {
        block: BlockId,
        at: u64,
        size: u64,
        class: u32,
    },
    /// Part of the [`Event::Scan`] that follows: what it could not look into. `count` threads, or else blocks that are found only there.
    Gap { what: ScanGap, count: u64 },
    /// The process's memory was scanned for pointers to live blocks. Blocks without an [`Event::Pointer`] since the previous scan were found
    /// nowhere. The process had `threads` other threads.
    Scan {
        outcome: ScanOutcome,
        bytes: u64,
        ns: u64,
        threads: u32,
    },
    /// A copy to the host returned `extent` bytes, from `offset` bytes after the block's start, that still hold the pattern with which the
    /// shim filled the new block.
    Unwritten {
        block: BlockId,
        site: CallSiteId,
        offset: u64,
        extent: u64,
    },
    /// Events that could not be written.
    Dropped { count: u64 },
    /// The process's exit handlers ran. More events may follow.
    Exit,
}
