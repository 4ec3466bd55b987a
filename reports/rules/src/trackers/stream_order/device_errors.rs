//! Errors of the device: which work was queued when a call returned one.

use super::epoch::{Epoch, HOST};
use super::state::RaceDetector;
use crate::api::block::AddressInfo;
use crate::api::function::SyncRole;
use crate::api::functions::{Call, Effect};
use crate::evidence::device_fault::QueuedWork;
use crate::evidence::finding::Finding;
use crate::rules::device_fault;
use crate::trackers::objects::HeapView;
use aclsan_log::{CallSiteId, Values};

impl RaceDetector {
    /// A call returned an error of the device. Asked before [`RaceDetector::called`], which takes what was queued for complete.
    pub fn fault(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        if call.function.effect() != Effect::ReturnErrors {
            return None;
        }
        let role = call.function.attributes.sync_role;
        let is_of_stream = matches!(role, SyncRole::SynchronizeStream | SyncRole::QueryStream);
        let stream = is_of_stream.then(|| values.get(0));
        self.fault_on(call, stream, status, view)
    }

    /// A copy or fill that was to be queued on a stream was refused with an error of the device: the runtime waits for the stream if the host
    /// memory is pageable. Asked after [`RaceDetector::refused`].
    pub fn fault_of_refused(
        &mut self,
        call: &Call,
        stream: u64,
        status: i32,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        let is_queued = call.function.is_async;
        is_queued.then(|| self.fault_on(call, Some(stream), status, view))?
    }

    fn fault_on(
        &mut self,
        call: &Call,
        stream: Option<u64>,
        status: i32,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        if !call.function.vendor().faults.is_trap(status) {
            return None;
        }
        let work = self.queued_work(stream, call.device, view);
        let is_news = self.faults.is_news(!work.sites.is_empty());
        is_news.then(|| device_fault::check(call, status, stream.is_some(), &work))
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
        let mut released = self.faults.releases();
        let released = released.find(|(epoch, ..)| is_meant(*epoch));
        QueuedWork::new(
            sites,
            blocks,
            released.map(|&(_, block, site)| (block, site)),
        )
    }
}
