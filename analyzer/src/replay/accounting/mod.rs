//! Deferred accounting: who had how many bytes, and when, computed behind the player or by another thread.
//!
//! Allocations and frees are queued and applied in bulk; a read applies all of them. If reads are frequent, the accounting stays with the
//! player and is updated at once; if rare, it goes back to the [`Backlog`], with one result.

mod backlog;
mod entry;
pub mod guard_overhead;
mod highest;
pub mod layout;
mod layouts;
mod leaks_only;
pub mod page_classes;
mod runs;
pub mod spreads;
mod timelines;
pub mod usage;

use std::sync::Arc;

use aclsan_rules::trackers::heap::{Heap, LiveBlock};

use super::sites::{Sites, growth::Sample, stats::is_unused};
pub use backlog::{Backlog, MANY_PAGES};
use entry::{Change, Entry, enter_all};
use guard_overhead::GuardOverhead;
use highest::Highest;
use leaks_only::LeakCounters;
use usage::Usage;

/// Entries per page. Pages that nobody else applies are smaller: they are read again at once, and should not evict other data from the cache.
const PAGE_LEN: usize = 2048;
const LOCAL_PAGE_LEN: usize = 128;
/// Entries without a read before the accounting is handed over again.
const HAND_OVER_AFTER: u32 = 1024;
/// Reads at least this many entries apart count as rare: nobody waits for the next one.
const RARE_READ_AFTER: usize = 8192;

/// The accounting, wherever it is.
pub struct Accounting {
    sites: Arc<Sites>,
    local: Option<Box<Usage>>,
    /// Set aside while no thread has it.
    set_aside: Option<Box<Usage>>,
    /// Entries since the last read, and after how many it is handed over.
    since_read: u32,
    hand_over_after: u32,
    /// Entries queued since it was handed over.
    entered_away: usize,
    backlog: Option<Arc<Backlog>>,
    page: Vec<Entry>,
    /// Entries per page.
    page_len: usize,
    /// While it is away: live device blocks that no call has used yet.
    unused: u64,
    /// Replaces full accounting if nothing else is needed.
    leak_counters: Option<LeakCounters>,
}

impl Accounting {
    /// Accounting done by the player itself.
    pub fn new(usage: Usage, sites: Arc<Sites>) -> Self {
        Self {
            sites,
            local: Some(Box::new(usage)),
            set_aside: None,
            since_read: 0,
            hand_over_after: HAND_OVER_AFTER,
            entered_away: 0,
            backlog: None,
            page: Vec::new(),
            page_len: LOCAL_PAGE_LEN,
            unused: 0,
            leak_counters: None,
        }
    }

    /// Keeps only leak counters and redzones from now on. Call before the first entry.
    pub fn count_leaks_only(&mut self) {
        // Redzones are forgotten together with their blocks, which is not queued.
        self.hand_over_after = u32::MAX;
        self.leak_counters = Some(LeakCounters::new(self.sites.len()));
    }

    /// More sites. Not for a worker, which keeps those that it began with.
    pub fn grow(&mut self, sites: Arc<Sites>) {
        self.read().site_stats.grow(sites.len());
        self.sites = sites;
    }

    /// Whether only leaks are counted: see [`Accounting::count_leaks_only`].
    pub fn is_leaks_only(&self) -> bool {
        self.leak_counters.is_some()
    }

    /// From now on others may apply the entries. Call before the first entry.
    pub fn share(&mut self) -> Arc<Backlog> {
        self.page_len = PAGE_LEN;
        let backlog = Arc::new(Backlog::new(Arc::clone(&self.sites)));
        Arc::clone(self.backlog.insert(backlog))
    }

    /// Whether single blocks matter, or only their number per site.
    #[inline(always)]
    pub fn wants_blocks(&self) -> bool {
        let is_counted = self
            .leak_counters
            .as_ref()
            .is_some_and(|counters| !counters.sums());
        !is_counted || self.local.as_ref().is_some_and(|usage| usage.has_guards())
    }

    /// A block was allocated.
    #[inline(always)]
    pub fn on_alloc(&mut self, held: &LiveBlock, ns: u64) {
        if let Some(counters) = &mut self.leak_counters {
            return counters.on_alloc(held, &self.sites);
        }
        self.unused += u64::from(is_unused(held));
        self.enter(Entry::of(held, ns, Change::Alloc));
    }

    /// A block is gone; `is_released` if by a release.
    #[inline(always)]
    pub fn on_free(&mut self, held: &LiveBlock, ns: u64, is_released: bool) {
        if let Some(counters) = &mut self.leak_counters {
            counters.on_free(held, &self.sites);
            if let Some(usage) = &mut self.local {
                usage.forget(held.block.id);
            }
            return;
        }
        self.unused = self.unused.saturating_sub(u64::from(is_unused(held)));
        let change = match is_released {
            true => Change::Release,
            false => Change::Drop,
        };
        self.enter(Entry::of(held, ns, change));
    }

