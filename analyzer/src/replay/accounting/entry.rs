//! Queued accounting entries, and how they are applied.

use std::hint::black_box;

use aclsan_rules::trackers::heap::{LOOKAHEAD, LiveBlock};

use crate::replay::accounting::guard_overhead::GuardOverhead;
use crate::replay::accounting::usage::Usage;
use crate::replay::sites::Sites;

/// One entry: see the methods of [`Usage`]. Rare variants are boxed, which keeps the enum small.
pub enum Entry {
    Alloc(LiveBlock, u64),
    Release(LiveBlock, u64),
    /// Gone without a release.
    Drop(LiveBlock, u64),
    Guard(Box<(LiveBlock, GuardOverhead, u64)>),
    Slow(Box<(LiveBlock, u64, u64)>),
    Named,
}

const _: () = assert!(size_of::<Entry>() <= 88);

impl Entry {
    /// Applies the entry.
    #[inline(always)]
    pub fn enter(&self, usage: &mut Usage, sites: &Sites) {
        match self {
            Self::Alloc(held, ns) => usage.on_alloc(held, sites, *ns),
            Self::Release(held, ns) => usage.on_free(held, sites, *ns, true),
            Self::Drop(held, ns) => usage.on_free(held, sites, *ns, false),
            Self::Guard(entry) => {
                let (held, overhead, ns) = &**entry;
                usage.guard(held, *overhead, sites, *ns);
            }
            Self::Slow(entry) => {
                let (held, ns, taken) = &**entry;
                usage.slow(held, sites, *ns, *taken);
            }
            Self::Named => usage.site_stats.on_first_use(),
        }
    }
}

/// Applies entries in order, prefetching what several of them need at once: see [`Heap::look_ahead`](aclsan_rules::trackers::heap::Heap::look_ahead).
pub fn enter_all(entries: &[Entry], usage: &mut Usage, sites: &Sites) {
    for entries in entries.chunks(LOOKAHEAD) {
        let touched = entries.iter().fold(0, |sum, entry| match entry {
            Entry::Release(held, ns) | Entry::Drop(held, ns) => sum ^ usage.touch(held, sites, *ns),
            _ => sum,
        });
        black_box(touched);
        entries.iter().for_each(|entry| entry.enter(usage, sites));
    }
}
