//! Requests to a replay, made before its first event.

use std::sync::Arc;

use super::Player;
use crate::replay::accounting::Backlog;
use crate::replay::annotations::EachSnapshotBlock;
use crate::replay::oom::fit::FitTracker;

impl Player {
    /// From now on others may do the accounting.
    pub fn share_accounting(&mut self) -> Arc<Backlog> {
        self.accounting.share()
    }

    /// Limits the replay to leaks and findings that are errors.
    pub fn ask_for_leaks(&mut self) {
        self.accounting.count_leaks_only();
    }

    /// Tracks when a request of this size would have fitted.
    pub fn ask_whether_fits(&mut self, request: Option<u64>) {
        let profile = self.profile;
        self.accounting.read().fit = request.map(|bytes| FitTracker::new(bytes, &profile));
    }

    /// Asks for the blocks that are live at each snapshot.
    pub fn ask_for_snapshot_blocks(&mut self, each: EachSnapshotBlock) {
        self.annotations.each_snapshot_block = Some(each);
    }
}
