//! Errors of the device: which work was queued when a wait returned one, as far as accesses tell.

use super::epoch::{Epoch, HOST};
use super::state::RaceDetector;
use crate::api::block::{AddressInfo, Block};
use crate::api::function::SyncRole;
use crate::api::functions::{Call, Effect};
use crate::evidence::device_fault::QueuedWork;
use crate::evidence::finding::Finding;
use crate::rules::device_fault;
use crate::trackers::objects::HeapView;
use aclsan_log::{CallSiteId, Values};
use std::collections::VecDeque;

/// Operators without known tensors that are remembered.
const MAX_HIDDEN: usize = 4;
/// Blocks released in flight that are remembered.
const MAX_RELEASED: usize = 64;

/// What accesses to live blocks do not tell.
#[derive(Default)]
pub(super) struct Faults {
    /// The last operators whose tensors nobody reported: stream and place. A ring.
    hidden: [(u64, CallSiteId); MAX_HIDDEN],
    next: usize,
    /// Blocks that queued work still used when they were released: that work, and who released them.
    released: VecDeque<(Epoch, Block, CallSiteId)>,
    /// Whether one was reported: the runtime returns it to every call that follows.
    is_reported: bool,
    /// Whether an index was found out of range since the last error: the next one is its consequence.
    is_expected: bool,
}

impl Faults {
    /// An operator was queued, and what it uses is unknown.
    #[inline(always)]
    pub fn queued_hidden(&mut self, stream: u64, site: CallSiteId) {
        self.hidden[self.next] = (stream, site);
        self.next = (self.next + 1) % MAX_HIDDEN;
    }

    /// The host waited for a stream, or for all.
    #[inline(always)]
    pub fn waited(&mut self, stream: Option<u64>) {
        for hidden in &mut self.hidden {
            if stream.is_none_or(|stream| stream == hidden.0) {
                hidden.1 = CallSiteId(0);
            }
        }
    }

    /// An index of an operator is out of range, which is reported.
    pub fn expect(&mut self) {
        self.is_expected = true;
    }

    /// A block was released while the work at `epoch` used it.
    #[cold]
    pub fn released(&mut self, epoch: Epoch, block: &Block, site: CallSiteId) {
        if self.released.len() == MAX_RELEASED {
            self.released.pop_front();
        }
        self.released.push_back((epoch, *block, site));
    }

    /// Operators without known tensors on a stream, or on any, the latest first.
    fn hidden(&self, stream: Option<u64>) -> impl Iterator<Item = CallSiteId> {
        let latest_first =
            (1..=MAX_HIDDEN).map(|back| (self.next + MAX_HIDDEN - back) % MAX_HIDDEN);
        latest_first
            .map(|at| self.hidden[at])
            .filter(move |hidden| stream.is_none_or(|stream| stream == hidden.0))
            .map(|(_, site)| site)
            .filter(|&site| site != CallSiteId(0))
    }
}

impl RaceDetector {
    /// A call returned an error of the device. Asked before [`RaceDetector::called`], which takes what was queued for complete.
    #[cold]
    pub fn fault(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        let returns_errors = call.function.effect() == Effect::ReturnErrors;
        if !returns_errors || !call.function.vendor().faults.is_trap(status) {
            return None;
        }
        let role = call.function.attributes.sync_role;
        let is_of_stream = matches!(role, SyncRole::SynchronizeStream | SyncRole::QueryStream);
        let stream = is_of_stream.then(|| values.get(0));
        if std::mem::take(&mut self.faults.is_expected) {
            self.faults.is_reported = true;
            return None;
        }
        let work = self.queued_work(stream, call.device, view);
        if self.faults.is_reported && work.sites.is_empty() {
            return None;
        }
        self.faults.is_reported = true;
        Some(device_fault::check(call, status, stream.is_some(), &work))
    }

    fn queued_work(&mut self, stream: Option<u64>, device: i32, view: &dyn HeapView) -> QueuedWork {
        let timeline = stream.map(|stream| self.timelines.known(stream, device));
        let is_meant = |epoch: Epoch| {
            timeline.is_none_or(|timeline| timeline == Some(epoch.timeline))
                && !self.timelines.is_before(epoch, HOST)
        };
        let mut queued: Vec<_> = self
            .accesses
            .all()
            .filter(|access| is_meant(access.epoch))
            .collect();
        queued.sort_by_key(|access| (access.epoch.time, access.epoch.timeline, access.from));
        let latest = queued.last().map(|access| access.epoch);
        let of_latest = queued.iter().filter(|access| Some(access.epoch) == latest);
        let blocks = of_latest.filter_map(|access| match view.place(access.from) {
            AddressInfo::Live(block, _) => Some(block),
            _ => None,
        });
        let blocks = blocks.collect();
        let mut sites: Vec<CallSiteId> = self.faults.hidden(stream).collect();
        sites.extend(queued.iter().rev().map(|access| access.side.call.site));
        let mut released = self.faults.released.iter().rev();
        let released = released.find(|(epoch, ..)| is_meant(*epoch));
        QueuedWork::new(
            sites,
            blocks,
            released.map(|&(_, block, site)| (block, site)),
        )
    }
}
