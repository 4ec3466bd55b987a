//! Stream-ordered pools: memory that a pool hands on from one stream to another, and the order that comes with it.
//!
//! A pool gives freed memory to the stream that freed it at once. To another stream it does so by its attributes, and each keeps a promise
//! (`SegmentManager::TryToReuse`, runtime v9.1.0; the aclrtMemPoolAttr reference):
//! * event dependencies: an event orders the streams, which is an edge by itself;
//! * internal dependencies: the runtime has the allocation wait for the release;
//! * opportunistic: the release has happened when the allocation does, or the program ends with an error.
//!
//! After the latter two the allocation is after what was before the release. Without them there is no promise, however the memory came.

use std::collections::BTreeMap;

use super::sync_var::SyncVar;
use crate::api::fast_hash::FastMap;

/// `ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC`, `ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES`.
const ORDERING: [u64; 2] = [2, 3];

/// A pool's memory goes by pages of this size.
const PAGE: u64 = 2 << 20;

/// Most releases that are kept; of what is above, a pool with such an attribute may hand on anything.
const MAX_FREED: usize = 1 << 10;

/// What was freed and not handed out again.
#[derive(Clone)]
struct Freed {
    end: u64,
    sync_var: SyncVar,
}

/// All pools.
#[derive(Default)]
pub(super) struct Pools {
    /// Those with attributes that bring order; a bit for each.
    ordering: FastMap<u64, u8>,
    freed: BTreeMap<u64, Freed>,
    is_incomplete: bool,
}

/// What an allocation waits for.
pub(super) enum Wait {
    /// These releases.
    For(Vec<SyncVar>),
    /// Some that are not known.
    Anything,
}

impl Pools {
    /// An attribute was set.
    pub fn set(&mut self, pool: u64, attribute: u64, value: u64) {
        if let Some(bit) = ORDERING.iter().position(|&known| known == attribute) {
            let bits = self.ordering.entry(pool).or_default();
            *bits = *bits & !(1 << bit) | u8::from(value != 0) << bit;
            if *bits == 0 {
                self.ordering.remove(&pool);
            }
        }
    }

    /// A pool was destroyed.
    pub fn gone(&mut self, pool: u64) {
        self.ordering.remove(&pool);
    }

    /// A block was freed in stream order; `None` if nothing can be said of that order.
    pub fn freed(&mut self, start: u64, size: u64, sync_var: Option<SyncVar>) {
        let end = end(start, size);
        self.cut(start, end);
        match sync_var {
            Some(sync_var) if self.freed.len() < MAX_FREED => {
                self.freed.insert(start, Freed { end, sync_var });
            }
            _ => self.is_incomplete = true,
        }
    }

    /// A block was handed out: what its pool has it wait for.
    pub fn handed_out(&mut self, pool: u64, start: u64, size: u64) -> Wait {
        let before = self.cut(start, end(start, size));
        match self.ordering.contains_key(&pool) {
            true if self.is_incomplete && before.is_empty() => Wait::Anything,
            true => Wait::For(before),
            false => Wait::For(Vec::new()),
        }
    }

    /// Takes a range out of what was freed.
    fn cut(&mut self, start: u64, end: u64) -> Vec<SyncVar> {
        let met = self.freed.range(..end).rev();
        let met = met.take_while(|(_, freed)| freed.end > start);
        let starts: Vec<u64> = met.map(|(&start, _)| start).collect();
        let mut sync_vars = Vec::new();
        for from in starts {
            let Some(Freed { end: to, sync_var }) = self.freed.remove(&from) else {
                continue;
            };
            for (from, to) in [(from, start), (end, to)] {
                if from < to {
                    let sync_var = sync_var.clone();
                    self.freed.insert(from, Freed { end: to, sync_var });
                }
            }
            sync_vars.push(sync_var);
        }
        sync_vars
    }
}

fn end(start: u64, size: u64) -> u64 {
    let pages = size.max(1).div_ceil(PAGE);
    start.saturating_add(pages.saturating_mul(PAGE))
}
