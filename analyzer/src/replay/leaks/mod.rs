//! Leaks: blocks freed by a reset, or live when the log ends.

pub mod group;
pub mod pinned_cache;
pub mod reachability;

use std::collections::BTreeMap;

use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_rules::evidence::reachability::Reachability;
use aclsan_rules::trackers::heap::LiveBlock;
use aclsan_rules::trackers::objects::PoolSegment;

use super::annotations::Names;
use super::sites::Sites;
use super::totals::Sum;
use group::{Group, Part, PoolShare, Reset};
use reachability::ScanResults;

/// What grouping needs to know about the end of the log.
pub struct AtEnd<'a> {
    /// The time of the end; a reset comes earlier.
    pub ns: u64,
    /// The epoch of a time.
    pub epoch: &'a dyn Fn(u64) -> u32,
    /// Results of scans of the program's memory.
    pub holds: &'a ScanResults,
    /// The finding of the wrong release because of which a block was kept.
    pub keeper: &'a dyn Fn(BlockId) -> Option<usize>,
    /// The pool that hands out parts of a block.
    pub pool: &'a dyn Fn(&Block) -> Option<PoolSegment>,
    /// Time and thread of the live part of a pool at an address.
    pub since: &'a dyn Fn(u64) -> Option<(u64, u32)>,
}

/// Blocks that resets freed, pending whether their device is set again.
#[derive(Default)]
pub struct Dropped {
    blocks: FastMap<BlockId, (LiveBlock, CallSiteId, u64)>,
}

impl Dropped {
    /// The reset at `site` freed `blocks`.
    pub fn add(&mut self, blocks: impl Iterator<Item = LiveBlock>, site: CallSiteId, ns: u64) {
        self.blocks
            .extend(blocks.map(|held| (held.block.id, (held, site, ns))));
    }

    /// These blocks, with the resets that freed them.
    pub fn blocks(&self) -> impl Iterator<Item = (LiveBlock, Reset)> {
        let blocks = self.blocks.values();
        blocks.map(|&(held, site, ns)| (held, (site, ns)))
    }

    /// The ids of these blocks.
    pub fn ids(&self) -> impl Iterator<Item = BlockId> {
        self.blocks.keys().copied()
    }

    /// The program released the block after all: late, but not leaked.
    pub fn released(&mut self, id: BlockId) {
        self.blocks.remove(&id);
    }

    /// `device` is used again: what its reset freed is no leak.
    pub fn set_again(&mut self, device: i32) {
        self.blocks
            .retain(|_, (held, ..)| held.block.device != device);
    }

    /// What resets reclaimed, by allocation site.
    pub fn by_site(&self, sites: &Sites) -> BTreeMap<CallSiteId, Sum> {
        let mut sums: BTreeMap<CallSiteId, Sum> = BTreeMap::new();
        for (held, ..) in self.blocks.values() {
            let place = sites.canonical(held.block.site);
            sums.entry(place).or_default().add(held);
        }
        sums
    }

    /// Removes the blocks of `device` and groups them.
    pub fn take(
        &mut self,
        device: i32,
        sites: &Sites,
        names: &Names,
        at_end: &AtEnd,
    ) -> Vec<Group> {
        let taken = self
            .blocks
            .extract_if(|_, (held, ..)| held.block.device == device);
        let taken = taken.map(|(_, (held, site, ns))| (held, Some((site, ns))));
        group(taken, sites, names, at_end)
    }

    /// Removes all blocks and groups them.
    pub fn take_all(&mut self, sites: &Sites, names: &Names, at_end: &AtEnd) -> Vec<Group> {
        let taken = self.blocks.drain();
        group(
            taken.map(|(_, (held, site, ns))| (held, Some((site, ns)))),
            sites,
            names,
            at_end,
        )
    }
}

/// A block that was live at the end, or that the device's last reset reclaimed.
#[derive(Clone, Copy, Debug)]
pub struct BlockAtEnd {
    /// The block.
    pub held: LiveBlock,
    /// Its site, as of the group.
    pub site: CallSiteId,
    /// The index in [`Replay::leaks`](super::Replay::leaks) of the leak that counts it, and the leak's class.
    pub leak: Option<(usize, Reachability)>,
    /// Whether a reset reclaimed it.
    pub is_reclaimed: bool,
    /// What the program said it is for.
    pub category: Option<&'static str>,
}

/// Receives such blocks.
pub type EachBlock<'a> = &'a mut dyn FnMut(&BlockAtEnd);

/// Which group counts a whole block; `None` if it is a pool's memory, whose parts are counted.
pub fn key(held: &LiveBlock, reset: Option<Reset>, sites: &Sites, at_end: &AtEnd) -> Option<Key> {
    let (hold, _) = at_end.holds.of(held.block.id);
    let keeper = (at_end.keeper)(held.block.id);
    if keeper.is_none()
        && let Some(segment) = (at_end.pool)(&held.block)
        && !(segment.live.is_empty() && hold == Reachability::Lost)
    {
        return None;
    }
    let place = sites.canonical(held.block.site);
    Some((place, held.block.device, reset, hold, keeper, None))
}