    /// Redzones were written around the block just allocated.
    pub fn guard(&mut self, held: &LiveBlock, overhead: GuardOverhead, ns: u64) {
        self.enter(Entry::Guard(Box::new((*held, overhead, ns))));
    }

    /// Allocating the latest block took the runtime `taken` nanoseconds.
    pub fn slow(&mut self, held: &LiveBlock, ns: u64, taken: u64) {
        self.enter(Entry::Slow(Box::new((*held, ns, taken))));
    }

    /// A call used a device block for the first time.
    pub fn on_first_use(&mut self) {
        self.unused = self.unused.saturating_sub(1);
        self.enter(Entry::Named);
    }

    /// Restores a block whose release was refused. Returns whether it counts as used: see
    /// [`StatsBySite::undo_free`](super::sites::stats::StatsBySite::undo_free).
    pub fn undo_free(&mut self, held: &LiveBlock, ns: u64) -> bool {
        let sites = Arc::clone(&self.sites);
        match &mut self.leak_counters {
            None => self.read().undo_free(held, &sites, ns),
            Some(counters) => {
                counters.undo_free(held, &sites);
                false
            }
        }
    }

    /// Live device bytes. `heap` holds the blocks that were allocated and not freed.
    pub fn live_bytes(&mut self, heap: &Heap) -> u64 {
        match &mut self.leak_counters {
            None => {
                let live = self.read().devices.values().map(Highest::live);
                live.fold(0, u64::saturating_add)
            }
            Some(counters) => counters.live(heap, &self.sites),
        }
    }

    /// Blocks of memory that each allocation site allocated; `uncounted` are those of each site that were not reported here.
    pub fn allocated(&mut self, uncounted: impl Iterator<Item = u64>) -> Vec<u64> {
        match &self.leak_counters {
            None => {
                let site_stats = self.read().site_stats.list.iter();
                site_stats.map(|stats| stats.allocated.blocks).collect()
            }
            Some(counters) => counters.allocated(uncounted, &self.sites),
        }
    }

    /// Whether some live block has not been used yet.
    #[inline]
    pub fn expects_uses(&self) -> bool {
        match &self.local {
            _ if self.is_leaks_only() => false,
            Some(usage) => usage.site_stats.expects_uses(),
            None => self.unused > 0,
        }
    }

    /// The accounting with all entries applied.
    pub fn read(&mut self) -> &mut Usage {
        self.since_read = 0;
        let usage = match self.local.take() {
            Some(usage) => usage,
            None => self.take_back(),
        };
        self.local.insert(usage)
    }

    /// The same, if it was read and nothing was entered since.
    pub fn applied(&self) -> Option<&Usage> {
        self.local.as_deref()
    }

    /// Live bytes of every site, with these of its parts of pools. Known once the accounting is read.
    pub fn sample(&mut self, parts: &[u64]) -> Sample {
        if self.local.is_some() || self.backlog.is_none() {
            return Sample::of(self.read().site_stats.live(parts));
        }
        let sample = Sample::default();
        self.enter(Entry::Sample(Box::new((sample.clone(), parts.to_vec()))));
        sample
    }

    #[inline(always)]
    fn enter(&mut self, entry: Entry) {
        match &mut self.local {
            None => {
                self.page.push(entry);
                if self.page.len() == self.page_len {
                    self.flush_page();
                }
            }
            Some(usage) => {
                entry.enter(usage, &self.sites);
                self.since_read += 1;
                if self.since_read >= self.hand_over_after {
                    self.hand_over();
                }
            }
        }
    }

    #[inline(never)]
    fn hand_over(&mut self) {
        (self.since_read, self.entered_away) = (0, 0);
        if let Some(usage) = self.local.take() {
            self.unused = usage.site_stats.unused();
            match &self.backlog {
                Some(backlog) => backlog.take_over(usage),
                None => self.set_aside = Some(usage),
            }
        }
    }

    /// Hands over the queued page.
    #[inline(never)]
    fn flush_page(&mut self) {
        self.entered_away = self.entered_away.saturating_add(self.page.len());
        if let Some(backlog) = &self.backlog {
            backlog.add(&mut self.page);
        } else if let Some(usage) = &mut self.set_aside {
            enter_all(&self.page, usage, &self.sites);
            self.page.clear();
        }
    }

    fn take_back(&mut self) -> Box<Usage> {
        self.flush_page();
        self.hand_over_after = match self.entered_away >= RARE_READ_AFTER {
            true => 1,
            false => HAND_OVER_AFTER,
        };
        let usage = match &self.backlog {
            Some(backlog) => backlog.give_back(),
            None => self.set_aside.take(),
        };
        usage.expect("no thread has panicked with it")
    }
}

#[cfg(test)]
mod tests;
