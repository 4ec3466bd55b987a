//! Pools and their sub-blocks. A program may have many pools of one name; a report has one line for them per device.

use std::collections::{HashMap, HashSet};

use aclsan_log::CallSiteId;
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::trackers::objects::sub_block_index::{PoolId, Source, SubBlock, SubBlockIndex};

use super::AnnotationContext;
use super::categories::Categories;
use super::graph_blocks::GraphBlocks;
use super::pool_attributes::PoolAttributeTracker;
use super::pool_record::PoolRecord;
use super::sub_sites::SubSites;

/// Identity of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Annotated(u64),
    Heap(u64),
    /// A runtime pool's handle.
    Runtime(u64),
    /// A domain without a heap: the number of its name, and the device.
    Domain(u64, i32),
}

/// All pools.
#[derive(Default)]
pub struct Pools {
    /// Live sub-blocks.
    pub segments: SubBlockIndex,
    pub(super) records: Vec<PoolRecord>,
    by_name: HashMap<(Source, String, i32), usize>,
    /// Existing pools: number, and start and bytes of the range.
    pub(super) known: HashMap<Key, (PoolId, (u64, u64))>,
    pub(super) story_of: HashMap<PoolId, usize>,
    count: u32,
    /// Runtime pools so far, and which of them gave out a block.
    runtimes: u32,
    pooled: HashMap<u64, PoolId>,
    /// Handles of runtime pools whose creation the log has.
    begun: HashSet<u64>,
    /// Blocks that graphs use.
    pub graph_blocks: GraphBlocks,
    /// Pool of a region by domain and address, and both by handle.
    pub(super) regions: HashMap<(u64, u64), PoolId>,
    pub(super) handles: HashMap<u64, (PoolId, u64)>,
    /// What the parts come to by place.
    pub sub_sites: SubSites,
    /// Places whose blocks are divided by pools.
    pub block_places: HashSet<CallSiteId>,
    /// What blocks and parts are for.
    pub categories: Categories,
    /// Alignment and rounding that pools promise.
    promises: HashMap<PoolId, (u64, u64)>,
}

impl Pools {
    /// Whether any pool was announced.
    #[inline]
    pub fn are_reported(&self) -> bool {
        !self.records.is_empty()
    }

    /// The program created a pool.
    pub fn create(&mut self, id: u64, name: String, device: i32, range: (u64, u64)) {
        self.open(
            Key::Annotated(id),
            Source::Annotation,
            (name, device),
            range,
        );
    }

    /// The pool promises alignment and rounding.
    pub fn promise(&mut self, id: u64, promise: (u64, u64)) {
        if let Some(&(pool, _)) = self.known.get(&Key::Annotated(id)) {
            self.promises.insert(pool, promise);
        }
    }

    /// What a pool promises, and who announced it.
    pub fn traits(&self, pool: PoolId) -> ((u64, u64), Source) {
        let record = self.story_of.get(&pool);
        let source = record.map(|&record| self.records[record].source);
        (
            self.promises.get(&pool).copied().unwrap_or_default(),
            source.unwrap_or(Source::Mstx),
        )
    }

    /// The program's pool gave out a sub-block.
    pub fn alloc(
        &mut self,
        id: u64,
        (address, size): (u64, u64),
        site: CallSiteId,
        context: &AnnotationContext,
    ) -> SubBlock {
        let key = Key::Annotated(id);
        // Unknown if it belongs to the process that this one was forked from.
        let pool = match self.known.get(&key) {
            Some(&(pool, _)) => pool,
            None => self.open(key, Source::Annotation, (String::new(), -1), (0, 0)),
        };
        let sub = SubBlock {
            pool,
            address,
            size,
            site,
        };
        self.add(sub, context);
        sub
    }

    /// The sub-block was returned.
    pub fn free(&mut self, id: u64, address: u64) {
        if let Some(&(pool, _)) = self.known.get(&Key::Annotated(id)) {
            self.remove(pool, address);
        }
    }

    /// It was destroyed.
    pub fn destroy(&mut self, id: u64) {
        self.close(Key::Annotated(id));
    }

