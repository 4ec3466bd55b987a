//! Blocks of plain memory that come and go, with nobody who has anything to say of it: what long logs consist of.
//!
//! Each does what [`Player::allocation`] and [`Player::release`] do after many questions, and leaves to them what is not as it mostly is.

use std::num::NonZero;

use aclsan_log::batch::{Batch, Step, What};
use aclsan_log::{BlockId, SiteId};
use aclsan_rules::heap::{AHEAD, Heap, Hint};
use aclsan_rules::{Block, judge};

use super::Player;
use super::fast_stream::Calm;
use super::release::{Met, Released};
use crate::replay::sites::calls::Kind;

impl Player {
    /// Takes events many of which are such ones. What the next ones name is looked up while these are taken, and for those after them fetched.
    pub(super) fn play_briefs(&mut self, batch: &Batch) {
        let mut calm = self.calm();
        let chunks = batch.steps().chunks(AHEAD);
        let (mut next, mut after) = (chunks.clone(), chunks.clone().skip(1));
        let mut look_ahead = |heap: &mut Heap| {
            heap.fetch(after.next().unwrap_or_default());
            heap.look_ahead(next.next().unwrap_or_default())
        };
        let mut hints = look_ahead(&mut self.heap);
        for steps in chunks {
            let of_next = look_ahead(&mut self.heap);
            self.play_few(steps, &hints, batch, &mut calm);
            hints = of_next;
        }
    }

    #[inline(always)]
    fn play_few(&mut self, steps: &[Step], hints: &[Hint; AHEAD], batch: &Batch, calm: &mut Calm) {
        for (step, &hint) in steps.iter().zip(hints) {
            self.pass(step);
            let is_done = match step.what {
                What::Allocation {
                    block,
                    site,
                    address,
                    size,
                } => calm.is_idle && self.allocate_plainly(hint, block, site, address, size),
                What::Release { block, site } => {
                    calm.is_idle && self.release_plainly(hint, block, site)
                }
                _ => self.queued_plainly(step, batch, *calm),
            };
            if !is_done {
                self.play_one(step, batch);
                *calm = self.calm();
            }
        }
    }

    /// An allocation or a release, while the player is idle; `false` where it is not so plain, and nothing was done.
    #[inline(never)]
    pub(super) fn brief_plainly(&mut self, what: &What) -> bool {
        match *what {
            What::Allocation {
                block,
                site,
                address,
                size,
            } => self.allocate_plainly(Hint::NONE, block, site, address, size),
            What::Release { block, site } => self.release_plainly(Hint::NONE, block, site),
            What::Short(_) | What::Fill(_) | What::Other(_) => false,
        }
    }

    /// Whether nobody wants to hear of plain memory; the order of streams may want to hear of its release.
    pub(super) fn is_idle(&self) -> bool {
        !self.ledger_follows
            && self.fences.is_empty()
            && !self.annotations.follows_blocks()
            && self.written.is_empty()
            && self.auto_free.is_empty()
    }

    /// A block was allocated where nothing lies, or one has ended that took as much; `false` where it is not so plain, and nothing was done.
    #[inline(always)]
    fn allocate_plainly(
        &mut self,
        hint: Hint,
        id: BlockId,
        site: SiteId,
        address: u64,
        size: u64,
    ) -> bool {
        let often = self.often.at(site);
        let Some(often) = often.filter(|often| often.kind == Kind::Allocation) else {
            return false;
        };
        let block = Block::of(&often.call, id, address, size);
        let (ns, tid) = self.now;
        let Some(hint) = self.heap.hold_plainly(hint, block, ns, tid) else {
            return false;
        };
        let start_bits = often.start_bits;
        match self.books.follows_blocks() {
            true => {
                often.count += 1;
                self.books.arrive(&self.heap.held_at(hint), ns);
            }
            false => often.unheard += 1,
        }
        if address & start_bits != 0 {
            self.starts_oddly(id, site, address, size);
        }
        true
    }

    /// A block was allocated of whose start there is something to say: the same of all from one site, however often. It is made here once
    /// more, since what is handed on must lie in memory, and the next look at it there waits until it has been written.
    #[inline(never)]
    fn starts_oddly(&mut self, id: BlockId, site: SiteId, address: u64, size: u64) {
        let (ns, tid) = self.now;
        let Some(often) = self.often.at(site) else {
            return;
        };
        if self.annotations.ignored.passes_over(tid, 1) {
            return;
        }
        if let Some(at) = often.found {
            self.findings.again(at.get() as usize - 1, 1, ns);
            return;
        }
        let block = Block::of(&often.call, id, address, size);
        if let Some(finding) = judge::allocation(&block, &self.profile) {
            let at = self.findings.add(&self.sites, finding, 1, ns, tid);
            often.found = NonZero::new((at + 1) as u32);
        }
    }

    /// Releases a block, if nobody has anything to say of that.
    #[inline(always)]
    fn release_plainly(&mut self, hint: Hint, id: BlockId, site: SiteId) -> bool {
        let often = self.often.at(site);
        let Some(often) = often.filter(|often| often.kind == Kind::Release) else {
            return false;
        };
        let is_plain = |block: &Block| judge::is_plain_release(&often.call, block);
        let Some((address, hint)) = self.heap.release_plainly(hint, id, site, is_plain) else {
            return false;
        };
        often.count += 1;
        if self.order.follows_blocks() {
            let held = self.heap.held_at(hint);
            let found = (self.order).releasing(&often.call, &held.block, self.now.1);
            self.found(found);
        }
        if self.books.follows_blocks() {
            let held = self.heap.held_at(hint);
            self.books.depart(&held, self.now.0, true);
        }
        self.last.of(self.now.1).released = Some(Released {
            site,
            address,
            met: Met::Ended(id),
            was_ignored: false,
            is_judged: false,
        });
        true
    }
}
