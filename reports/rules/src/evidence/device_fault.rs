//! Errors of the device: what may have caused them.

use crate::api::block::Block;
use crate::api::functions::Call;
use aclsan_log::CallSiteId;

/// A status with its name, as in 507015 (`ACL_ERROR_RT_AICORE_EXCEPTION`).
pub fn status_text(call: &Call, status: i32) -> String {
    match (call.function.vendor().status_name)(status) {
        Some(name) => format!("{status} (`{name}`)"),
        None => status.to_string(),
    }
}

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

/// Places that a finding shows.
const MAX_SHOWN: usize = 4;

/// The work that was queued when a call returned an error of the device, as far as it is known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueuedWork {
    /// Where it was queued, the latest first, each place once.
    pub sites: Vec<CallSiteId>,
    /// Places that are not shown.
    pub more: usize,
    /// The live blocks that the latest of it uses.
    pub blocks: Vec<Block>,
    /// A block that some of it uses and that was released meanwhile, and by which call.
    pub released: Option<(Block, CallSiteId)>,
}

impl QueuedWork {
    /// From the places of all of it, the latest first.
    pub fn new(
        all: Vec<CallSiteId>,
        blocks: Vec<Block>,
        released: Option<(Block, CallSiteId)>,
    ) -> Self {
        let mut sites = Vec::new();
        for site in all {
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        let more = sites.len().saturating_sub(MAX_SHOWN);
        sites.truncate(MAX_SHOWN);
        Self {
            sites,
            more,
            blocks,
            released,
        }
    }
}