    /// A runtime pool gave out a block.
    pub fn runtime(
        &mut self,
        handle: u64,
        sub: (u64, u64),
        call: &Call,
        context: &AnnotationContext,
    ) {
        let pool = self.runtimes_pool(handle, call);
        let (address, size) = sub;
        let sub = SubBlock {
            pool,
            address,
            size,
            site: call.site,
        };
        self.pooled.insert(address, pool);
        self.attributes(handle, call);
        self.add(sub, context);
    }

    /// A runtime pool was trimmed to `keep` bytes.
    pub fn trimmed(&mut self, handle: u64, keep: u64, call: &Call) {
        self.attributes(handle, call).trimmed(keep);
        if let Some((pool, _)) = self.known.get(&Key::Runtime(handle))
            && keep == 0
        {
            self.records[self.story_of[pool]].inside.trim();
        }
    }

    /// The attributes of a runtime pool.
    pub fn attributes(&mut self, handle: u64, call: &Call) -> &mut PoolAttributeTracker {
        let pool = self.runtimes_pool(handle, call);
        let record = &mut self.records[self.story_of[&pool]];
        let is_whole = self.begun.contains(&handle);
        (record.attributes).get_or_insert_with(|| PoolAttributeTracker::new(is_whole))
    }

    /// A block or a runtime pool was created.
    pub fn allocated(&mut self, block: &Block) {
        if block.family() == Family::MemPool {
            self.close(Key::Runtime(block.address)); // The handle is reused.
            self.begun.insert(block.address);
        }
        self.forget(block);
    }

    /// A block or a runtime pool was released.
    pub fn released(&mut self, block: &Block) {
        match block.family() {
            Family::MemPool => {
                self.close(Key::Runtime(block.address));
                self.begun.remove(&block.address);
            }
            Family::Pool => {
                if let Some(pool) = self.pooled.remove(&block.address) {
                    self.remove(pool, block.address);
                }
            }
            _ => {}
        }
        self.forget(block);
    }

    /// A block's memory is gone, or belongs to another block.
    pub fn forget(&mut self, block: &Block) {
        if self.records.is_empty() || !block.family().is_memory() || block.family().is_handle() {
            return;
        }
        let end = block.address.saturating_add(block.size);
        for sub in self.segments.forget(block.address, end) {
            self.gone(&sub);
        }
        for record in &mut self.records {
            record.inside.forget(block.address);
        }
    }

    /// Forgets what pools gave out, except the runtime's own, whose parts are blocks.
    pub fn forget_parts(&mut self) {
        let records = &self.records;
        let announced = (self.story_of.iter())
            .filter(|&(_, &record)| records[record].source != Source::Runtime);
        let parts: Vec<SubBlock> = announced
            .flat_map(|(&pool, _)| self.segments.of(pool).copied())
            .collect();
        for sub in parts {
            self.segments.remove(sub.pool, sub.address);
            self.gone(&sub);
        }
    }

    /// The records at the end of the log.
    pub fn finish(mut self) -> (Vec<PoolRecord>, Categories) {
        for (&pool, &record) in &self.story_of {
            for sub in self.segments.of(pool) {
                let record = &mut self.records[record];
                if self.graph_blocks.has(sub.address)
                    && let Some(attributes) = &mut record.attributes
                {
                    attributes.in_graph(sub.size);
                }
                record.live.entry(sub.site).or_default().add_one(sub.size);
            }
        }
        (self.records, self.categories)
    }

    fn runtimes_pool(&mut self, handle: u64, call: &Call) -> PoolId {
        let key = Key::Runtime(handle);
        match self.known.get(&key) {
            Some(&(pool, _)) => pool,
            None => {
                self.runtimes += 1;
                let name = format!("pool {}", self.runtimes);
                self.open(key, Source::Runtime, (name, call.device), (0, 0))
            }
        }
    }

    pub(super) fn domain_pool(&mut self, domain: u64, named: (String, i32)) -> PoolId {
        let key = Key::Domain(domain, named.1);
        match self.known.get(&key) {
            Some(&(pool, _)) => pool,
            None => self.open(key, Source::Mstx, named, (0, 0)),
        }
    }

