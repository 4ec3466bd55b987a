//! Categories of blocks and of parts of pools, and what each comes to over time.
//!
//! A part of a pool counts for its own category, the rest of its block for the block's. Only device memory is counted.

mod given;

use std::collections::HashMap;

use aclsan_log::BlockId;
use aclsan_render::model::{CATEGORIES, CategoryPoint, CategoryUse, Held, category};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_rules::evidence::estimate::{self, BlockSample};
use aclsan_rules::trackers::objects::sub_block_index::{PoolId, SubBlock};

use given::Given;

/// Prefix of the message of an mstx range that gives a category.
pub const PREFIX: &str = "category:";
/// Most points kept of a category's live bytes over time.
const MAX_POINTS: usize = 512;
/// Most blocks and parts that are asked at the end of a step whether they were used.
const MAX_ASKED: usize = 1 << 16;

/// A scope of a thread: the key of its mstx range, if it is one, and its category.
type Scope = (Option<(u64, u64)>, u8);

/// What one category comes to.
#[derive(Clone, Default)]
struct Sum {
    allocations: u64,
    blocks: u64,
    bytes: u64,
    peak: (u64, u64),
    idle: u64,
    oversized: u64,
    points: Vec<CategoryPoint>,
    /// Shortest time between two points.
    interval: u64,
}

/// All categories of a process.
#[derive(Default)]
pub struct Categories {
    scopes: HashMap<u32, Vec<Scope>>,
    /// Threads by range, as another thread may end it.
    ranges: HashMap<(u64, u64), u32>,
    blocks: FastMap<BlockId, Given>,
    parts: HashMap<(PoolId, u64), (Given, Option<BlockId>)>,
    /// The block that was released last: its release may yet be refused.
    released: Option<(BlockId, Given)>,
    sums: [Sum; CATEGORIES.len()],
    step: u32,
    now: u64,
    is_reported: bool,
    /// Weights of blocks, if not all are in the log.
    sample: Option<BlockSample>,
}

impl Categories {
    /// The log has a sample of the blocks.
    pub fn set_sample(&mut self, sample: Option<BlockSample>) {
        self.sample = sample;
    }

    /// Whether allocations need not be reported.
    #[inline]
    pub fn is_idle(&self) -> bool {
        !self.is_reported
    }

    /// What follows happens at `ns`.
    pub fn pass(&mut self, ns: u64) {
        self.now = ns;
    }

    /// A thread enters a scope.
    pub fn push(&mut self, thread: u32, range: Option<(u64, u64)>, name: &str) {
        self.is_reported = true;
        let scopes = self.scopes.entry(thread).or_default();
        scopes.push((range, category(name)));
        if let Some(range) = range {
            self.ranges.insert(range, thread);
        }
    }

    /// A thread leaves its last scope that is no range.
    pub fn pop(&mut self, thread: u32) {
        if let Some(scopes) = self.scopes.get_mut(&thread)
            && let Some(last) = scopes.iter().rposition(|(range, _)| range.is_none())
        {
            scopes.remove(last);
        }
    }

    /// A range has ended.
    pub fn end_range(&mut self, range: (u64, u64)) {
        if let Some(thread) = self.ranges.remove(&range)
            && let Some(scopes) = self.scopes.get_mut(&thread)
        {
            scopes.retain(|(of, _)| *of != Some(range));
        }
    }

    /// The category of what the thread allocates.
    fn current(&self, thread: u32) -> Option<u8> {
        let (_, category) = self.scopes.get(&thread)?.last()?;
        Some(*category)
    }

    /// A block was allocated.
    pub fn allocated(&mut self, block: &Block, thread: u32) {
        if let Some(category) = self.current(thread) {
            self.give_block(block, category);
        }
    }

