//! What accesses to live blocks do not tell when the device reports an error.

use super::epoch::Epoch;
use crate::api::block::Block;
use aclsan_log::CallSiteId;
use std::collections::VecDeque;

/// Operators without known tensors that are remembered.
const MAX_HIDDEN: usize = 4;
/// Blocks released in flight that are remembered.
const MAX_RELEASED: usize = 64;

/// Operators without known tensors, and blocks that were released in flight.
#[derive(Default)]
pub(super) struct Faults {
    /// The last operators whose tensors nobody reported: stream and place. A ring.
    hidden: [(u64, CallSiteId); MAX_HIDDEN],
    next: usize,
    /// Blocks that queued work still used when they were released: that work, and who released them.
    released: VecDeque<(Epoch, Block, CallSiteId)>,
    /// Whether one was reported: the runtime returns it to every call that follows.
    is_reported: bool,
    /// Whether an index was found out of range since the last error: the next one is its consequence.
    is_expected: bool,
}

impl Faults {
    /// An operator was queued, and what it uses is unknown.
    pub fn queued_hidden(&mut self, stream: u64, site: CallSiteId) {
        self.hidden[self.next] = (stream, site);
        self.next = (self.next + 1) % MAX_HIDDEN;
    }

    /// The host waited for a stream, or for all.
    pub fn waited(&mut self, stream: Option<u64>) {
        for hidden in &mut self.hidden {
            if stream.is_none_or(|stream| stream == hidden.0) {
                hidden.1 = CallSiteId(0);
            }
        }
    }

    /// An index of an operator is out of range, which is reported.
    pub fn expect(&mut self) {
        self.is_expected = true;
    }

    /// A block was released while the work at `epoch` used it.
    pub fn released(&mut self, epoch: Epoch, block: &Block, site: CallSiteId) {
        if self.released.len() == MAX_RELEASED {
            self.released.pop_front();
        }
        self.released.push_back((epoch, *block, site));
    }

    /// The blocks that were released in flight, the latest first.
    pub fn releases(&self) -> impl Iterator<Item = &(Epoch, Block, CallSiteId)> {
        self.released.iter().rev()
    }

    /// Whether the error that a call returned is to be reported, given whether anything is known to have been queued.
    pub fn is_news(&mut self, has_work: bool) -> bool {
        let is_expected = std::mem::take(&mut self.is_expected);
        let is_repeated = std::mem::replace(&mut self.is_reported, true) && !has_work;
        !is_expected && !is_repeated
    }

    /// Operators without known tensors on a stream, or on any, the latest first.
    pub fn hidden(&self, stream: Option<u64>) -> impl Iterator<Item = CallSiteId> {
        let latest_first =
            (1..=MAX_HIDDEN).map(|back| (self.next + MAX_HIDDEN - back) % MAX_HIDDEN);
        latest_first
            .map(|at| self.hidden[at])
            .filter(move |hidden| stream.is_none_or(|stream| stream == hidden.0))
            .map(|(_, site)| site)
            .filter(|&site| site != CallSiteId(0))
    }
}
