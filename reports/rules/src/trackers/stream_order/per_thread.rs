//! Per-thread state that a call leaves for the thread's next one.

use aclsan_log::{BlockId, CallSiteId};

use super::access::{Access, Accesses};
use super::epoch::Epoch;
use crate::api::block::Block;
use crate::api::fast_hash::FastMap;
use crate::api::functions::Call;

/// Where the accesses of a copy or fill are stored: target and source.
pub(super) type Put = [Option<(BlockId, Epoch)>; 2];

/// The last copy or fill of each thread.
#[derive(Default)]
pub(super) struct Latest {
    thread: u32,
    of_thread: Option<(CallSiteId, Put)>,
    of_others: FastMap<u32, (CallSiteId, Put)>,
}

impl Latest {
    /// A thread made a copy or fill.
    #[inline(always)]
    pub fn put(&mut self, thread: u32, site: CallSiteId, put: Put) {
        if thread != self.thread {
            self.turn_to(thread);
        }
        self.of_thread = Some((site, put));
    }

    /// Takes a thread's last copy or fill.
    pub fn take(&mut self, thread: u32) -> Option<(CallSiteId, Put)> {
        if thread != self.thread {
            self.turn_to(thread);
        }
        self.of_thread.take()
    }

    #[inline(never)]
    fn turn_to(&mut self, thread: u32) {
        if let Some(last) = self.of_thread.take() {
            self.of_others.insert(self.thread, last);
        }
        self.of_thread = self.of_others.remove(&thread);
        self.thread = thread;
    }
}

/// A range that a thread's next call touches.
pub(super) struct PendingAccess {
    pub call: Call,
    pub block: Block,
    pub access: Access,
}

/// A block that is being released in stream order, and the accesses to it.
pub(super) struct Released {
    pub block: Block,
    pub accesses: Accesses,
}

/// State of one thread.
#[derive(Default)]
pub(super) struct Thread {
    /// Accesses of its next call.
    pub pending: Vec<PendingAccess>,
    /// The block it is releasing in stream order.
    pub freeing: Option<Released>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_its_own_last_one_until_it_is_taken() {
        let mut latest = Latest::default();
        for turn in 0..1_000 {
            let thread = turn % 3;
            latest.put(thread, CallSiteId(turn), Put::default());
            let before = latest.take((thread + 2) % 3).map(|(site, _)| site.0);
            assert_eq!(before, turn.checked_sub(1));
        }
        let left = [0, 1, 2].map(|thread| latest.take(thread).map(|(site, _)| site.0));
        assert_eq!(left, [Some(999), None, None]);
    }
}
