//! Whether the program still knows a block that it never released: what a scan of its memory found.

use aclsan_log::Mapping;

/// What is known of pointers to a block at the end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Reachability {
    /// No scan was made, or none that came far enough to say.
    #[default]
    Unknown,
    /// No pointer was found.
    Lost,
    /// One is still stored.
    Reachable,
    /// The same, of what was made once and is kept as long as the process lives.
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

/// Where a pointer stands, in words.
pub fn place(mapping: Mapping) -> &'static str {
    match mapping {
        Mapping::Unknown => "shared or special memory",
        Mapping::Stack => "the main thread's stack or a register",
        Mapping::Heap => "the heap",
        Mapping::Image => "a global variable",
        Mapping::Anonymous => "the heap or another thread's stack",
    }
}
