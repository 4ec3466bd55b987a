//! How far the logs can be trusted.

use aclsan_render::model::Cut;

use super::Assembly;
use crate::replay::Replay;

impl Assembly {
    /// Adds what one log lacks.
    pub(super) fn quality(&mut self, (process, pid): (usize, u32), replay: &Replay) {
        let own = &mut self.report.own;
        own.dropped_events = own.dropped_events.saturating_add(replay.dropped);
        own.stackless_calls = own.stackless_calls.saturating_add(replay.stackless);
        own.damage.extend(replay.damage.iter().map(|damage| Cut {
            pid,
            process,
            offset: damage.offset,
            lost_bytes: damage.lost,
        }));
        own.unknown_records += replay.unknown_records;
        own.unknown_functions += replay.unknown_functions;
        own.unmatched_releases += replay.unmatched_releases;
        own.unseen_releases += replay.unseen_releases;
        own.guarded_blocks += replay.guards.0;
        own.guard_bytes = own.guard_bytes.saturating_add(replay.guards.1);
        own.guards_changed_page += replay.guards.2;
        own.guards_in_slack += replay.guards.3;
        own.guard_page_bytes = own.guard_page_bytes.saturating_add(replay.guard_pages);
        own.guard_page_blocks += replay.with_guard_page;
    }
}
