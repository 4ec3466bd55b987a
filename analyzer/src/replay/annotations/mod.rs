//! The program's annotations: pools, epochs, names, ignore scopes.

mod categories;
mod check_sub_block;
mod epochs;
mod graph_blocks;
mod ignored;
mod mstx_heaps;
mod pool_attributes;
mod pool_parts;
mod pool_record;
mod pool_stats;
mod pools;
mod region;
mod sub_sites;

use std::collections::{BTreeMap, HashMap};

use aclsan_log::{BlockId, CallSiteId, Log, Values};
use aclsan_render::model::{CategoryUse, Epoch, Held, Snapshot, category};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::finding::Finding;
use aclsan_rules::evidence::suballocation::PlacementRules;
use aclsan_rules::trackers::heap::{Heap, LiveBlock};
use aclsan_rules::trackers::objects::sub_block_index::UNRELIABLE_DOMAINS;

use super::block_sample;
use super::sites::growth::Tick;
use epochs::Epochs;
pub use ignored::Ignored;
pub use pool_attributes::PoolAttributeTracker;
pub use pool_parts::PoolAt;
pub use pool_record::PoolRecord;
use pools::Pools;
use region::Region;
pub use sub_sites::SubSites;

/// Names of live blocks, as text numbers.
pub type Names = FastMap<BlockId, u32>;

/// Most snapshots kept: a program may take one per step.
const MAX_SNAPSHOTS: usize = 1 << 12;

/// Receives the time of a snapshot and each block that was live then, with its site.
pub type EachSnapshotBlock = Box<dyn FnMut(u64, &LiveBlock, CallSiteId) + Send>;

/// The state that annotations build up.
#[derive(Default)]
pub struct Annotations {
    /// Addresses of memory that live tensors describe.
    tensors: HashMap<u64, u64>,
    texts: BTreeMap<u32, String>,
    pools: Pools,
    epochs: Epochs,
    snapshots: Vec<Snapshot>,
    /// Names of blocks.
    pub names: Names,
    /// Ignore scopes.
    pub ignored: Ignored,
    /// Findings about the last annotation.
    pub found: Vec<Finding>,
    /// Receives the blocks of snapshots.
    pub each_snapshot_block: Option<EachSnapshotBlock>,
}

/// The annotations at the end of the log.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AnnotationSummary {
    /// Pools by source, name and device.
    pub pools: Vec<PoolRecord>,
    /// Steps, marks and ranges in order of time.
    pub epochs: Vec<Epoch>,
    /// Epochs that were not kept.
    pub epochs_left_out: u64,
    /// Snapshots in order of time.
    pub snapshots: Vec<Snapshot>,
    /// What memory is for.
    pub categories: Vec<CategoryUse>,
    /// Ignored blocks never released, their bytes, and ignored findings.
    pub ignored: (u64, u64, u64),
}

/// The state of replay at an annotation.
pub struct AnnotationContext<'a> {
    /// The heap.
    pub heap: &'a Heap,
    /// Time and thread.
    pub now: (u64, u32),
    /// Live bytes of device memory.
    pub live_bytes: u64,
    /// The place of a call: the same for all with one function and stack.
    pub place: &'a dyn Fn(CallSiteId) -> CallSiteId,
    /// What sub-blocks of a block must satisfy.
    pub duty: &'a dyn Fn(&Block) -> Option<PlacementRules>,
}

impl Annotations {
    /// No annotations yet; `log` has the texts.
    pub fn new(log: &Log) -> Self {
        let mut new = Self {
            texts: log.texts.clone(),
            ..Self::default()
        };
        new.pools.categories.set_sample(block_sample(log));
        new
    }

    /// The log has more texts.
    pub fn grow(&mut self, log: &Log) {
        if log.texts.len() != self.texts.len() {
            self.texts.clone_from(&log.texts);
        }
    }

    /// A text of the log; empty if it has none of that number.
    pub fn text(&self, number: u64) -> &str {
        let number = u32::try_from(number).unwrap_or(0);
        self.texts.get(&number).map_or("", String::as_str)
    }

