//! Sub-blocks: what programs and frameworks cut their blocks into, as they report it.
//!
//! Several sources may report the same memory. They are ranked: the program's own reports before a framework's. This
//! module finds no fault; [`Added`] has what a rule about sub-blocks needs.

use super::interval_buckets::IntervalBuckets;
use aclsan_log::CallSiteId;
use std::collections::BTreeMap;

/// mstx domains of frameworks that leave fields of their descriptions uninitialized, so that these hold stack garbage,
/// and whose heaps are no ranges: `size` is the sum of what their pool holds (torch_npu's `NPUCachingAllocator` and
/// `NPUWorkspaceAllocator`, formerly named `msleaks`; MindSpore's memory pool).
pub const UNRELIABLE_DOMAINS: [&str; 4] =
    ["ptaCaching", "ptaWorkspace", "msleaks", "mindsporeMemPool"];

/// Who reports, the most trusted first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Source {
    /// The program, through `aclsan.h`.
    Annotation,
    /// A framework, through mstx heaps and regions.
    Mstx,
    /// The runtime's own pools: each of their sub-blocks is a block.
    Runtime,
}

/// A pool's number, assigned by the host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PoolId(pub u32);

/// A part of a block that a pool handed out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SubBlock {
    /// The pool.
    pub pool: PoolId,
    /// Address of the first byte.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Where it was reported.
    pub site: CallSiteId,
}

impl SubBlock {
    /// Address after the last byte.
    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.size)
    }
}

/// Facts noticed when a sub-block was added.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Added {
    /// The sub-block that was live at the same address of the same pool: its end was not reported.
    pub replaced: Option<SubBlock>,
    /// Another sub-block of the same pool that it shares bytes with.
    pub overlaps: Option<SubBlock>,
    /// The pool's range, if the sub-block is not inside it.
    pub leaves: Option<(u64, u64)>,
}

struct Pool {
    source: Source,
    /// First address and the one after the last; `None` for a pool whose memory may be anywhere.
    range: Option<(u64, u64)>,
    live: BTreeMap<u64, SubBlock>,
    buckets: IntervalBuckets,
}

impl Pool {
    fn over(&self, start: u64, end: u64, resolve: u64) -> impl Iterator<Item = SubBlock> {
        let starts = self.buckets.overlapping(start.saturating_sub(resolve), end);
        starts
            .filter_map(|address| self.live.get(&address).copied())
            .filter(move |sub| sub.end().saturating_add(resolve) > start)
    }
}

/// All pools and their live sub-blocks.
#[derive(Default)]
pub struct SubBlockIndex {
    pools: BTreeMap<PoolId, Pool>,
    /// The live sub-blocks of all pools, by address.
    starts: BTreeMap<(u64, PoolId), u64>,
}

impl SubBlockIndex {
    /// A pool begins over `size` bytes from `address`. Without size or address, its memory may be anywhere.
    pub fn open(&mut self, id: PoolId, source: Source, address: u64, size: u64) {
        self.close(id);
        let is_range = address > 0 && size > 0;
        let range = is_range.then(|| (address, address.saturating_add(size)));
        let pool = Pool {
            source,
            range,
            live: BTreeMap::new(),
            buckets: IntervalBuckets::default(),
        };
        self.pools.insert(id, pool);
    }

    /// A pool ends, and its sub-blocks with it.
    pub fn close(&mut self, id: PoolId) -> Vec<SubBlock> {
        let pool = self.pools.remove(&id);
        let live = pool.map(|pool| pool.live).unwrap_or_default();
        for &address in live.keys() {
            self.starts.remove(&(address, id));
        }
        live.into_values().collect()
    }

    /// A pool hands out bytes. `None` for an unknown pool.
    pub fn add(&mut self, new: SubBlock) -> Option<Added> {
        let pool = self.pools.get_mut(&new.pool)?;
        let replaced = pool.live.remove(&new.address);
        if let Some(replaced) = replaced {
            pool.buckets.remove(replaced.address, replaced.size);
        }
        let overlaps = pool.over(new.address, new.end(), 0).next();
        let leaves = pool
            .range
            .filter(|&(start, end)| new.address < start || new.end() > end);
        pool.buckets.insert(new.address, new.size);
        pool.live.insert(new.address, new);
        self.starts.insert((new.address, new.pool), new.size);
        Some(Added {
            replaced,
            overlaps,
            leaves,
        })
    }

