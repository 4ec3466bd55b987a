//! What an end of a copy is.

use crate::api::block::{AddressInfo, Block};
use crate::api::family::{is_host_memory, is_race_checked};

/// What an address is, to a copy.
#[derive(Clone, Copy)]
pub(super) enum CopyEnd<'a> {
    /// A block of a race-checked family.
    Block(&'a Block),
    /// Memory of another kind, which is not checked.
    Other,
    /// Not seen allocated: it may be pageable.
    Unknown,
}

impl<'a> CopyEnd<'a> {
    /// Classifies an address, given the registered range that holds it.
    #[inline]
    pub fn of(info: &'a AddressInfo, registered: Option<&'a Block>) -> Self {
        match info {
            AddressInfo::Live(block, _) if is_race_checked(block.family()) => Self::Block(block),
            AddressInfo::Live(..) | AddressInfo::Ended(..) => Self::Other,
            AddressInfo::Unknown => registered.map_or(Self::Unknown, Self::Block),
        }
    }

    pub fn is_host(self) -> bool {
        match self {
            Self::Block(block) => is_host_memory(block.family()),
            Self::Other => false,
            Self::Unknown => true,
        }
    }
}
