//! The fast path for allocations and frees of plain memory that no rule observes: most of a long log.
//!
//! Equivalent to [`Player::allocation`] and [`Player::release`], which handle every event that the fast path declines.

use std::num::NonZero;

use aclsan_log::batch::{Batch, BatchEntry, EventKind};
use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::block::Block;
use aclsan_rules::judge;
use aclsan_rules::trackers::heap::{Heap, LOOKAHEAD, PrefetchHint};

use super::Player;
use super::fast_stream::FastPath;
use super::release::{ReleaseTarget, Released};
use crate::replay::sites::calls::Kind;

impl Player {
    /// Plays a batch with many allocations and frees. Blocks that the next chunk names are looked up while this one is played, and those of
    /// the chunk after it prefetched.
    pub(super) fn play_allocs(&mut self, batch: &Batch) {
        let mut fast_path = self.fast_path();
        let chunks = batch.entries().chunks(LOOKAHEAD);
        let (mut next, mut after) = (chunks.clone(), chunks.clone().skip(1));
        let mut look_ahead = |heap: &mut Heap| {
            heap.fetch(after.next().unwrap_or_default());
            heap.look_ahead(next.next().unwrap_or_default())
        };
        let mut hints = look_ahead(&mut self.heap);
        for steps in chunks {
            let of_next = look_ahead(&mut self.heap);
            self.play_chunk(steps, &hints, batch, &mut fast_path);
            hints = of_next;
        }
    }

    #[inline(always)]
    fn play_chunk(
        &mut self,
        steps: &[BatchEntry],
        hints: &[PrefetchHint; LOOKAHEAD],
        batch: &Batch,
        fast_path: &mut FastPath,
    ) {
        for (step, &hint) in steps.iter().zip(hints) {
            self.pass(step);
            let is_done = match step.what {
                EventKind::Allocation {
                    block,
                    site,
                    address,
                    size,
                } => fast_path.is_idle && self.try_fast_alloc(hint, block, site, address, size),
                EventKind::Release { block, site } => {
                    fast_path.is_idle && self.try_fast_release(hint, block, site)
                }
                _ => self.try_fast_stream_op(step, batch, *fast_path),
            };
            if !is_done {
                self.play_one(step, batch);
                *fast_path = self.fast_path();
            }
        }
    }

    /// Plays an allocation or release while the player is idle; `false` if it needs the slow path, with nothing done.
    #[inline(never)]
    pub(super) fn try_fast_block(&mut self, what: &EventKind) -> bool {
        match *what {
            EventKind::Allocation {
                block,
                site,
                address,
                size,
            } => self.try_fast_alloc(PrefetchHint::NONE, block, site, address, size),
            EventKind::Release { block, site } => {
                self.try_fast_release(PrefetchHint::NONE, block, site)
            }
            EventKind::Short(_) | EventKind::Fill(_) | EventKind::Other(_) => false,
        }
    }

    /// Whether no component observes plain memory; stream order may still observe its release.
    pub(super) fn is_idle(&self) -> bool {
        !self.objects_follow
            && !self.forgets_released()
            && !self.heap.is_sampled()
            && self.guard_pages.is_empty()
            && !self.annotations.wants_blocks()
            && self.written.is_empty()
            && self.auto_free.is_empty()
    }

    /// Plays an allocation at a free address, or where a freed block had the same size; `false` if it needs the slow path, with nothing
    /// done.
    #[inline(always)]
    fn try_fast_alloc(
        &mut self,
        hint: PrefetchHint,
        id: BlockId,
        site: CallSiteId,
        address: u64,
        size: u64,
    ) -> bool {
        let hot_call = self.hot_calls.at(site);
        let Some(hot_call) = hot_call.filter(|hot_call| hot_call.kind == Kind::Allocation) else {
            return false;
        };
        let block = Block::of(&hot_call.call, id, address, size);
        let (ns, tid) = self.now;
        if self.heap.insert_fast(hint, block, ns, tid).is_none() {
            return false;
        }
        let start_bits = hot_call.start_bits;
        match self.accounting.wants_blocks() {
            true => {
                hot_call.count += 1;
                let held = self.heap.inserted(block, ns, tid);
                self.accounting.on_alloc(&held, ns);
            }
            false => hot_call.uncounted += 1,
        }
        if address & start_bits != 0 {
            self.report_odd_start(id, site, address, size);
        }
        true
    }

    /// Reports a misaligned block start: the same finding for all blocks of a site. The block is built here once more on purpose: passing
    /// it would put it into memory, and the next read there would wait for the store.
    #[inline(never)]
    fn report_odd_start(&mut self, id: BlockId, site: CallSiteId, address: u64, size: u64) {
        let (ns, tid) = self.now;
        let Some(hot_call) = self.hot_calls.at(site) else {
            return;
        };
        if self.annotations.ignored.passes_over(tid, 1) {
            return;
        }
        if let Some(at) = hot_call.found {
            self.findings.again(at.get() as usize - 1, 1, ns);
            return;
        }
        let block = Block::of(&hot_call.call, id, address, size);
        if let Some(finding) = judge::allocation(&block, &self.profile) {
            let at = self.findings.add(&self.sites, &finding, 1, ns, tid);
            hot_call.found = NonZero::new((at + 1) as u32);
        }
    }

    /// Plays a release; `false` if it needs the slow path, with nothing done.
    #[inline(always)]
    fn try_fast_release(&mut self, hint: PrefetchHint, id: BlockId, site: CallSiteId) -> bool {
        let hot_call = self.hot_calls.at(site);
        let Some(hot_call) = hot_call.filter(|hot_call| hot_call.kind == Kind::Release) else {
            return false;
        };
        let is_plain = |block: &Block| judge::is_plain_release(&hot_call.call, block);
        let Some((address, hint)) = self.heap.release_fast(hint, id, site, is_plain) else {
            return false;
        };
        hot_call.count += 1;
        if self.order.wants_blocks() {
            let held = self.heap.block_at(hint);
            let found = (self.order).releasing(&hot_call.call, &held.block, self.now.1);
            self.found(found);
        }
        if self.accounting.wants_blocks() {
            let held = self.heap.block_at(hint);
            self.accounting.on_free(&held, self.now.0, true);
        }
        self.last.of(self.now.1).released = Some(Released {
            site,
            address,
            met: ReleaseTarget::Ended(id),
            was_ignored: false,
            is_judged: false,
        });
        true
    }
}
