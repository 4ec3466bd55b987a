//! Redzones, poison, quarantine and guard pages: where they go, what they hold, and what differs later.
//!
//! Works over [`Device`]. A device's memory is only touched by its own copies: one that writes a pattern, one that reads it back. A pattern
//! that cannot be written or read (no context on this thread, a graph capture in progress) is no error; the block is then not guarded.
//! What the user is to hear comes back as a value.

#![forbid(unsafe_code)]

mod device;
pub mod guard_page;
pub mod left_redzone;
pub mod plan;
pub mod poison;
pub mod quarantine;
pub mod redzone;

pub use device::{Device, MapError, Mapping, Space};

/// A kind of block that has fewer guards than the user asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// Managed memory.
    Managed,
    /// Blocks of a memory pool.
    Pool,
    /// Blocks of HiAI.
    Hiai,
    /// Blocks of HiAI for DVPP.
    HiaiDvpp,
    /// Blocks of 1 GiB pages.
    GiganticPages,
}

impl Unsupported {
    /// As the user and the log know it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "family managed",
            Self::Pool => "family pool",
            Self::Hiai => "family hiai",
            Self::HiaiDvpp => "family hiai-dvpp",
            Self::GiganticPages => "1 GiB pages",
        }
    }

    /// Whether its blocks have a right redzone all the same.
    pub fn has_right_redzone(self) -> bool {
        self == Self::GiganticPages
    }
}
