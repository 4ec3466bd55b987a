//! Queued accounting entries, and how they are applied.

use aclsan_rules::trackers::heap::{LOOKAHEAD, LiveBlock};

use crate::replay::accounting::guard_overhead::GuardOverhead;
use crate::replay::accounting::usage::Usage;
use crate::replay::counted::{Counted, Packed};
use crate::replay::sites::Sites;
use crate::replay::sites::growth::Sample;

/// One entry: see the methods of [`Usage`]. Rare variants are boxed, which keeps the enum small.
pub enum Entry {
    Alloc(Packed),
    Release(Packed),
    /// Gone without a release.
    Drop(Packed),
    /// One of these, of a block that counts for others, too.
    Sampled(Box<(LiveBlock, u64, Change)>),
    Guard(Box<(LiveBlock, GuardOverhead, u64)>),
    Slow(Box<(LiveBlock, u64, u64)>),
    Named,
    /// Somebody wants the live bytes of every site, with these of its parts of pools.
    Sample(Box<(Sample, Vec<u64>)>),
}

/// What happened to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Alloc,
    Release,
    Drop,
}

const _: () = assert!(size_of::<Entry>() == 64);

impl Entry {
    /// A block came or went.
    #[inline(always)]
    pub fn of(held: &LiveBlock, ns: u64, change: Change) -> Self {
        match (Packed::of(held, ns), change) {
            (Some(packed), Change::Alloc) => Self::Alloc(packed),
            (Some(packed), Change::Release) => Self::Release(packed),
            (Some(packed), Change::Drop) => Self::Drop(packed),
            (None, _) => Self::Sampled(Box::new((*held, ns, change))),
        }
    }

    /// The block that came or went, if it counts as itself.
    #[inline(always)]
    pub fn packed(&self) -> Option<&Packed> {
        match self {
            Self::Alloc(packed) | Self::Release(packed) | Self::Drop(packed) => Some(packed),
            _ => None,
        }
    }

    /// Applies the entry.
    #[inline(always)]
    pub fn enter(&self, usage: &mut Usage, sites: &Sites) {
        match self {
            Self::Alloc(packed) => usage.on_alloc(&packed.counted(), sites, packed.ns),
            Self::Release(packed) => usage.on_free(&packed.counted(), sites, packed.ns, true),
            Self::Drop(packed) => usage.on_free(&packed.counted(), sites, packed.ns, false),
            Self::Sampled(entry) => {
                let (held, ns, change) = &**entry;
                let counted = Counted::from(held);
                match change {
                    Change::Alloc => usage.on_alloc(&counted, sites, *ns),
                    _ => usage.on_free(&counted, sites, *ns, *change == Change::Release),
                }
            }
            Self::Guard(entry) => {
                let (held, overhead, ns) = &**entry;
                usage.guard(held, *overhead, sites, *ns);
            }
            Self::Slow(entry) => {
                let (held, ns, taken) = &**entry;
                usage.slow(held, sites, *ns, *taken);
            }
            Self::Named => usage.site_stats.on_first_use(),
            Self::Sample(entry) => {
                let (sample, parts) = &**entry;
                sample.set(usage.site_stats.live(parts));
            }
        }
    }
}

/// Applies entries in order, a few at a time: see [`LOOKAHEAD`].
pub fn enter_all(entries: &[Entry], usage: &mut Usage, sites: &Sites) {
    for entries in entries.chunks(LOOKAHEAD) {
        let mut left = entries;
        while let Some((first, others)) = left.split_first() {
            left = match usage.enter_run(left, sites) {
                0 => {
                    first.enter(usage, sites);
                    others
                }
                done => &left[done..],
            };
        }
    }
}