    /// Plays an annotation. Returns the tick, if it begins a step or ends an outermost range.
    pub fn heard(
        &mut self,
        call: &Call,
        values: &Values,
        context: &AnnotationContext,
    ) -> Option<Tick> {
        self.pools.categories.pass(context.now.0);
        let at = |index| values.get(index);
        let text = |index| self.text(at(index)).to_owned();
        let (ns, tid) = context.now;
        match call.function.name {
            "aclsan_pool_create" => {
                let block = context.heap.place(at(2));
                let device = block.block().map_or(call.device, |(block, _)| block.device);
                let name = text(1);
                self.pools.create(at(0), name, device, (at(2), at(3)));
            }
            "aclsan_pool_policy" => self.pools.promise(at(0), (at(1), at(2))),
            "aclsan_pool_alloc" => {
                let sub = self.pools.alloc(at(0), (at(1), at(2)), call.site, context);
                self.found
                    .extend(check_sub_block::judge(&self.pools, call, &sub, context));
            }
            "aclsan_pool_free" => self.pools.free(at(0), at(1)),
            "aclsan_pool_destroy" => self.pools.destroy(at(0)),
            "aclsan_epoch" => {
                let name = text(0);
                self.use_described(context);
                self.pools.categories.step();
                self.epochs.step(name, context);
                return Some(Tick::Step);
            }
            "aclsan_name_block" => {
                if let (Some((block, _)), Ok(name)) =
                    (context.heap.place(at(0)).block(), u32::try_from(at(1)))
                {
                    self.names.insert(block.id, name);
                }
            }
            "aclsan_category_push" => {
                let name = text(0);
                self.pools.categories.push(tid, None, &name);
            }
            "aclsan_category_pop" => self.pools.categories.pop(tid),
            "aclsan_category" => {
                let given = category(self.text(at(1)));
                self.pools.categorize(at(0), given, context);
            }
            "aclsan_snapshot" if self.snapshots.len() < MAX_SNAPSHOTS => {
                let name = text(0);
                self.snapshots.push(Snapshot {
                    pid: 0,
                    process: 0,
                    name,
                    ns,
                    blocks: at(1),
                    bytes: at(2),
                });
                if let Some(each) = &mut self.each_snapshot_block {
                    let place = |held: &LiveBlock| (context.place)(held.block.site);
                    context
                        .heap
                        .live()
                        .for_each(|held| each(ns, &held, place(&held)));
                }
            }
            "aclsan_ignore_begin" | "aclsan_ignore_end" => self.ignored.depth(tid, at(0)),
            "aclsan_start" | "aclsan_stop" => {
                let name = call.function.name.replace("aclsan_", "recording: ");
                self.epochs.mark("aclsan".into(), name, context);
            }
            "mstxMarkA" | "mstxDomainMarkA" => {
                let (domain, name) = (text(0), text(1));
                self.epochs.mark(domain, name, context);
            }
            "mstxRangeStartA" | "mstxDomainRangeStartA" => {
                let (domain, name) = (text(0), text(1));
                if let Some(name) = name.strip_prefix(categories::PREFIX) {
                    self.pools.categories.push(tid, Some((at(0), at(3))), name);
                }
                self.epochs.start((at(0), at(3)), domain, name, context);
            }
            "mstxRangeEnd" | "mstxDomainRangeEnd" => {
                self.pools.categories.end_range((at(0), at(1)));
                let is_outermost = self.epochs.end((at(0), at(1)), ns);
                return is_outermost.then_some(Tick::Range);
            }
            "mstxMemHeapRegister" => {
                let domain = text(0);
                let device = at(4) as u32 as i32;
                self.pools
                    .heap((at(0), domain), at(1), (at(2), at(3)), device);
            }
            "mstxMemHeapUnregister" => self.pools.end_heap(at(1)),
            "mstxMemRegionsRegister" => {
                let region = Region {
                    domain: (at(0), text(0)),
                    heap: at(1),
                    address: at(2),
                    size: at(3),
                    device: at(4) as u32 as i32,
                    handle: at(5),
                    site: call.site,
                };
                let sub = self.pools.region(&region, context);
                if !UNRELIABLE_DOMAINS.contains(&region.domain.1.as_str()) {
                    self.found
                        .extend(check_sub_block::judge(&self.pools, call, &sub, context));
                }
            }
            "mstxMemRegionsUnregister" => self.pools.end_region(at(0), at(1) != 0, at(2)),
            _ => {}
        }
        None
    }

    /// Recording was stopped: what pools gave out may have come back unseen.
    pub fn forget_parts(&mut self) {
        self.pools.forget_parts();
    }

    /// The number of the epoch at `ns`, from 1; 0 for none.
    pub fn epoch_at(&self, ns: u64) -> u32 {
        self.epochs.at(ns)
    }

    /// Whether allocations and frees of memory matter: there are pools, or something is ignored.
    #[inline]
    pub fn wants_blocks(&self) -> bool {
        self.pools.are_reported() || !self.ignored.is_idle() || !self.pools.categories.is_idle()
    }

    /// A block was allocated: earlier sub-blocks at its addresses are gone.
    pub fn allocated(&mut self, block: &Block, (ns, tid): (u64, u32)) {
        self.ignored.allocated(block, tid);
        self.pools.categories.pass(ns);
        self.pools.allocated(block);
        self.pools.categories.allocated(block, tid);
    }

