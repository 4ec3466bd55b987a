//! What programs with many streams do all the time: records, waits, fills of blocks.
//!
//! Each does what [`Player::call`] and [`Player::set`] do after many questions, and leaves to them what is not as it mostly is.

use aclsan_log::batch::{Batch, Fill, Short, Step, What};
use aclsan_rules::judge;

use super::Player;
use super::release::Last;
use crate::replay::sites::calls::Kind;
use crate::replay::sites::growth::Beat;

/// Who wants to hear of what: changes only by events that [`Player::play_one`] takes.
#[derive(Clone, Copy)]
pub(super) struct Calm {
    /// See [`Player::is_idle`].
    pub(super) is_idle: bool,
    /// Nobody but the order of streams wants to hear of edges.
    has_edges: bool,
    /// Nor of fills.
    has_fills: bool,
}

impl Player {
    /// As it is now.
    pub(super) fn calm(&self) -> Calm {
        Calm {
            is_idle: self.is_idle(),
            has_edges: self.fences.is_empty() && !self.order.is_capturing(),
            has_fills: self.fences.is_empty()
                && self.order.is_plain()
                && !self.ledger.follows_touches(),
        }
    }

    /// Takes events, few of them allocations and releases: looking these up beforehand would cost more than it spares.
    pub(super) fn play_queued(&mut self, batch: &Batch) {
        let mut calm = self.calm();
        for step in batch.steps() {
            self.pass(step);
            let is_done = match step.what {
                What::Short(ref short) => calm.has_edges && self.edge_plainly(short),
                What::Fill(number) => calm.has_fills && self.fill_plainly(batch.fill(number)),
                What::Allocation { .. } | What::Release { .. } => {
                    calm.is_idle && self.brief_plainly(&step.what)
                }
                What::Other(_) => false,
            };
            if !is_done {
                self.play_one(step, batch);
                calm = self.calm();
            }
        }
    }

    /// The same for one event among many allocations and releases; `false` where it is not so plain, and nothing was done.
    #[inline(never)]
    pub(super) fn queued_plainly(&mut self, step: &Step, batch: &Batch, calm: Calm) -> bool {
        match step.what {
            What::Short(ref short) => calm.has_edges && self.edge_plainly(short),
            What::Fill(number) => calm.has_fills && self.fill_plainly(batch.fill(number)),
            What::Allocation { .. } | What::Release { .. } | What::Other(_) => false,
        }
    }

    /// An edge of which there is nothing to say; `false` where it is not so plain, and nothing was done.
    #[inline(always)]
    fn edge_plainly(&mut self, short: &Short) -> bool {
        let [first, second] = short.values;
        match self.often.at(short.site) {
            Some(often) if often.kind == Kind::Record => {
                self.order.record(first, second, often.call.device);
                often.count += 1;
                true
            }
            Some(often) if often.kind == Kind::Wait => {
                self.order.wait(first, second, often.call.device);
                often.count += 1;
                true
            }
            _ => self.edge_rarely(short),
        }
    }

    /// The same of edges that there are fewer of.
    #[inline(never)]
    fn edge_rarely(&mut self, short: &Short) -> bool {
        let often = self.often.at(short.site);
        let Some(often) = often.filter(|often| often.kind == Kind::Edge) else {
            return false;
        };
        if !self.order.followed(&often.call, short.values, 0) {
            return false;
        }
        often.count += 1;
        if often.call.function.is_wait() {
            self.beat(Beat::Wait);
        }
        true
    }

    /// A fill of a live block from its start on, of which the order of streams alone may have something to say.
    #[inline(always)]
    fn fill_plainly(&mut self, fill: &Fill) -> bool {
        let (site, stream, thread) = (fill.site, fill.stream, self.now.1);
        let range = (fill.to, fill.count);
        let Some(often) = self.often.at(site) else {
            return false;
        };
        let is_plain = often.kind == Kind::Fill && 0 < fill.count && fill.count <= fill.room;
        if is_plain
            && let Some(met) = self.heap.met_again(fill.to)
            && fill.room <= met.size
            && (self.order).filled_again(&often.call, range, (met.id, met.place), stream, thread)
        {
            often.count += 1;
            *self.last.of(thread) = Last {
                released: None,
                queued: Some((site, stream)),
            };
            self.suspects.named_at(met.id, fill.to, site);
            return true;
        }
        is_plain && self.fill_anew(fill)
    }

    /// The same where the block was not filled on that stream before, or more has been done with it.
    #[inline(never)]
    fn fill_anew(&mut self, fill: &Fill) -> bool {
        let (site, stream, thread) = (fill.site, fill.stream, self.now.1);
        let Some((block, is_new)) = self.heap.met(fill.to, || self.books.wants_names()) else {
            return false;
        };
        if is_new {
            self.books.named();
        }
        let is_odd = stream == 0 || fill.room > block.size || !block.function.has_queued_fills();
        let Some(often) = self.often.at(site).filter(|_| !is_odd) else {
            return false;
        };
        often.count += 1;
        let range = (fill.to, fill.count);
        let found = self.order.fill(&often.call, range, &block, stream, thread);
        *self.last.of(thread) = Last {
            released: None,
            queued: Some((site, stream)),
        };
        self.suspects.named(&block, site);
        if let Some(found) = found {
            self.found_times(found, 1);
        }
        true
    }
}

/// The same to those who judge it.
#[inline]
pub(super) fn set_of(fill: &Fill) -> judge::Set {
    judge::Set {
        to: fill.to,
        room: fill.room,
        count: fill.count,
        mapping: fill.mapping,
    }
}
