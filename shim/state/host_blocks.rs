//! Blocks of host memory under `host_access=trap`: which of their pages may be protected, and what is being queued on them.

use crate::state::limits::Limit;
use aclsan_log::BlockId;
use aclsan_options::Options;
use aclsan_os::lock::{Mutex, rank};
use aclsan_os::maps;
use aclsan_os::page_range::{end_of, page_up};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The pages of a block.
#[derive(Clone, Copy, Debug)]
struct Pages {
    /// Where its whole pages may be protected; empty if the kernel does not protect them.
    bounds: (u64, u64),
    is_checked: bool,
    /// Bytes that it takes of the budget for small blocks.
    charged: u64,
    /// Bytes requested for it so that it ends with a page.
    rest: u64,
}

/// The runtime rounds requests up to this (runtime 681ef761, `aclrtMallocHost`).
const ROUNDING: u64 = 32;

/// A range that a call names, until the call has returned.
#[derive(Clone, Copy, Debug)]
pub struct PendingEnd {
    thread: u32,
    /// First byte and end.
    pub range: (u64, u64),
}

/// All of them.
#[derive(Default)]
pub struct HostBlocks {
    pages: Mutex<rank::WatchedPages, HashMap<BlockId, Pages>>,
    pending: Mutex<rank::PendingEnds, Vec<PendingEnd>>,
    /// Memory that was readable and writable when the kernel was asked last, and the number of changes until then.
    plain: Mutex<rank::PlainHost, ((u64, u64), u64)>,
    /// Changes of mappings by the program.
    changes: AtomicU64,
    /// Bytes taken by small blocks for pages of their own.
    charged: AtomicU64,
    /// What the host had learned when the claims were compared with it last.
    pub seen_version: AtomicU64,
}

impl HostBlocks {
    /// Bytes to request for a block of page-locked memory of `size` bytes, so that it shares no page with another one.
    pub fn whole_pages(&self, options: &Options, size: u64) -> u64 {
        let page = maps::page_size();
        let Some(whole) = size.checked_next_multiple_of(page) else {
            return size;
        };
        let budget = u64::from(options.host_access_mb) << 20;
        if (1..page).contains(&size)
            && self.charged.fetch_add(page, Relaxed).saturating_add(page) > budget
        {
            self.charged.fetch_sub(page, Relaxed);
            return size;
        }
        whole
    }

    /// The runtime refused the `asked` bytes that [`Self::whole_pages`] made of `wanted`, or gave no pages of their own.
    pub fn give_back(&self, wanted: u64, asked: u64) {
        let page = maps::page_size();
        if wanted < page && asked > wanted {
            self.charged.fetch_sub(page, Relaxed);
        }
    }

    /// A block of `size` bytes was allocated at `address`, for which `asked` bytes were requested from the runtime instead of
    /// `wanted`.
    pub fn allocated(&self, id: BlockId, (address, size): (u64, u64), (wanted, asked): (u64, u64)) {
        let page = maps::page_size();
        let is_alone = asked.is_multiple_of(page) && address.is_multiple_of(page);
        if !is_alone {
            self.give_back(wanted, asked);
        }
        let end = end_of(address, size);
        let whole = page_up(end);
        let pages = Pages {
            bounds: (address, if is_alone { whole } else { end }),
            is_checked: false,
            charged: if wanted < page && is_alone { page } else { 0 },
            rest: asked.saturating_sub(wanted.div_ceil(ROUNDING).saturating_mul(ROUNDING)),
        };
        self.pages.lock().insert(id, pages);
    }

    /// Bytes that were requested for a block so that it ends with a page.
    pub fn rest(&self, id: BlockId) -> u64 {
        self.pages.lock().get(&id).map_or(0, |pages| pages.rest)
    }

    /// A block is released or unregistered.
    pub fn released(&self, id: BlockId) {
        if let Some(pages) = self.pages.lock().remove(&id) {
            self.charged.fetch_sub(pages.charged, Relaxed);
        }
    }

    /// Where whole pages of the block may be protected; `own` are its first byte and its end. The first time, the kernel is
    /// asked whether they are readable and writable.
    pub fn bounds(&self, id: BlockId, own: (u64, u64)) -> (u64, u64) {
        let known = self.pages.lock().get(&id).copied();
        let mut pages = known.unwrap_or(Pages {
            bounds: own,
            is_checked: false,
            charged: 0,
            rest: 0,
        });
        if !pages.is_checked {
            pages.is_checked = true;
            if !self.is_plain(pages.bounds) {
                pages.bounds = (0, 0);
                Limit::HostBlocks.leave_out(1);
            }
            self.pages.lock().insert(id, pages);
        }
        pages.bounds
    }

    fn is_plain(&self, (low, high): (u64, u64)) -> bool {
        let changes = self.changes.load(Relaxed);
        let (plain, before) = *self.plain.lock();
        if before == changes && plain.0 <= low && high <= plain.1 {
            return true;
        }
        let around = maps::plain_data_around(low, high);
        *self.plain.lock() = (around.unwrap_or_default(), changes);
        around.is_some()
    }

    /// The program has changed what is mapped where.
    pub fn remapped(&self) {
        self.changes.fetch_add(1, Relaxed);
    }

    /// The block's protection cannot be changed.
    pub fn refused(&self, id: BlockId) {
        Limit::HostBlocks.leave_out(1);
        if let Some(pages) = self.pages.lock().get_mut(&id) {
            pages.bounds = (0, 0);
        }
    }

    /// A call of `thread` names this range.
    pub fn named(&self, thread: u32, range: (u64, u64)) {
        self.pending.lock().push(PendingEnd { thread, range });
    }

    /// The ranges that the last call of `thread` named.
    pub fn take_named(&self, thread: u32) -> Vec<(u64, u64)> {
        let mut pending = self.pending.lock();
        let own = pending.iter().filter(|end| end.thread == thread);
        let own: Vec<_> = own.map(|end| end.range).collect();
        pending.retain(|end| end.thread != thread);
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_the_runtime_refused_can_be_had_again() {
        let (blocks, page) = (HostBlocks::default(), maps::page_size());
        let options = Options {
            host_access_mb: 1,
            ..Options::default()
        };
        for _ in 0..(1 << 20) / page {
            assert_eq!(blocks.whole_pages(&options, 64), page);
        }
        assert_eq!(blocks.whole_pages(&options, 64), 64);
        assert_eq!(blocks.whole_pages(&options, 0), 0);
        // Nothing was charged for what asks for whole pages anyway.
        blocks.give_back(page, page);
        blocks.give_back(64, 64);
        assert_eq!(blocks.whole_pages(&options, 64), 64);
        blocks.give_back(64, page);
        assert_eq!(blocks.whole_pages(&options, 64), page);
    }

    #[test]
    fn a_block_that_shares_its_page_costs_nothing() {
        let (blocks, page) = (HostBlocks::default(), maps::page_size());
        let options = Options {
            host_access_mb: 1,
            ..Options::default()
        };
        for id in 0..2 * (1 << 20) / page {
            assert_eq!(blocks.whole_pages(&options, 64), page);
            blocks.allocated(BlockId(id), (page + 128, 64), (64, page));
            blocks.released(BlockId(id));
        }
    }
}
