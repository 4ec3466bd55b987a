//! Whether the program still has a pointer to a block that it never released: the result of a scan of its memory.

use aclsan_log::Mapping;

/// Whether pointers to a block exist at the end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Reachability {
    /// There was no scan, or it did not get far enough to tell.
    #[default]
    Unknown,
    /// No pointer was found, or only in objects that are lost themselves.
    Lost,
    /// A pointer is still stored.
    Reachable,
    /// [`Self::Reachable`], for a block that was allocated once and is kept as long as the process lives.
    Cache,
}

impl Reachability {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Lost => "lost",
            Self::Reachable => "still reachable",
            Self::Cache => "kept for the process",
        }
    }
}

/// Where a pointer is, in words.
pub fn place(mapping: Mapping) -> &'static str {
    match mapping {
        Mapping::Unknown => "shared or special memory",
        Mapping::Stack => "the main thread's stack or a register",
        Mapping::Heap => "the heap",
        Mapping::Image => "a global variable",
        Mapping::Anonymous => "the heap or another thread's stack",
        Mapping::LostObject => "an object that nothing points to",
    }
}