    /// A pool takes back what it handed out at `address`. `None` if that is nothing.
    pub fn remove(&mut self, id: PoolId, address: u64) -> Option<SubBlock> {
        let pool = self.pools.get_mut(&id)?;
        let gone = pool.live.remove(&address)?;
        pool.buckets.remove(gone.address, gone.size);
        self.starts.remove(&(address, id));
        Some(gone)
    }

    /// The memory from `start` to `end` is gone. Removes and returns the sub-blocks that began in it.
    pub fn forget(&mut self, start: u64, end: u64) -> Vec<SubBlock> {
        if self.starts.is_empty() || start >= end {
            return Vec::new();
        }
        let inside = self.starts.range((start, PoolId(0))..(end, PoolId(0)));
        let inside: Vec<_> = inside.map(|(&key, _)| key).collect();
        inside
            .into_iter()
            .filter_map(|(address, id)| self.remove(id, address))
            .collect()
    }

    /// The live sub-blocks that begin in `start..end`, by address, as reported by the most trusted source that reported
    /// any.
    pub fn within(&self, start: u64, end: u64) -> Vec<SubBlock> {
        if start >= end {
            return Vec::new();
        }
        let inside = self.starts.range((start, PoolId(0))..(end, PoolId(0)));
        let reported: Vec<(Source, SubBlock)> = inside
            .filter_map(|(&(address, id), _)| {
                let pool = self.pools.get(&id)?;
                Some((pool.source, *pool.live.get(&address)?))
            })
            .collect();
        let best = reported.iter().map(|(source, _)| *source).min();
        let best = reported
            .into_iter()
            .filter(|(source, _)| Some(*source) == best);
        best.map(|(_, sub)| sub).collect()
    }

    /// The last live sub-block of any pool that begins in `start..=address`.
    pub fn last_from(&self, start: u64, address: u64) -> Option<SubBlock> {
        let mut before = self
            .starts
            .range((start, PoolId(0))..=(address, PoolId(u32::MAX)));
        let (&(at, id), _) = before.next_back()?;
        self.pools.get(&id)?.live.get(&at).copied()
    }

    /// The live sub-blocks of a pool that have bytes in `start..end` or end less than `reach` before; in no particular
    /// order.
    pub fn over(
        &self,
        id: PoolId,
        start: u64,
        end: u64,
        resolve: u64,
    ) -> impl Iterator<Item = SubBlock> {
        let pool = self.pools.get(&id);
        pool.into_iter()
            .flat_map(move |pool| pool.over(start, end, resolve))
    }

    /// The first live sub-block of a pool that starts at `address` or after.
    pub fn from(&self, id: PoolId, address: u64) -> Option<SubBlock> {
        let mut following = self.pools.get(&id)?.live.range(address..);
        following.next().map(|(_, sub)| *sub)
    }