    /// A call about one of the runtime's own pools.
    pub fn pooled(&mut self, call: &Call, values: &Values, context: &AnnotationContext) {
        let at = |index| values.get(index);
        match call.function.name {
            "aclrtMemPoolMallocAsync" if at(0) != 0 => {
                self.pools.graph_blocks.given(at(0), at(3));
                self.pools.runtime(at(2), (at(0), at(1)), call, context);
            }
            "aclrtMemPoolTrimTo" => self.pools.trimmed(at(0), at(1), call),
            "aclrtMemPoolSetAttr" => self.pools.attributes(at(0), call).set(at(1), at(2)),
            "aclrtMemPoolGetAttr" => {
                let ns = context.now.0;
                self.pools.attributes(at(0), call).read(at(1), at(2), ns);
            }
            _ => {}
        }
    }

    /// A graph function was called.
    pub fn graph_called(&mut self, call: &Call, values: &Values, status: i32) {
        let (first, second) = (values.get(0), values.get(1));
        let graph_blocks = &mut self.pools.graph_blocks;
        graph_blocks.called(call.function.name, (first, second), status == 0);
    }

    /// A block was released, and its sub-blocks with it. Returns what [`Annotations::kept`] needs.
    pub fn released(&mut self, block: &Block, ns: u64) -> bool {
        self.pools.categories.pass(ns);
        self.pools.released(block);
        self.pools.categories.gone(block.id);
        self.ignored.released(block)
    }

    /// The release was refused.
    pub fn kept(&mut self, block: &Block, was_ignored: bool, ns: u64) {
        self.pools.categories.pass(ns);
        self.pools.categories.kept(block.id);
        if was_ignored {
            self.ignored.kept(block);
        }
    }

    /// A reset dropped the block.
    pub fn dropped(&mut self, block: BlockId, ns: u64) {
        self.pools.categories.pass(ns);
        self.pools.categories.gone(block);
    }

    /// A call named an address of the block, and uses `bytes` from there if that is recorded; matters if [`Annotations::has_categories`].
    pub fn named(&mut self, block: &Block, address: u64, bytes: Option<u64>) {
        self.pools.named(block, address, bytes);
    }

    /// A call made a tensor: calls that use it later need not name its memory.
    pub fn described(&mut self, call: &Call, values: &Values) {
        let is_made = call.function.is_of_tensor() && call.function.values.contains(&"reach");
        if is_made && self.has_categories() {
            self.tensors.insert(values.get(0), values.get(1));
        }
    }

    /// A tensor was destroyed. Returns the address of its memory, which may have been used until now.
    pub fn undescribed(&mut self, tensor: u64) -> Option<u64> {
        self.tensors.remove(&tensor)
    }

    /// Memory of live tensors may have been used in the step that ends.
    fn use_described(&mut self, context: &AnnotationContext) {
        for &address in self.tensors.values() {
            if let Some((block, _)) = context.heap.place(address).block() {
                self.pools.named(block, address, None);
            }
        }
    }

    /// Whether anything was given a category.
    #[inline]
    pub fn has_categories(&self) -> bool {
        !self.pools.categories.is_idle()
    }

    /// What the program said that a live block is for.
    pub fn category_of(&self, block: BlockId) -> Option<&'static str> {
        self.pools.categories.of(block)
    }

    /// Live and peak bytes by category, and by pool and device.
    pub fn held(&self) -> (Vec<Held>, Vec<Held>) {
        (self.pools.categories.held(), self.pools.held())
    }

    /// The pool that the block belongs to: the one of its parts, or over whose range it is.
    pub fn pool_at(&self, block: &Block) -> Option<PoolAt> {
        self.pools.at(block)
    }

    /// The parts of pools, by place.
    pub fn sub_sites(&self) -> &SubSites {
        &self.pools.sub_sites
    }

    /// The name of the pool with that record.
    pub fn pool_name(&self, record: usize) -> &str {
        self.pools
            .records
            .get(record)
            .map_or("", |record| &record.name)
    }

    /// Whether pools divide blocks of this place.
    pub fn is_divided(&self, place: CallSiteId) -> bool {
        self.pools.block_places.contains(&place)
    }

    /// The summary at the end of the log.
    pub fn finish(self, is_opaque: bool) -> AnnotationSummary {
        let ignored = self.ignored.sums();
        let (epochs, epochs_left_out) = self.epochs.finish();
        let (pools, categories) = self.pools.finish();
        AnnotationSummary {
            pools,
            categories: categories.finish(is_opaque),
            epochs,
            epochs_left_out,
            snapshots: self.snapshots,
            ignored,
        }
    }
}
