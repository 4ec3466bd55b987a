//! The detector's state, and what every kind of call asks of it.

use std::collections::BTreeMap;

use aclsan_log::BlockId;

use super::access::{Access, Kind, Range};
use super::access_history::ShadowState;
use super::epoch::Epoch;
use super::faults::Faults;
use super::gaps::Gaps;
use super::graphs::Graphs;
use super::per_thread::{Latest, Thread};
use super::pools::Pools;
use super::semaphores::Semaphores;
use super::slot_map::SlotMap;
use super::tensors::Tensors;
use super::timelines::HappensBefore;
use crate::api::block::{AddressInfo, Block};
use crate::api::fast_hash::FastMap;
use crate::api::functions::Call;
use crate::evidence::race::RaceAccess;
use crate::trackers::heap::DeviceRefcount;
use crate::trackers::model_memory::ModelMemory;

/// Finds races among one process's operations. It is given the events in the order of the log and reports accesses that
/// nothing orders.
#[derive(Default)]
pub struct RaceDetector {
    pub(super) timelines: HappensBefore,
    pub(super) accesses: ShadowState,
    /// Registered host memory, by start address.
    pub(super) registered: BTreeMap<u64, Block>,
    pub(super) threads: SlotMap<u32, Thread>,
    pub(super) latest: Latest,
    pub(super) tensors: Tensors,
    pub(super) pools: Pools,
    /// Live stream-ordered blocks: where and on which stream they were allocated.
    pub(super) pooled: FastMap<BlockId, RaceAccess>,
    /// Whether anything may have written blocks unseen.
    pub(super) has_hidden_writes: bool,
    pub(super) graphs: Graphs,
    pub(super) semaphores: Semaphores,
    pub(super) models: ModelMemory,
    /// References that keep devices open, as seen since the last `aclFinalize`. Unseen references make a reset look
    /// like the last one too early.
    pub(super) devices: DeviceRefcount,
    pub(super) has_contexts: bool,
    pub(super) gaps: Gaps,
    pub(super) faults: Faults,
}

impl RaceDetector {
    /// Recording was stopped: what was queued until now may have been waited for unseen. Streams and edges are kept, as those that were
    /// not seen would only order more of what was queued before.
    pub fn forget_queued(&mut self) {
        self.accesses = ShadowState::default();
        self.threads = SlotMap::default();
        self.latest = Latest::default();
        self.tensors = Tensors::default();
        self.pooled = FastMap::default();
        self.gaps = Gaps::default();
        self.faults = Faults::default();
        self.has_hidden_writes = true;
    }

    /// Whether releases of memory matter now. Otherwise hosts need not report them.
    #[inline]
    pub fn wants_blocks(&self) -> bool {
        !self.accesses.is_empty() || !self.pooled.is_empty() || self.semaphores.has_values()
    }

    /// Whether there are only streams and events: no capture, no stream of a model, no value in memory that streams
    /// wait for.
    pub fn is_plain(&self) -> bool {
        !self.is_capturing() && !self.semaphores.has_values()
    }

    /// Whether a capture is running, or some stream stores its work instead of running it.
    #[inline]
    pub fn is_capturing(&self) -> bool {
        !self.graphs.are_idle()
    }

    /// Queues an operation on a stream. `None` if its order is unknown.
    #[inline(never)]
    pub(super) fn queue(&mut self, stream: u64, device: i32) -> Option<Epoch> {
        let epoch = self.timelines.push(stream, device);
        let is_doubtful = self.graphs.has(stream) || stream == 0 && self.has_contexts;
        epoch.filter(|_| !is_doubtful)
    }

    /// Whether work queued on `stream`, or on any captured stream, may run later with a graph.
    pub(super) fn may_run_later(&self, stream: u64) -> bool {
        self.graphs.is_capturing() || self.graphs.has(stream)
    }

    /// The registered range that holds an address, if nothing else is known of it.
    #[inline]
    pub(super) fn registered_at(&self, address: u64, place: &AddressInfo) -> Option<Block> {
        if !matches!(place, AddressInfo::Unknown) || self.registered.is_empty() {
            return None;
        }
        let (_, block) = self.registered.range(..=address).next_back()?;
        block.covers(address).then_some(*block)
    }

    #[inline]
    pub(super) fn access(&self, call: &Call, epoch: Epoch, range: Range, kind: Kind) -> Access {
        let timeline_kind = self.timelines.kind_of(epoch.timeline);
        Access::new(call, epoch, timeline_kind, range, kind)
    }
}