    pub(super) fn open(
        &mut self,
        key: Key,
        source: Source,
        (name, device): (String, i32),
        (address, size): (u64, u64),
    ) -> PoolId {
        self.close(key); // The number is reused: its end was not announced.
        self.count += 1;
        let (id, records) = (PoolId(self.count), &mut self.records);
        let record = *self
            .by_name
            .entry((source, name.clone(), device))
            .or_insert_with(|| {
                records.push(PoolRecord::new(source, name, device));
                records.len() - 1
            });
        let reported = &mut self.records[record];
        reported.pools += 1;
        reported.range_bytes = reported.range_bytes.saturating_add(size);
        reported.bytes = reported.bytes.max(reported.range_bytes);
        reported.inside.open(address, size);
        self.segments.open(id, source, address, size);
        self.known.insert(key, (id, (address, size)));
        self.story_of.insert(id, record);
        id
    }

    pub(super) fn close(&mut self, key: Key) {
        let Some((id, (address, size))) = self.known.remove(&key) else {
            return;
        };
        for sub in self.segments.close(id) {
            self.gone(&sub);
        }
        self.promises.remove(&id);
        if let Some(record) = self.story_of.remove(&id) {
            let record = &mut self.records[record];
            record.range_bytes = record.range_bytes.saturating_sub(size);
            if size > 0 {
                record.inside.close(address);
            }
        }
    }

    pub(super) fn add(&mut self, sub: SubBlock, context: &AnnotationContext) {
        let ns = context.now.0;
        let Some(added) = self.segments.add(sub) else {
            return;
        };
        if let Some(replaced) = added.replaced {
            self.gone(&replaced);
        }
        let record = &mut self.records[self.story_of[&sub.pool]];
        record.allocations += 1;
        record.overlaps += u64::from(added.overlaps.is_some());
        record.outside += u64::from(added.leaves.is_some());
        record.live_bytes = record.live_bytes.saturating_add(sub.size);
        if record.live_bytes > record.peak.0 {
            record.peak = (record.live_bytes, ns);
        }
        let block = match context.heap.place(sub.address) {
            AddressInfo::Live(block, _) => Some(block),
            _ => None,
        };
        let taken = match record.source {
            // Its size may be rounded already.
            Source::Mstx | Source::Runtime => sub.size,
            Source::Annotation => {
                let promise = self.promises.get(&sub.pool).copied().unwrap_or_default();
                let duty = block.and_then(|block| (context.duty)(&block));
                let own = sub.size.checked_next_multiple_of(promise.1.max(1));
                duty.map(|duty| duty.promised(promise.0, promise.1).taken(sub.size))
                    .or(own)
                    .unwrap_or(sub.size)
            }
        };
        if let Some(attributes) = &mut record.attributes {
            attributes.given(sub.address, sub.size);
        }
        if record.source == Source::Runtime {
            return record.inside.add_kept(sub.address, sub.size);
        }
        if let Some(block) = &block {
            let place = (context.place)(sub.site);
            let record = self.story_of[&sub.pool];
            self.sub_sites
                .add(&sub, (block, place, record), context.now);
            self.categories.part_added(&sub, Some(block), context.now.1);
            self.block_places.insert((context.place)(block.site));
        }
        let record = &mut self.records[self.story_of[&sub.pool]];
        let range = block.map(|block| (block.address, block.address.saturating_add(block.size)));
        record.inside.add(sub.address, sub.size, taken, range);
    }

    pub(super) fn remove(&mut self, pool: PoolId, address: u64) {
        if let Some(sub) = self.segments.remove(pool, address) {
            self.sub_sites.remove(&sub);
            self.categories.part_gone(&sub);
            let record = &mut self.records[self.story_of[&pool]];
            record.take_back(address);
            record.releases += 1;
            record.live_bytes = record.live_bytes.saturating_sub(sub.size);
        }
    }

    fn gone(&mut self, sub: &SubBlock) {
        self.sub_sites.remove(sub);
        self.categories.part_gone(sub);
        if let Some(&record) = self.story_of.get(&sub.pool) {
            let record = &mut self.records[record];
            record.dropped += 1;
            record.take_back(sub.address);
            record.live_bytes = record.live_bytes.saturating_sub(sub.size);
        }
    }
}
