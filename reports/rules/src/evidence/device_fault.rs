//! A device error that may come from an access outside a block.

use crate::api::block::Block;
use aclsan_log::CallSiteId;

/// Facts about the block that the device may have overrun.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// The bytes between its end and the unmapped page are overwritten: somebody wrote past the end.
    Overrun,
    /// It is released, and queued work names it.
    UsedAfterRelease(CallSiteId),
    /// It is live, and queued work names it.
    Named,
    /// It was released while work was queued that does not name it.
    ReleasedMeanwhile(CallSiteId),
}

/// A device error, and what may be related to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The block, if there is evidence of one, with the bytes from its start to the unmapped page.
    pub suspect: Option<(Block, u64, Evidence)>,
    /// Other blocks with equally strong evidence.
    pub others: usize,
    /// Calls whose work is not known to have completed: those that name the block first, then the latest.
    pub queued: Vec<CallSiteId>,
    /// Such calls that are not shown.
    pub more: usize,
}
