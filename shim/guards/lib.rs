//! Redzones, poison, quarantine and guard pages: where they are placed, what they contain, and what differs later.
//!
//! Works over [`Device`]. Device memory is only accessed by the runtime's copies: one writes a pattern, one reads it back. If a pattern
//! cannot be written or read (no context on this thread, a graph capture in progress), that is not an error; the block is not guarded.
//!
//! A pattern is written before the allocation returns, and compared before the release is made, each by a copy of its own. Neither can wait
//! for others of its kind: kernels are also launched by functions below AscendCL, which no hook sees, so that the program may use a block as
//! soon as it knows the address. `tests/benches/README.md` says what batches would cost.
//!
//! Prints nothing: warnings are returned as values.

#![forbid(unsafe_code)]

mod device;
#[cfg(test)]
mod fake_device;
pub mod guard_page;
pub mod left_redzone;
mod page_class;
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
    /// The name in warnings and in the log.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "family managed",
            Self::Pool => "family pool",
            Self::Hiai => "family hiai",
            Self::HiaiDvpp => "family hiai-dvpp",
            Self::GiganticPages => "1 GiB pages",
        }
    }

    /// Whether its blocks still have a right redzone.
    pub fn has_right_redzone(self) -> bool {
        self == Self::GiganticPages
    }
}
