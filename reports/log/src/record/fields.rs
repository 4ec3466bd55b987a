//! Fields of events with few possible values.

/// What the process has mapped at an address that no block explains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mapping {
    /// Not looked up, or undetermined.
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
    /// An object of `malloc`'s that nothing points to. Only of pointers that a scan found.
    LostObject,
}

impl Mapping {
    pub(crate) fn from_number(number: u64) -> Self {
        [
            Self::Unknown,
            Self::Stack,
            Self::Heap,
            Self::Image,
            Self::Anonymous,
            Self::LostObject,
        ]
        .get(usize::try_from(number).unwrap_or(usize::MAX))
        .copied()
        .unwrap_or_default()
    }
}

/// How far a scan got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScanOutcome {
    /// All readable memory was read.
    Whole,
    /// Its time was up.
    Cut,
    /// Memory could not be read, or the shim's own could not be distinguished from the program's.
    Failed,
}

impl ScanOutcome {
    pub(crate) fn from_number(number: u64) -> Self {
        match number {
            0 => Self::Whole,
            1 => Self::Cut,
            _ => Self::Failed,
        }
    }
}

/// What a scan for pointers could not look into.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ScanGap {
    /// Threads that went on: a register of theirs may have the only pointer to any block.
    Threads,
    /// A heap of glibc's allocator of which it is not known where its objects begin.
    Glibc,
    /// The objects of jemalloc.
    Jemalloc,
    /// Those of tcmalloc.
    Tcmalloc,
    /// Those of mimalloc.
    Mimalloc,
    /// Those of an allocator that is not known.
    Allocator,
}

impl ScanGap {
    /// All of them, by number.
    pub const ALL: [Self; 6] = [
        Self::Threads,
        Self::Glibc,
        Self::Jemalloc,
        Self::Tcmalloc,
        Self::Mimalloc,
        Self::Allocator,
    ];

    pub(crate) fn from_number(number: u64) -> Self {
        let known = Self::ALL.get(usize::try_from(number).unwrap_or(usize::MAX));
        known.copied().unwrap_or(Self::Allocator)
    }
}

/// What a call does to a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Reads and writes it, or it is unknown which.
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
