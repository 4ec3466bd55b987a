//! Parts of pools by address: what they are for, and what pools hold now.

use std::cmp::Reverse;

use aclsan_log::CallSiteId;
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::trackers::objects::sub_block_index::{Source, SubBlock};

use super::AnnotationContext;
use super::pools::Pools;
use aclsan_render::model::Held;

/// The pool that a block belongs to.
pub struct PoolAt {
    /// Its name.
    pub name: String,
    /// Its parts in the block: category if any, site, bytes.
    pub parts: Vec<(Option<&'static str>, CallSiteId, u64)>,
}

impl Pools {
    /// What pools hold now, by name and device, most first.
    pub fn held(&self) -> Vec<Held> {
        let mut held: Vec<Held> = Vec::new();
        for record in &self.records {
            let blocks = record.allocations
                - record
                    .releases
                    .saturating_add(record.dropped)
                    .min(record.allocations);
            held.push(Held {
                name: record.name.clone(),
                device: record.device,
                live: record.live_bytes,
                peak: record.peak.0,
                blocks,
            });
        }
        held.sort_by_key(|one| Reverse(one.live));
        held
    }

    /// The pool that the block belongs to, and its parts there.
    pub fn at(&self, block: &Block) -> Option<PoolAt> {
        let end = block.address.saturating_add(block.size);
        let mut parts = self.segments.within(block.address, end);
        parts.retain(|part| {
            let record = self.story_of.get(&part.pool);
            record.is_some_and(|&record| self.records[record].source != Source::Runtime)
        });
        let over = || {
            let known = self.known.values();
            let mut over = known.filter(|(_, (start, size))| {
                *start <= block.address && block.address < start.saturating_add(*size)
            });
            over.next().map(|&(pool, _)| pool)
        };
        let pool = parts.first().map(|part| part.pool).or_else(over)?;
        let record = &self.records[*self.story_of.get(&pool)?];
        let parts = parts.iter();
        Some(PoolAt {
            name: record.name.clone(),
            parts: parts
                .map(|part| (self.categories.of_part(part), part.site, part.size))
                .collect(),
        })
    }

    /// What the part or block at `address` is for.
    pub fn categorize(&mut self, address: u64, category: u8, context: &AnnotationContext) {
        let AddressInfo::Live(block, _) = context.heap.place(address) else {
            return;
        };
        match self.part_at(&block, address) {
            Some(part) => self.categories.give_part(&part, Some(&block), category),
            None => {
                self.categories.give_block(&block, category);
                let end = block.address.saturating_add(block.size);
                let last = self
                    .segments
                    .last_from(block.address, end.saturating_sub(1));
                if let Some(last) = last {
                    self.categories.part_ends(block.id, last.end());
                }
            }
        }
    }

    /// A call named an address of the block, and uses `bytes` from there; `None` if the number is not recorded.
    pub fn named(&mut self, block: &Block, address: u64, bytes: Option<u64>) {
        let Some(bytes) = bytes else {
            self.categories.named(block.id, u64::MAX);
            if let Some(part) = self.part_at(block, address) {
                self.categories.named_part(&part, u64::MAX);
            }
            return;
        };
        let end = address.saturating_add(bytes);
        self.categories.named(block.id, end);
        let mut last = end.max(address.saturating_add(1)) - 1;
        while let Some(part) = self.segments.last_from(block.address, last)
            && part.end().max(part.address + 1) > address
        {
            self.categories.named_part(&part, end);
            if part.address <= address {
                return;
            }
            last = part.address - 1;
        }
    }

    /// The part of the block that contains `address`.
    fn part_at(&self, block: &Block, address: u64) -> Option<SubBlock> {
        let last = self.segments.last_from(block.address, address)?;
        (address < last.end().max(last.address + 1)).then_some(last)
    }
}
