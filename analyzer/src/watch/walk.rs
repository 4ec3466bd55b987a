//! Walks over all live blocks: the oldest and the largest of each site, and who allocated them when.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use aclsan_log::CallSiteId;

use crate::replay::Living;

/// Counting ages and threads takes a walk over all live blocks. It takes at most this part of the time.
const WALK_PAUSE_FACTOR: u32 = 20;

/// The result of the last walk over all live blocks.
#[derive(Default)]
pub struct Walk {
    /// By the number under which a site is counted.
    pub sites: HashMap<CallSiteId, OfSite>,
    next: Option<Instant>,
}

/// The live blocks of one site.
#[derive(Default)]
pub struct OfSite {
    /// When its oldest block was allocated.
    pub oldest_since: u64,
    /// The size of its largest.
    pub largest: u64,
    /// Blocks and bytes by thread.
    pub threads: BTreeMap<u32, (u64, u64)>,
    /// The same by epoch.
    pub epochs: BTreeMap<u32, (u64, u64)>,
}

impl Walk {
    /// Walks again, if it is time.
    pub fn again(&mut self, living: &Living) {
        let began = Instant::now();
        if self.next.is_some_and(|next| began < next) {
            return;
        }
        self.now(living);
        self.next = Some(Instant::now() + began.elapsed() * WALK_PAUSE_FACTOR);
    }

    /// Walks.
    pub fn now(&mut self, living: &Living) {
        let mut sites: HashMap<CallSiteId, OfSite> = HashMap::new();
        for held in living.blocks() {
            let epoch = living.epoch_at(held.since_ns);
            let one = sites.entry(living.canonical(held.block.site));
            let one = one.or_insert_with(|| OfSite {
                oldest_since: u64::MAX,
                ..OfSite::default()
            });
            one.oldest_since = one.oldest_since.min(held.since_ns);
            one.largest = one.largest.max(held.block.size);
            for sum in [
                one.threads.entry(held.thread).or_default(),
                one.epochs.entry(epoch).or_default(),
            ] {
                *sum = (sum.0 + 1, sum.1 + held.block.size);
            }
        }
        self.sites = sites;
    }
}
