//! A device error that may come of an access outside a block.

use crate::api::block::Block;
use aclsan_log::SiteId;

/// The call by which the program names a function that is told of errors. On record is each error that it is told of.
pub const CALLBACK: &str = "aclrtSetExceptionInfoCallback";

/// What is known of the block that the device may have left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// The bytes between its end and the unmapped page are overwritten: somebody wrote on from there.
    Overrun,
    /// It is released, and work that is queued names it.
    UsedAfterRelease(SiteId),
    /// Work that is queued names it, and it is live.
    Named,
    /// It was released while work was queued, which names nothing of it.
    ReleasedMeanwhile(SiteId),
}

/// A device error, and what may have to do with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The block, if there is evidence of one, and bytes from its start to the unmapped page.
    pub suspect: Option<(Block, u64, Evidence)>,
    /// Further blocks of which as much is known.
    pub others: usize,
    /// Calls that queued work since it was last known to be done, those that name the block first, then the latest.
    pub queued: Vec<SiteId>,
    /// Such calls that are not shown.
    pub more: usize,
}
