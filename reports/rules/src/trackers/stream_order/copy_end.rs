//! What lies at an end of a copy.

use crate::api::block::{AddressInfo, Block};
use crate::api::family::{is_followed, is_host};

/// What an address is, for a copy.
#[derive(Clone, Copy)]
pub(super) enum CopyEnd<'a> {
    /// One of the families whose use is followed.
    Block(&'a Block),
    /// Memory of another kind: nothing is said of it.
    Other,
    /// Nothing that was seen allocated: it may be pageable.
    Unknown,
}

impl<'a> CopyEnd<'a> {
    /// What lies at a place, or in the registered range that is there.
    #[inline]
    pub fn of(info: &'a AddressInfo, registered: Option<&'a Block>) -> Self {
        match info {
            AddressInfo::Live(block, _) if is_followed(block.family()) => Self::Block(block),
            AddressInfo::Live(..) | AddressInfo::Ended(..) => Self::Other,
            AddressInfo::Unknown => registered.map_or(Self::Unknown, Self::Block),
        }
    }

    pub fn is_host(self) -> bool {
        match self {
            Self::Block(block) => is_host(block.family()),
            Self::Other => false,
            Self::Unknown => true,
        }
    }
}