    /// A block gets a category, in place of the one that it had.
    pub fn give_block(&mut self, block: &Block, category: u8) {
        let family = block.family();
        if !family.is_memory() || family.is_host() {
            return;
        }
        self.is_reported = true;
        if self
            .blocks
            .get(&block.id)
            .is_some_and(|held| held.category == category)
        {
            return;
        }
        self.gone(block.id);
        let inside = self.parts_of(block.id);
        let mut held = Given::new(category, (block.address, block.size), self.step);
        let bytes = self.sample.map_or(block.size, |sample| sample.bytes(block));
        held.bytes = bytes.saturating_sub(inside);
        if bytes != block.size {
            held.blocks = estimate::blocks(block, bytes);
        }
        self.blocks.insert(block.id, held);
        self.add(held);
    }

    /// A block was released, or dropped by a reset.
    pub fn gone(&mut self, block: BlockId) {
        if let Some(held) = self.blocks.remove(&block) {
            self.subtract(held);
            self.released = Some((block, held));
        }
    }

    /// The release was refused.
    pub fn kept(&mut self, block: BlockId) {
        if let Some((_, held)) = self.released.take().filter(|(id, _)| *id == block) {
            self.blocks.insert(block, held);
            self.add(held);
            self.sums[usize::from(held.category)].allocations -= held.blocks;
        }
    }

    /// A pool has given out a part of `block`.
    pub fn part_added(&mut self, sub: &SubBlock, block: Option<&Block>, thread: u32) {
        if let Some(block) = block {
            self.part_ends(block.id, sub.end());
        }
        if let Some(category) = self.current(thread) {
            self.give_part(sub, block, category);
        }
    }

    /// A part gets a category, in place of the one that it had.
    pub fn give_part(&mut self, sub: &SubBlock, block: Option<&Block>, category: u8) {
        self.is_reported = true;
        let known = self.parts.get(&(sub.pool, sub.address));
        if known.is_some_and(|(held, _)| held.category == category && held.bytes == sub.size) {
            return;
        }
        self.part_gone(sub);
        let held = Given::new(category, (sub.address, sub.size), self.step);
        let block = block.map(|block| block.id);
        self.resize(block, |bytes| bytes.saturating_sub(sub.size));
        self.parts.insert((sub.pool, sub.address), (held, block));
        self.add(held);
    }

    /// A part of the block ends at `end`.
    pub fn part_ends(&mut self, block: BlockId, end: u64) {
        if let Some(held) = self.blocks.get_mut(&block) {
            held.parts_end = held.parts_end.max(end);
        }
    }

    /// A part is back in its pool.
    pub fn part_gone(&mut self, sub: &SubBlock) {
        if let Some((held, block)) = self.parts.remove(&(sub.pool, sub.address)) {
            self.subtract(held);
            self.resize(block, |bytes| bytes.saturating_add(held.bytes));
        }
    }

    /// A call has named an address in the block, and uses what is before `end`.
    pub fn named(&mut self, block: BlockId, end: u64) {
        let step = self.step;
        if let Some(held) = self.blocks.get_mut(&block) {
            held.name(end, step);
        }
    }

    /// The same of a part.
    pub fn named_part(&mut self, part: &SubBlock, end: u64) {
        let step = self.step;
        if let Some((held, _)) = self.parts.get_mut(&(part.pool, part.address)) {
            held.name(end, step);
        }
    }

    /// A step begins, and so ends the one before.
    pub fn step(&mut self) {
        let (ended, count) = (self.step, self.blocks.len() + self.parts.len());
        self.step += 1;
        if ended == 0 || count > MAX_ASKED {
            return;
        }
        let mut found = [(0_u64, 0_u64); CATEGORIES.len()];
        let parts = self.parts.values().map(|(held, _)| held);
        for held in self.blocks.values().chain(parts) {
            let (idle, oversized) = &mut found[usize::from(held.category)];
            if held.born < ended && held.used < ended {
                *idle = idle.saturating_add(held.bytes);
            } else if held.born < ended {
                *oversized = oversized.saturating_add(held.beyond());
            }
        }
        for (sum, (idle, oversized)) in self.sums.iter_mut().zip(found) {
            sum.idle = sum.idle.max(idle);
            sum.oversized = sum.oversized.max(oversized);
        }
    }

