//! What can be written down: one variant per fact.

/// A site's number: a call, its arguments that rarely change, its device and its stack. 0 is "not known".
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct SiteId(pub u32);

/// A block's number, unique in its log: the segment that its allocation stands in, and its place among that segment's allocations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct BlockId(pub u64);

impl BlockId {
    /// The `place`-th allocation (from 0) of segment `segment` (from 0).
    pub fn new(segment: u32, place: u16) -> Self {
        Self(u64::from(segment) << 16 | u64::from(place))
    }

    /// Index of its segment in the file.
    pub fn segment(self) -> u32 {
        (self.0 >> 16) as u32
    }

    /// Its place among the allocations of its segment.
    pub fn place(self) -> u16 {
        self.0 as u16
    }
}

/// What the process's own address space has at an address that no block explains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mapping {
    /// Nobody looked, or there was no telling.
    #[default]
    Unknown,
    /// A thread's stack.
    Stack,
    /// The heap that `brk` grows.
    Heap,
    /// A loaded program or library: its code, its globals.
    Image,
    /// Readable and writable anonymous memory: `malloc`'s larger blocks, `mmap`.
    Anonymous,
}

impl Mapping {
    pub(crate) fn from_number(number: u64) -> Self {
        [
            Self::Unknown,
            Self::Stack,
            Self::Heap,
            Self::Image,
            Self::Anonymous,
        ]
        .get(usize::try_from(number).unwrap_or(usize::MAX))
        .copied()
        .unwrap_or_default()
    }
}

/// How far a scan came.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All that can be read was read.
    Whole,
    /// Its time was over.
    Cut,
    /// Memory could not be read, or the shim's own could not be told apart from the program's.
    Failed,
}

impl Outcome {
    pub(crate) fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Whole,
            1 => Self::Cut,
            _ => Self::Failed,
        }
    }
}

/// Allocations that take this long are told apart by [`Event::Slow`], where a log's property `slow_ns` says so.
pub const SLOW_NS: u64 = 10_000;

/// Longest run of bytes that [`Event::Damage`] carries.
pub const FOUND_MOST: usize = 64;

/// Something that happened, to one thread, at one time. Addresses are the program's own, sizes are bytes, `status` is the runtime's
/// return code; sites name the call, the device and the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The events that follow in this segment are thread `tid`'s.
    Thread { tid: u32 },
    /// A block was allocated.
    Allocation {
        block: BlockId,
        site: SiteId,
        address: u64,
        size: u64,
    },
    /// An allocation was refused.
    AllocationFailed {
        site: SiteId,
        size: u64,
        status: i32,
    },
    /// A block that the live table knew by its start is about to be released.
    Release { block: BlockId, site: SiteId },
    /// A release of any other address: already released, inside a block, null, or never seen. `mapping` says what lies there.
    ReleaseAt {
        site: SiteId,
        address: u64,
        mapping: Mapping,
    },
    /// The release or copy that this thread recorded last was refused.
    Refused {
        site: SiteId,
        address: u64,
        status: i32,
    },
    /// A copy of `count` bytes; `room` is the caller's `destMax`. `stream` is 0 for a blocking copy and the default stream.
    Copy {
        site: SiteId,
        to: u64,
        room: u64,
        from: u64,
        count: u64,
        stream: u64,
    },
    /// A copy of `height` rows of `width` bytes.
    Copy2d {
        site: SiteId,
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
        site: SiteId,
        to: u64,
        room: u64,
        value: i32,
        count: u64,
        stream: u64,
        mapping: Mapping,
    },
    /// A call that no other event tells: life cycle, streams, mappings, descriptors. What the values are depends on the function.
    Call {
        site: SiteId,
        values: Values,
        status: i32,
    },
    /// A range that the thread's next call reads or writes, where that is no copy and no fill: an operator's tensor, a model's buffer, a
    /// message.
    Use {
        site: SiteId,
        address: u64,
        size: u64,
        access: Access,
        stream: u64,
    },
    /// The runtime's own count of free and total bytes of the site's device.
    Memory { site: SiteId, free: u64, total: u64 },
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
        site: SiteId,
        offset: u64,
        extent: u64,
        found: Found,
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
        outcome: Outcome,
        bytes: u64,
        ns: u64,
        threads: u32,
    },
    /// A copy to the host returned `extent` bytes, from `offset` bytes after the block's start on, that still hold what the shim filled the
    /// fresh block with.
    Unwritten {
        block: BlockId,
        site: SiteId,
        offset: u64,
        extent: u64,
    },
    /// Events that could not be written.
    Dropped { count: u64 },
    /// The process's exit handlers ran; more events may follow.
    Exit,
}

/// Most values that [`Event::Call`] carries.
pub const VALUES_MOST: usize = 8;