/// Allocation site, device, reset, reachability, keeper and pool: what blocks of a group share.
pub type Key = (
    CallSiteId,
    i32,
    Option<Reset>,
    Reachability,
    Option<usize>,
    Option<PoolShare>,
);

/// Calls `add` with what is to be reported of a leaked block: the block, the cache that it is a part of, or the parts that a pool has not got back.
fn share(
    held: LiveBlock,
    hold: Reachability,
    at_end: &AtEnd,
    mut add: impl FnMut(LiveBlock, Option<PoolShare>),
) {
    let Some(segment) = (at_end.pool)(&held.block) else {
        return add(held, None);
    };
    if segment.live.is_empty() {
        // The pool itself would have a pointer.
        let is_kept = hold != Reachability::Lost;
        return add(held, is_kept.then_some(PoolShare::Cache(segment.name)));
    }
    let parts = Some(PoolShare::Parts(segment.name, segment.is_own));
    for part in &segment.live {
        let since = (at_end.since)(part.address);
        let (since_ns, thread) = since.unwrap_or((held.since_ns, held.thread));
        let block = Block {
            address: part.address,
            size: part.size,
            site: part.site,
            ..held.block
        };
        let part = LiveBlock {
            block,
            since_ns,
            thread,
            bytes: part.size,
            ..held
        };
        add(part, parts);
    }
}

/// Groups blocks by what they share; the oldest group comes first.
pub fn group(
    blocks: impl Iterator<Item = (LiveBlock, Option<Reset>)>,
    sites: &Sites,
    names: &Names,
    at_end: &AtEnd,
) -> Vec<Group> {
    let mut groups: Vec<(Key, GroupBuilder)> = Vec::new();
    let mut known: BTreeMap<Key, usize> = BTreeMap::new();
    // By site, the group of its last block: blocks of one site mostly share the rest, too.
    let mut latest = vec![usize::MAX; sites.len()];
    let mut add = |held: LiveBlock, reset, holds, (keeper, pool)| {
        let (hold, mapping) = holds;
        let place = match pool {
            // Whoever needed memory when a cache grew does not matter.
            Some(PoolShare::Cache(_)) => CallSiteId(0),
            _ => sites.canonical(held.block.site),
        };
        let key = (place, held.block.device, reset, hold, keeper, pool);
        let latest = &mut latest[place.0 as usize];
        if groups.get(*latest).is_none_or(|(other, _)| *other != key) {
            *latest = *known.entry(key).or_insert_with(|| {
                let mut group = Group::new(held, reset, (hold, mapping));
                (group.keeper, group.pool) = (keeper, pool);
                groups.push((key, GroupBuilder::from(group)));
                groups.len() - 1
            });
        }
        let builder = &mut groups[*latest].1;
        let end_ns = reset.map_or(at_end.ns, |(_, ns)| ns);
        let part = Part {
            thread: held.thread,
            below_ns: decade(end_ns.saturating_sub(held.since_ns)),
            epoch: (at_end.epoch)(held.since_ns),
        };
        builder.add_part(part, &held);
        builder.group.add(&held, mapping, names);
        builder.group.cut += u64::from(sites.is_cut(held.block.site)) * held.blocks();
    };
    for (held, reset) in blocks {
        let holds = at_end.holds.of(held.block.id);
        match (at_end.keeper)(held.block.id) {
            keeper @ Some(_) => add(held, reset, holds, (keeper, None)),
            None => share(held, holds.0, at_end, |held, pool| {
                add(held, reset, holds, (None, pool));
            }),
        }
    }
    let groups = groups.into_iter();
    let mut groups: Vec<Group> = groups.map(|(_, builder)| builder.finish()).collect();
    for group in &mut groups {
        group.first.block.site = sites.whole(group.first.block.site);
    }
    groups.sort_by_key(|group| group.first.order);
    groups
}

/// A group under construction.
struct GroupBuilder {
    group: Group,
    /// The part of the last block, which the next block mostly shares, and its sum not yet added to the group.
    part: Option<(Part, Sum)>,
}

impl From<Group> for GroupBuilder {
    fn from(group: Group) -> Self {
        Self { group, part: None }
    }
}

impl GroupBuilder {
    #[inline]
    fn add_part(&mut self, part: Part, held: &LiveBlock) {
        match &mut self.part {
            Some((known, sum)) if *known == part => sum.add(held),
            _ => {
                self.flush_part();
                self.part.insert((part, Sum::default())).1.add(held);
            }
        }
    }

    fn flush_part(&mut self) {
        if let Some((part, sum)) = self.part.take() {
            let known = self.group.parts.entry(part).or_default();
            known.blocks += sum.blocks;
            known.bytes = known.bytes.saturating_add(sum.bytes);
        }
    }

    fn finish(mut self) -> Group {
        self.flush_part();
        self.group
    }
}

/// The smallest power of ten above an age, from one millisecond on.
fn decade(ns: u64) -> u64 {
    let mut bound = 1_000_000_u64;
    while bound <= ns {
        bound = bound.saturating_mul(10);
        if bound == u64::MAX {
            break;
        }
    }
    bound
}