    /// What each category that was given holds now.
    pub fn held(&self) -> Vec<Held> {
        let given = CATEGORIES.iter().zip(&self.sums);
        let given = given.filter(|(_, sum)| sum.allocations > 0);
        given
            .map(|(name, sum)| Held {
                name: (*name).to_owned(),
                device: -1,
                live: sum.bytes,
                peak: sum.peak.0,
                blocks: sum.blocks,
            })
            .collect()
    }

    /// The category of a block.
    pub fn of(&self, block: BlockId) -> Option<&'static str> {
        let held = self.blocks.get(&block)?;
        Some(CATEGORIES[usize::from(held.category)])
    }

    /// The category of a part of a pool.
    pub fn of_part(&self, part: &SubBlock) -> Option<&'static str> {
        let (held, _) = self.parts.get(&(part.pool, part.address))?;
        Some(CATEGORIES[usize::from(held.category)])
    }

    /// What each category came to. `is_opaque`: work was queued whose arguments are not recorded.
    pub fn finish(self, is_opaque: bool) -> Vec<CategoryUse> {
        let has_steps = self.step > 1;
        let given = CATEGORIES.iter().zip(self.sums);
        let given = given.filter(|(_, sum)| sum.allocations > 0);
        given
            .map(|(name, sum)| CategoryUse {
                pid: 0,
                process: 0,
                name,
                allocations: sum.allocations,
                live_blocks: sum.blocks,
                live_bytes: sum.bytes,
                peak_bytes: sum.peak.0,
                peak_ns: sum.peak.1,
                idle_bytes: (has_steps && !is_opaque).then_some(sum.idle),
                oversized_bytes: (has_steps && !is_opaque).then_some(sum.oversized),
                over_time: sum.points,
            })
            .collect()
    }

    /// Bytes of the parts of a block that have a category of their own.
    fn parts_of(&self, block: BlockId) -> u64 {
        let of_block = self.parts.values().filter(|(_, of)| *of == Some(block));
        of_block.fold(0, |sum, (held, _)| sum.saturating_add(held.bytes))
    }

    /// Changes the bytes that count for a block's own category.
    fn resize(&mut self, block: Option<BlockId>, change: impl Fn(u64) -> u64) {
        let Some(held) = block.and_then(|block| self.blocks.get_mut(&block)) else {
            return;
        };
        let before = held.bytes;
        held.bytes = change(before);
        let (category, after) = (usize::from(held.category), held.bytes);
        let sum = &mut self.sums[category];
        let bytes = sum.bytes.saturating_sub(before).saturating_add(after);
        sum.set(bytes, self.now);
    }

    fn add(&mut self, held: Given) {
        let sum = &mut self.sums[usize::from(held.category)];
        sum.allocations += held.blocks;
        sum.blocks += held.blocks;
        sum.set(sum.bytes.saturating_add(held.bytes), self.now);
    }

    fn subtract(&mut self, held: Given) {
        let sum = &mut self.sums[usize::from(held.category)];
        sum.blocks = sum.blocks.saturating_sub(held.blocks);
        sum.set(sum.bytes.saturating_sub(held.bytes), self.now);
    }
}

impl Sum {
    fn set(&mut self, bytes: u64, ns: u64) {
        self.bytes = bytes;
        if bytes > self.peak.0 {
            self.peak = (bytes, ns);
        }
        match self.points.last_mut() {
            Some(last) if ns < last.ns.saturating_add(self.interval) => {
                last.bytes = last.bytes.max(bytes);
            }
            _ => self.points.push(CategoryPoint { ns, bytes }),
        }
        if self.points.len() > MAX_POINTS {
            self.thin();
        }
    }

    /// Makes one point of each two.
    fn thin(&mut self) {
        let first = self.points.first().map_or(0, |point| point.ns);
        let last = self.points.last().map_or(0, |point| point.ns);
        let least = (last.saturating_sub(first) / MAX_POINTS as u64).max(1);
        self.interval = (self.interval * 2).max(least);
        let pairs = self.points.chunks(2).map(|pair| CategoryPoint {
            ns: pair[0].ns,
            bytes: pair.iter().map(|point| point.bytes).max().unwrap_or(0),
        });
        self.points = pairs.collect();
    }
}

#[cfg(test)]
mod tests;