    /// The live sub-blocks of a pool, by address.
    pub fn of(&self, id: PoolId) -> impl Iterator<Item = &SubBlock> {
        let pool = self.pools.get(&id);
        pool.into_iter().flat_map(|pool| pool.live.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: PoolId = PoolId(1);
    const TOLD: PoolId = PoolId(2);

    fn sub(pool: PoolId, address: u64, size: u64) -> SubBlock {
        SubBlock {
            pool,
            address,
            size,
            site: CallSiteId(1),
        }
    }

    fn two_pools() -> SubBlockIndex {
        let mut segments = SubBlockIndex::default();
        segments.open(OWN, Source::Annotation, 0x1000, 0x1000);
        segments.open(TOLD, Source::Mstx, 0, 0);
        segments
    }

    #[test]
    fn neighbours_share_nothing_and_one_byte_is_an_overlap() {
        let mut segments = two_pools();
        segments.add(sub(OWN, 0x1000, 0x40)).unwrap();
        assert_eq!(segments.add(sub(OWN, 0x1040, 0x40)), Some(Added::default()));
        let over = segments.add(sub(OWN, 0x107f, 0x10)).unwrap();
        assert_eq!(over.overlaps, Some(sub(OWN, 0x1040, 0x40)));
        let before = segments.add(sub(OWN, 0x1ff0, 0x10)).unwrap();
        assert_eq!(before, Added::default());
        let under = segments.add(sub(OWN, 0x1fe8, 0x10)).unwrap();
        assert_eq!(under.overlaps, Some(sub(OWN, 0x1ff0, 0x10)));
    }

    #[test]
    fn pools_in_pools_do_not_overlap() {
        let mut segments = two_pools();
        segments.add(sub(OWN, 0x1000, 0x100)).unwrap();
        assert_eq!(
            segments.add(sub(TOLD, 0x1010, 0x10)),
            Some(Added::default())
        );
    }

    #[test]
    fn a_sub_block_that_leaves_its_pool_is_reported_with_the_range() {
        let mut segments = two_pools();
        let range = Some((0x1000, 0x2000));
        assert_eq!(segments.add(sub(OWN, 0x1f00, 0x100)).unwrap().leaves, None);
        assert_eq!(segments.add(sub(OWN, 0xfff, 2)).unwrap().leaves, range);
        let huge = segments.add(sub(OWN, 0x1800, u64::MAX)).unwrap();
        assert_eq!(huge.leaves, range);
        assert_eq!(segments.add(sub(TOLD, 5, 5)).unwrap().leaves, None);
        assert_eq!(segments.add(sub(PoolId(9), 5, 5)), None);
    }

    #[test]
    fn the_same_address_twice_replaces_and_goes_once() {
        let mut segments = two_pools();
        segments.add(sub(OWN, 0x1000, 8));
        let added = segments.add(sub(OWN, 0x1000, 16)).unwrap();
        assert_eq!(added.replaced, Some(sub(OWN, 0x1000, 8)));
        assert_eq!(segments.remove(OWN, 0x1000), Some(sub(OWN, 0x1000, 16)));
        assert_eq!(segments.remove(OWN, 0x1000), None);
    }

    #[test]
    fn the_programs_own_word_counts_before_a_frameworks() {
        let mut segments = two_pools();
        segments.add(sub(TOLD, 0x1000, 0x800));
        assert_eq!(segments.within(0x1000, 0x2000), [sub(TOLD, 0x1000, 0x800)]);
        segments.add(sub(OWN, 0x1100, 0x10));
        segments.add(sub(OWN, 0x2000, 0x10));
        assert_eq!(segments.within(0x1000, 0x2000), [sub(OWN, 0x1100, 0x10)]);
    }

    #[test]
    fn neighbours_are_all_of_the_same_pool_that_reach_so_far() {
        let mut segments = two_pools();
        segments.add(sub(OWN, 0x1000, 0x200)); // ends at 0x1200, after those that start later
        for (pool, address) in [(OWN, 0x1100), (OWN, 0x1200), (TOLD, 0x1180)] {
            segments.add(sub(pool, address, 0x10));
        }
        let over = |start, end, resolve| {
            let mut starts: Vec<u64> = segments
                .over(OWN, start, end, resolve)
                .map(|sub| sub.address)
                .collect();
            starts.sort_unstable();
            starts
        };
        assert_eq!(over(0x1180, 0x1190, 0), [0x1000]);
        assert_eq!(over(0x1180, 0x1201, 0), [0x1000, 0x1200]);
        assert_eq!(over(0x110f, 0x1110, 0), [0x1000, 0x1100]);
        assert!(over(0x1220, 0x1230, 0x10).is_empty());
        assert_eq!(over(0x1220, 0x1230, 0x11), [0x1200]);
        assert_eq!(segments.from(OWN, 0x1001), Some(sub(OWN, 0x1100, 0x10)));
        assert_eq!(segments.from(OWN, 0x1201), None);
        assert_eq!(segments.over(PoolId(9), 0, u64::MAX, 0).count(), 0);
    }

    #[test]
    fn sub_blocks_go_with_their_memory_and_with_their_pool() {
        let mut segments = two_pools();
        for (pool, address) in [(OWN, 0x1000), (TOLD, 0x1800), (OWN, 0x1900)] {
            segments.add(sub(pool, address, 0x10));
        }
        assert_eq!(segments.forget(0x1800, 0x1900), [sub(TOLD, 0x1800, 0x10)]);
        assert_eq!(segments.close(OWN).len(), 2);
        assert!(segments.within(0, u64::MAX).is_empty());
        assert_eq!(segments.of(OWN).count(), 0);
    }
}
