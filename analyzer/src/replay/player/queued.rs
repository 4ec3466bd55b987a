//! What programs with many streams do all the time: records, waits, fills of blocks, releases of what was filled.
//!
//! Each does what [`Player::call`], [`Player::set`] and [`Player::release`] do after many questions, and leaves to them what is not as it
//! mostly is.

use aclsan_log::batch::{Fill, Short};
use aclsan_log::{BlockId, SiteId};
use aclsan_rules::functions::Role;
use aclsan_rules::{Place, judge};

use super::Player;
use super::release::Released;
use crate::replay::growth::Beat;

impl Player {
    /// A call that is told in short.
    #[inline]
    pub(super) fn short(&mut self, short: &Short) {
        if !self.edge_plainly(short) {
            self.call(short.site, &short.values(), 0);
        }
    }

    /// An edge of which there is nothing to say; `false` where it is not so plain, and nothing was done.
    #[inline]
    fn edge_plainly(&mut self, short: &Short) -> bool {
        let Some((call, name)) = self.sites.known(short.site) else {
            return false;
        };
        let function = call.function;
        if !function.is_edge()
            || !self.fences.is_empty()
            || !self.order.followed(call, short.values, 0)
        {
            return false;
        }
        self.calls.called_by(name);
        self.is_opaque |= function.is_opaque();
        if function.is_wait() {
            self.beat(Beat::Wait);
        }
        true
    }

    /// A fill.
    #[inline]
    pub(super) fn fill(&mut self, fill: &Fill) {
        let set = judge::Set {
            to: fill.to,
            room: fill.room,
            count: fill.count,
            mapping: fill.mapping,
        };
        if !self.fill_plainly(fill.site, &set, fill.stream) {
            self.set(fill.site, &set, fill.stream);
        }
    }

    /// A fill of a live block from its start on, of which the order of streams alone may have something to say.
    #[inline]
    fn fill_plainly(&mut self, site: SiteId, set: &judge::Set, stream: u64) -> bool {
        let Some((call, name)) = self.sites.known(site) else {
            return false;
        };
        let is_asked = self.ledger.follows_touches() || !self.fences.is_empty();
        if call.function.role != Role::Set || is_asked || set.count == 0 || set.count > set.room {
            return false;
        }
        let Some((block, is_new)) = self.heap.met(set.to, self.books.wants_names()) else {
            return false;
        };
        if is_new {
            self.books.named();
        }
        if set.room > block.size || !self.order.is_plain_fill(call, &block, stream) {
            return false;
        }
        let thread = self.now.1;
        let found = self.order.fill(call, set, &block, stream, thread);
        self.calls.called_by(name);
        *self.released.of(thread) = None;
        *self.queued.of(thread) = Some((site, stream));
        if let Some(found) = found {
            self.found_times(found, 1);
        }
        self.suspects.named(&block, site);
        true
    }

    /// A release of plain memory that the order of streams alone wants to hear of.
    pub(super) fn release_followed(&mut self, id: BlockId, site: SiteId) -> bool {
        let Some(call) = self.sites.plain_release(site) else {
            return false;
        };
        if self.ledger_follows || !self.fences.is_empty() {
            return false;
        }
        let Some(held) = self.heap.get(id) else {
            return false;
        };
        if !judge::is_plain_release(call, &held.block) {
            return false;
        }
        let found = self.order.releasing(call, &held.block, self.now.1);
        self.calls.called(&self.sites, site);
        self.found(found);
        self.heap.release(id, site);
        let was_ignored = self.end_of(&held);
        *self.released.of(self.now.1) = Some(Released {
            site,
            address: held.block.address,
            place: Place::Live(held.block, 0),
            ended: Some(id),
            was_ignored,
            is_judged: false,
        });
        true
    }
}
