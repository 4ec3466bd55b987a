//! Stream-ordered pools: the order that comes with memory a pool moves from one stream to another.
//!
//! A pool reuses freed memory immediately on the stream that freed it. It gives the memory to another stream only as
//! its attributes allow, and each of them is a promise (`SegmentManager::TryToReuse`, runtime v9.1.0; the
//! aclrtMemPoolAttr reference):
//! * event dependencies: an event orders the streams, which is an edge by itself;
//! * internal dependencies: the runtime makes the allocation wait for the release;
//! * opportunistic: the release has completed by the time of the allocation, or the program ends with an error.
//!
//! Under the latter two, the allocation is after everything that the release was after. Without them there is no
//! promise, wherever the memory came from.

use std::collections::BTreeMap;

use super::sync_var::SyncVar;
use crate::api::fast_hash::FastMap;

/// `ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC`, `ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES`.
const ORDERING: [u64; 2] = [2, 3];

/// Pools manage memory in pages of this size.
const PAGE: u64 = 2 << 20;

/// Releases kept. Beyond that, a pool with such an attribute may reuse anything.
const MAX_FREED: usize = 1 << 10;

/// Memory that was freed and not reused.
#[derive(Clone)]
struct Freed {
    end: u64,
    sync_var: SyncVar,
}

/// All pools.
#[derive(Default)]
pub(super) struct Pools {
    /// Pools with attributes that promise order; one bit per attribute.
    ordering: FastMap<u64, u8>,
    freed: BTreeMap<u64, Freed>,
    is_incomplete: bool,
}

/// What an allocation waits for.
pub(super) enum Wait {
    /// These releases.
    For(Vec<SyncVar>),
    /// Unknown ones.
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

    /// A block was freed in stream order. `None` if that order is unknown.
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

    /// A block was allocated. Returns what its pool makes it wait for.
    pub fn handed_out(&mut self, pool: u64, start: u64, size: u64) -> Wait {
        let before = self.cut(start, end(start, size));
        match self.ordering.contains_key(&pool) {
            true if self.is_incomplete && before.is_empty() => Wait::Anything,
            true => Wait::For(before),
            false => Wait::For(Vec::new()),
        }
    }

    /// Removes a range from the freed memory and returns the releases it came from.
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
