//! The fast path for what programs with many streams do most: records, waits and fills.
//!
//! Equivalent to [`Player::call`] and [`Player::set`], which handle every event that the fast path declines.

use aclsan_log::batch::{Batch, BatchEntry, CompactCall, EventKind, MemsetEvent};
use aclsan_rules::judge;

use super::Player;
use super::release::LastAction;
use crate::replay::sites::calls::Kind;
use crate::replay::sites::growth::Tick;

/// Which fast paths are open. Changes only in events that [`Player::play_one`] plays.
#[derive(Clone, Copy)]
pub(super) struct FastPath {
    /// See [`Player::is_idle`].
    pub(super) is_idle: bool,
    /// Only stream order observes edges.
    has_edges: bool,
    /// Only stream order observes fills.
    has_fills: bool,
}

impl Player {
    /// The fast paths that are open now.
    pub(super) fn fast_path(&self) -> FastPath {
        FastPath {
            is_idle: self.is_idle(),
            has_edges: self.guard_pages.is_empty() && !self.order.is_capturing(),
            has_fills: self.guard_pages.is_empty()
                && self.order.is_plain()
                && !self.objects.wants_accesses()
                && !self.annotations.has_categories(),
        }
    }

    /// Plays a batch with few allocations and frees, without looking them up ahead, which would cost more than it saves.
    pub(super) fn play_stream_ops(&mut self, batch: &Batch) {
        let mut fast_path = self.fast_path();
        for step in batch.entries() {
            self.pass(step);
            let is_done = match step.what {
                EventKind::Short(ref short) => fast_path.has_edges && self.try_fast_edge(short),
                EventKind::Fill(number) => {
                    fast_path.has_fills && self.try_fast_fill(batch.fill(number))
                }
                EventKind::Allocation { .. } | EventKind::Release { .. } => {
                    fast_path.is_idle && self.try_fast_block(&step.what)
                }
                EventKind::Other(_) => false,
            };
            if !is_done {
                self.play_one(step, batch);
                fast_path = self.fast_path();
            }
        }
    }

    /// Plays one stream operation in a batch of allocations; `false` if it needs the slow path, with nothing done.
    #[inline(never)]
    pub(super) fn try_fast_stream_op(
        &mut self,
        step: &BatchEntry,
        batch: &Batch,
        fast_path: FastPath,
    ) -> bool {
        match step.what {
            EventKind::Short(ref short) => fast_path.has_edges && self.try_fast_edge(short),
            EventKind::Fill(number) => {
                fast_path.has_fills && self.try_fast_fill(batch.fill(number))
            }
            EventKind::Allocation { .. } | EventKind::Release { .. } | EventKind::Other(_) => false,
        }
    }

    /// Plays a stream-order edge; `false` if it needs the slow path, with nothing done.
    #[inline(always)]
    fn try_fast_edge(&mut self, short: &CompactCall) -> bool {
        let [first, second] = short.values;
        match self.hot_calls.at(short.site) {
            Some(hot_call) if hot_call.kind == Kind::Record => {
                self.order.record(first, second, hot_call.call.device);
                hot_call.count += 1;
                true
            }
            Some(hot_call) if hot_call.kind == Kind::Wait => {
                self.order.wait(first, second, hot_call.call.device);
                hot_call.count += 1;
                true
            }
            _ => self.try_fast_other_edge(short),
        }
    }

    /// As [`Player::try_fast_edge`], for less frequent edges.
    #[inline(never)]
    fn try_fast_other_edge(&mut self, short: &CompactCall) -> bool {
        let hot_call = self.hot_calls.at(short.site);
        let Some(hot_call) = hot_call.filter(|hot_call| hot_call.kind == Kind::Edge) else {
            return false;
        };
        if !self.order.followed(&hot_call.call, short.values, 0) {
            return false;
        }
        hot_call.count += 1;
        if hot_call.call.function.is_wait() {
            self.tick(Tick::Wait);
        }
        true
    }

    /// Plays a fill of a live block from its start, which only stream order may report.
    #[inline(always)]
    fn try_fast_fill(&mut self, fill: &MemsetEvent) -> bool {
        let (site, stream, thread) = (fill.site, fill.stream, self.now.1);
        let range = (fill.to, fill.count);
        let Some(hot_call) = self.hot_calls.at(site) else {
            return false;
        };
        let is_plain = hot_call.kind == Kind::Fill && 0 < fill.count && fill.count <= fill.room;
        if is_plain
            && let Some(met) = self.heap.named_at(fill.to)
            && fill.room <= met.size
            && (self.order).filled_again(&hot_call.call, range, (met.id, met.place), stream, thread)
        {
            hot_call.count += 1;
            *self.last.of(thread) = LastAction {
                released: None,
                queued: Some((site, stream)),
            };
            self.recent_writers.named_at(met.id, fill.to, site);
            return true;
        }
        is_plain && self.try_first_fill(fill)
    }

    /// As [`Player::try_fast_fill`], if the block was not filled on that stream before, or was used otherwise since.
    #[inline(never)]
    fn try_first_fill(&mut self, fill: &MemsetEvent) -> bool {
        let (site, stream, thread) = (fill.site, fill.stream, self.now.1);
        let Some((block, is_new)) = self
            .heap
            .name_at(fill.to, || self.accounting.expects_uses())
        else {
            return false;
        };
        if is_new {
            self.accounting.on_first_use();
        }
        let is_odd = stream == 0 || fill.room > block.size || !block.function.has_queued_fills();
        let Some(hot_call) = self.hot_calls.at(site).filter(|_| !is_odd) else {
            return false;
        };
        hot_call.count += 1;
        let range = (fill.to, fill.count);
        let found = self
            .order
            .fill(&hot_call.call, range, &block, stream, thread);
        *self.last.of(thread) = LastAction {
            released: None,
            queued: Some((site, stream)),
        };
        self.recent_writers.named(&block, site);
        if let Some(found) = found {
            self.found_times(found, 1);
        }
        true
    }
}

/// A fill as the rules take it.
#[inline]
pub(super) fn set_of(fill: &MemsetEvent) -> judge::Memset {
    judge::Memset {
        to: fill.to,
        room: fill.room,
        count: fill.count,
        mapping: fill.mapping,
    }
}
