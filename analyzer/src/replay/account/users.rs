//! What calls say about who uses a block: models that were given memory, graphs that were being captured, modules of the vendor's software.

use std::collections::{BTreeMap, HashMap, HashSet};

use aclsan_log::batch::{Batch, BatchEntry, EventKind};
use aclsan_log::{BlockId, CallSiteId, Event};
use aclsan_rules::api::block::Block;

use crate::replay::sites::Sites;

/// Ranges that a model was given: address, bytes, and what for.
type Ranges = Vec<(u64, u64, &'static str)>;

/// The users so far.
#[derive(Default)]
pub struct Users {
    /// By model or bundle.
    models: BTreeMap<(bool, u64), Ranges>,
    /// Streams that are being captured, with the thread that began it.
    captures: HashMap<u64, u32>,
    captured: HashSet<BlockId>,
    /// The last allocation of each thread: its block and site.
    last: HashMap<u32, (BlockId, CallSiteId)>,
    modules: HashMap<BlockId, &'static str>,
}

impl Users {
    /// An event is about to be played.
    pub fn see(&mut self, step: &BatchEntry, batch: &Batch, sites: &Sites) {
        match step.what {
            EventKind::Allocation { block, site, .. } => {
                self.last.insert(step.tid, (block, site));
                if self.captures.values().any(|&thread| thread == step.tid) {
                    self.captured.insert(block);
                }
            }
            EventKind::Release { block, .. } => {
                self.captured.remove(&block);
                self.modules.remove(&block);
            }
            EventKind::Short(ref short) => {
                self.called(short.site, short.values().all(), 0, (sites, step.tid));
            }
            EventKind::Fill(_) => {}
            EventKind::Other(number) => {
                if let Event::Call {
                    site,
                    ref values,
                    status,
                } = *batch.other(number)
                {
                    self.called(site, values.all(), status, (sites, step.tid));
                }
            }
        }
    }

    fn called(
        &mut self,
        site: CallSiteId,
        values: &[u64],
        status: i32,
        (sites, thread): (&Sites, u32),
    ) {
        if status != 0 {
            return;
        }
        let Some(call) = sites.call(site, |_| true) else {
            return;
        };
        if call.function.values.first() == Some(&"module") {
            let name = values
                .first()
                .and_then(|&number| (call.function.vendor().module_name)(number));
            let last = self.last.get(&thread).filter(|(_, of)| *of == site);
            if let (Some(name), Some(&(block, _))) = (name, last) {
                self.modules.insert(block, name);
            }
            return;
        }
        let at = |index: usize| values.get(index).copied().unwrap_or(0);
        match call.function.name {
            "aclmdlLoadFromFileWithMem"
            | "aclmdlLoadFromMemWithMem"
            | "aclmdlBundleLoadModelWithMem" => {
                let ranges = vec![(at(1), at(2), "work"), (at(3), at(4), "weights")];
                self.models.insert((false, at(0)), ranges);
            }
            "aclmdlBundleInitFromFile" | "aclmdlBundleInitFromMem" => {
                let ranges = vec![(at(1), at(2), "variables")];
                self.models.insert((true, at(0)), ranges);
            }
            "aclmdlUnload" | "aclmdlBundleUnloadModel" => {
                self.models.remove(&(false, at(0)));
            }
            "aclmdlBundleUnload" => {
                self.models.remove(&(true, at(0)));
            }
            "aclmdlRICaptureBegin" | "aclmdlRICaptureToModelRIBegin" => {
                self.captures.insert(at(0), thread);
            }
            "aclmdlRICaptureEnd" => {
                self.captures.remove(&at(0));
            }
            _ => {}
        }
    }

    /// Whether the block was allocated by a thread that was capturing a graph.
    pub fn is_of_graph(&self, block: BlockId) -> bool {
        self.captured.contains(&block)
    }

    /// The module for which the block was allocated.
    pub fn module_of(&self, block: BlockId) -> Option<&'static str> {
        self.modules.get(&block).copied()
    }

    /// What models use of the block: what for, and bytes.
    pub fn of_model(&self, block: &Block) -> impl Iterator<Item = (&'static str, u64)> {
        let (start, end) = (block.address, block.address.saturating_add(block.size));
        let ranges = self.models.values().flatten();
        ranges.filter_map(move |&(address, bytes, what)| {
            let from = address.max(start);
            let to = address.saturating_add(bytes).min(end);
            (address != 0 && from < to).then(|| (what, to - from))
        })
    }
}
