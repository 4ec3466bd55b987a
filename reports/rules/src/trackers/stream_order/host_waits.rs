//! What the host acquires: by its waits, its queries, and the ends of streams, contexts and devices.

use super::state::RaceDetector;
use crate::api::function::SyncRole;
use crate::api::functions::{Call, Role};
use crate::trackers::heap::DeviceRefcount;
use crate::trackers::model_memory::ModelMemory;

impl RaceDetector {
    /// The host waited for a stream.
    pub(super) fn synchronize(&mut self, stream: u64, device: i32) {
        let is_any = stream == 0 && self.has_contexts; // of any context
        self.timelines
            .acquire_host(stream, if is_any { -1 } else { device });
    }

    /// Whether the call proves that something has completed. If so, the host acquires it.
    #[inline(never)]
    pub(super) fn has_waited(
        &mut self,
        role: SyncRole,
        call: &Call,
        first: u64,
        second: u64,
        status: i32,
    ) -> bool {
        let is_done = !call.function.vendor().time_outs.contains(&status);
        // From CANN 9.1 on, it returns at once with success (`ApiErrorDecorator::StreamSynchronize`). For which of its
        // model's executions it waited before that is not documented.
        let is_kept = matches!(role, SyncRole::SynchronizeStream | SyncRole::QueryStream)
            && self.graphs.persistent.has(first);
        let timelines = &mut self.timelines;
        match role {
            SyncRole::SynchronizeStream if is_done && is_kept => timelines.acquire_host_device(-1),
            SyncRole::QueryStream if status == 0 && second == 0 && is_kept => {
                timelines.acquire_host_device(-1);
            }
            SyncRole::SynchronizeStream if is_done => {
                self.faults.waited(Some(first));
                self.synchronize(first, call.device);
            }
            // Running work is stopped, waiting work is dropped.
            SyncRole::AbortStream if status == 0 => timelines.acquire_host(first, call.device),
            SyncRole::AbortDevice if status == 0 => {
                timelines.acquire_host_device(first as u32 as i32)
            }
            SyncRole::ResetDevice if status == 0 => {
                let device = first as u32 as i32;
                let is_forced = call.function.role == Role::ResetDeviceForce;
                // One of several references only counts down (runtime 681ef761).
                if is_forced || self.devices.is_last_reference(device) {
                    timelines.acquire_host_device(device);
                }
                self.devices.reset(device, is_forced);
            }
            SyncRole::SynchronizeDevice if is_done => {
                self.faults.waited(None);
                timelines.acquire_host_device(call.device);
            }
            // That many references are left, so nothing ends. The value is 0 if the program does not ask for the count.
            SyncRole::EndReference if status == 0 && first > 0 => {}
            SyncRole::EndAll | SyncRole::EndReference => {
                timelines.acquire_host_device(-1);
                self.graphs.ended(); // Their handles may be reused.
                self.devices = DeviceRefcount::default();
                self.models = ModelMemory::default();
            }
            // A context that was not seen created may be any device's.
            SyncRole::DestroyContext if status == 0 => {
                let device = self.devices.device_of(first).unwrap_or(-1);
                self.devices.close(first);
                timelines.acquire_host_device(device);
                self.graphs.destroyed_with(device);
            }
            SyncRole::SynchronizeEvent if is_done => timelines.acquire_host_event(first),
            // `ACL_STREAM_STATUS_COMPLETE`, `ACL_EVENT_STATUS_COMPLETE`, `ACL_EVENT_WAIT_STATUS_COMPLETE` are 0,
            // `ACL_EVENT_RECORDED_STATUS_COMPLETE` is 1.
            SyncRole::QueryStream if status == 0 && second == 0 => {
                timelines.acquire_host(first, call.device);
            }
            SyncRole::QueryEvent if status == 0 && second == 0 => {
                timelines.acquire_host_event(first)
            }
            SyncRole::QueryRecord if status == 0 && second == 1 => {
                timelines.acquire_host_event(first)
            }
            // They fail unless the events have completed.
            SyncRole::ReadTime if status == 0 => timelines.acquire_host_event(first),
            SyncRole::CompareTimes if status == 0 => {
                timelines.acquire_host_event(first);
                timelines.acquire_host_event(second);
            }
            _ => return false,
        }
        true
    }
}
