//! What programs with many streams do all the time: records, waits, fills of blocks.
//!
//! Each does what [`Player::call`] and [`Player::set`] do after many questions, and leaves to them what is not as it mostly is.

use aclsan_log::batch::{Batch, Fill, Short, Step, What};
use aclsan_rules::heap::Hint;
use aclsan_rules::judge;

use super::Player;
use super::release::Last;
use crate::replay::growth::Beat;

impl Player {
    /// Takes events, few of them allocations and releases: looking these up beforehand would cost more than it spares.
    pub(super) fn play_queued(&mut self, batch: &Batch) {
        for step in batch.steps() {
            self.pass(step);
            let is_done = match step.what {
                What::Brief(brief) => self.is_idle() && self.brief_plainly(brief, Hint::NONE),
                What::Short(ref short) => self.edge_plainly(short),
                What::Fill(number) => self.fill_plainly(batch.fill(number)),
                What::Other(_) => false,
            };
            if !is_done {
                self.play_one(step, batch);
            }
        }
    }

    /// The same for one event among many allocations and releases; `false` where it is not so plain, and nothing was done.
    #[inline(never)]
    pub(super) fn queued_plainly(&mut self, step: &Step, batch: &Batch) -> bool {
        match step.what {
            What::Short(ref short) => self.edge_plainly(short),
            What::Fill(number) => self.fill_plainly(batch.fill(number)),
            What::Brief(_) | What::Other(_) => false,
        }
    }

    /// An edge of which there is nothing to say; `false` where it is not so plain, and nothing was done.
    #[inline(always)]
    fn edge_plainly(&mut self, short: &Short) -> bool {
        let Some((call, name)) = self.sites.plain_edge(short.site) else {
            return false;
        };
        if !self.fences.is_empty() || !self.order.followed(call, short.values, 0) {
            return false;
        }
        self.calls.called_by(name);
        if call.function.is_wait() {
            self.beat(Beat::Wait);
        }
        true
    }

    /// A fill of a live block from its start on, of which the order of streams alone may have something to say.
    #[inline(always)]
    fn fill_plainly(&mut self, fill: &Fill) -> bool {
        let (site, stream) = (fill.site, fill.stream);
        let Some((call, name)) = self.sites.queued_fill(site) else {
            return false;
        };
        let is_asked = self.ledger.follows_touches() || !self.fences.is_empty();
        if is_asked || fill.count == 0 || fill.count > fill.room {
            return false;
        }
        let Some((block, is_new)) = self.heap.met(fill.to, || self.books.wants_names()) else {
            return false;
        };
        if is_new {
            self.books.named();
        }
        if fill.room > block.size || !self.order.is_plain_fill(&block, stream) {
            return false;
        }
        let thread = self.now.1;
        let range = (fill.to, fill.count);
        let found = self.order.fill(call, range, &block, stream, thread);
        self.calls.called_by(name);
        *self.last.of(thread) = Last {
            released: None,
            queued: Some((site, stream)),
        };
        if let Some(found) = found {
            self.found_times(found, 1);
        }
        self.suspects.named(&block, site);
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
