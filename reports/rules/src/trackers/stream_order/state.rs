//! What is known of one process's order, and what every kind of call asks of it.

use std::collections::BTreeMap;

use aclsan_log::BlockId;

use super::access_history::{Access, Kind, Range, ShadowState};
use super::epoch::Epoch;
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

/// The order of one process's operations. It hears of its events in the order of the log, and says which of them nothing orders.
#[derive(Default)]
pub struct RaceDetector {
    pub(super) timelines: HappensBefore,
    pub(super) accesses: ShadowState,
    /// Registered host memory, by its start.
    pub(super) registered: BTreeMap<u64, Block>,
    pub(super) threads: SlotMap<u32, Thread>,
    pub(super) latest: Latest,
    pub(super) tensors: Tensors,
    pub(super) pools: Pools,
    /// Where live stream-ordered blocks were allocated, and on which stream.
    pub(super) pooled: FastMap<BlockId, RaceAccess>,
    /// Whether something may have written blocks unseen.
    pub(super) has_hidden_writes: bool,
    pub(super) graphs: Graphs,
    pub(super) semaphores: Semaphores,
    pub(super) models: ModelMemory,
    /// What keeps devices open, of what was seen since the last `aclFinalize`: what was not makes a reset the last one too early.
    pub(super) devices: DeviceRefcount,
    pub(super) has_contexts: bool,
}

impl RaceDetector {
    /// Whether the release of memory is of interest now; hosts need not tell of it otherwise.
    #[inline]
    pub fn wants_blocks(&self) -> bool {
        !self.accesses.is_empty() || !self.pooled.is_empty() || self.semaphores.has_values()
    }

    /// The old name of [`RaceDetector::wants_blocks`].
    #[inline]
    pub fn follows_blocks(&self) -> bool {
        self.wants_blocks()
    }

    /// Whether nothing is afoot but streams and events: no capture, no model's stream, no value in memory that streams wait for.
    pub fn is_plain(&self) -> bool {
        !self.is_capturing() && !self.semaphores.has_values()
    }

    /// Whether a capture is going on, or a stream is there that keeps what it is given.
    #[inline]
    pub fn is_capturing(&self) -> bool {
        !self.graphs.are_idle()
    }

    /// Queues on a stream. `None` if nothing can be said of its order.
    #[inline(never)]
    pub(super) fn queue(&mut self, stream: u64, device: i32) -> Option<Epoch> {
        let epoch = self.timelines.push(stream, device);
        let is_doubtful = self.graphs.has(stream) || stream == 0 && self.has_contexts;
        epoch.filter(|_| !is_doubtful)
    }

    /// Whether what `stream` is given, or what others are, may run with a graph.
    pub(super) fn may_run_later(&self, stream: u64) -> bool {
        self.graphs.is_capturing() || self.graphs.has(stream)
    }

    /// The registered range that holds an address of which nothing else is known.
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