/// The arguments and results of a call that say what it did, in an order of the function's own.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Values {
    values: [u64; VALUES_MOST],
    length: u8,
}

impl Values {
    /// The first [`VALUES_MOST`] of `values`.
    pub fn new(values: &[u64]) -> Self {
        let length = values.len().min(VALUES_MOST);
        let mut kept = [0; VALUES_MOST];
        kept[..length].copy_from_slice(&values[..length]);
        Self {
            values: kept,
            length: length as u8,
        }
    }

    /// `count` of them, at most [`VALUES_MOST`], each as `next` has it.
    #[inline(always)]
    pub(crate) fn each(count: usize, mut next: impl FnMut() -> u64) -> Self {
        let mut values = [0; VALUES_MOST];
        for value in values.iter_mut().take(count) {
            *value = next();
        }
        Self {
            values,
            length: count.min(VALUES_MOST) as u8,
        }
    }

    /// All of them.
    pub fn all(&self) -> &[u64] {
        &self.values[..usize::from(self.length)]
    }

    /// The value at `index`; 0 for one that the log does not have.
    pub fn get(&self, index: usize) -> u64 {
        self.all().get(index).copied().unwrap_or(0)
    }
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:x?}", self.all())
    }
}

/// What a call does to a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads and writes it, or there is no telling which.
    Both,
}

impl Access {
    pub(crate) fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Read,
            1 => Self::Write,
            _ => Self::Both,
        }
    }
}

/// The first bytes of a damaged run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Found {
    bytes: [u8; FOUND_MOST],
    length: u8,
}

impl Found {
    /// The first [`FOUND_MOST`] of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let length = bytes.len().min(FOUND_MOST);
        let mut kept = [0; FOUND_MOST];
        kept[..length].copy_from_slice(&bytes[..length]);
        Self {
            bytes: kept,
            length: length as u8,
        }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl std::fmt::Debug for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02x?}", self.bytes())
    }
}

/// What events refer to by number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Definition {
    /// Function number `id` is `name`.
    Function { id: u16, name: String },
    /// A site. `argument` is the call's policy, kind or flag; `device` is −1 when not known; `frames` are return addresses and
    /// [`PythonFrame`](crate::PythonFrame)s, innermost first.
    Site {
        id: SiteId,
        function: u16,
        argument: u32,
        device: i32,
        frames: Vec<u64>,
    },
    /// Code was loaded: addresses `start..end`, `bias` above those in the file.
    Module {
        start: u64,
        end: u64,
        bias: u64,
        build_id: Vec<u8>,
        path: String,
    },
    /// The module that began at `start` was unloaded.
    Unloaded { start: u64 },
    /// A Python function: sites have its number in [`PythonFrame`](crate::PythonFrame)s. Numbers count from 0.
    PythonCode {
        id: u32,
        function: String,
        file: String,
    },
    /// The name of a return code.
    Status { code: i32, name: String },
    /// A fact about the process: program, arguments, host, parent, options, SoC, version.
    Property { key: String, value: String },
    /// Text number `id`, which events name: see [`Log::texts`](crate::Log::texts).
    Text { id: u32, text: String },
}

/// Keys of properties that begin so tell of blocks that can't have a guard before them, a sentence each.
pub const NO_FRONT: &str = "no_front: ";

/// Numbers of the tagged records' types. A number is never used again for something else.
pub(crate) mod tag {
    pub const THREAD: u8 = 1;
    pub const ALLOCATION: u8 = 2;
    pub const ALLOCATION_FAILED: u8 = 3;
    pub const RELEASE: u8 = 4;
    pub const RELEASE_AT: u8 = 5;
    pub const REFUSED: u8 = 6;
    pub const COPY: u8 = 7;
    pub const COPY_2D: u8 = 8;
    pub const SET: u8 = 9;
    pub const CALL: u8 = 10;
    pub const MEMORY: u8 = 11;
    pub const GUARD: u8 = 12;
    pub const DAMAGE: u8 = 13;
    pub const DROPPED: u8 = 14;
    pub const EXIT: u8 = 15;
    pub const USE: u8 = 16;
    pub const UNWRITTEN: u8 = 17;
    pub const SLOW: u8 = 20;
    pub const GUARDS: u8 = 21;
    pub const POINTER: u8 = 22;
    pub const SCAN: u8 = 23;
    pub const FENCE: u8 = 24;
    pub const FUNCTION: u8 = 32;
    pub const SITE: u8 = 33;
    pub const MODULE: u8 = 34;
    pub const UNLOADED: u8 = 35;
    pub const STATUS: u8 = 36;
    pub const PROPERTY: u8 = 37;
    pub const PYTHON_CODE: u8 = 38;
    pub const TEXT: u8 = 40;
}
