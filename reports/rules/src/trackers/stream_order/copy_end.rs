//! What lies at an end of a copy.

use crate::api::block::{Block, Place};
use crate::api::family::{is_followed, is_host};

/// What an address is, for a copy.
#[derive(Clone, Copy)]
pub(super) enum End<'a> {
    /// One of the families whose use is followed.
    Block(&'a Block),
    /// Memory of another kind: nothing is said of it.
    Other,
    /// Nothing that was seen allocated: it may be pageable.
    Unknown,
}

impl<'a> End<'a> {
    /// What lies at a place, or in the registered range that is there.
    #[inline]
    pub fn of(place: &'a Place, registered: Option<&'a Block>) -> Self {
        match place {
            Place::Live(block, _) if is_followed(block.family()) => Self::Block(block),
            Place::Live(..) | Place::Ended(..) => Self::Other,
            Place::Unknown => registered.map_or(Self::Unknown, Self::Block),
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
