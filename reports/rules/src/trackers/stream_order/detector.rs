//! Maps recorded calls to timelines and edges.

use super::state::RaceDetector;

use aclsan_log::record::Values;

use crate::api::block::Block;
use crate::api::family::Family;
use crate::api::function::SyncRole;
use crate::api::functions::{Call, Function};
use crate::evidence::finding::Finding;
use crate::evidence::rule::Rule;
use crate::rules::{
    free_in_flight, host_access_in_flight, host_buffer_reused_in_flight, read_before_sync,
    unordered_access, use_after_stream_free, use_before_alloc, workspace_freed_in_flight,
};
use crate::trackers::model_memory::ModelMemory;
use crate::trackers::objects::HeapView;

impl RaceDetector {
    /// Whether a rule rests on happens-before, and so needs a log without gaps.
    pub fn is_needed_by(rule: &Rule) -> bool {
        [
            &free_in_flight::RULE,
            &host_access_in_flight::RULE,
            &host_buffer_reused_in_flight::RULE,
            &read_before_sync::RULE,
            &use_before_alloc::RULE,
            &use_after_stream_free::RULE,
            &unordered_access::RULE,
            &workspace_freed_in_flight::RULE,
        ]
        .iter()
        .any(|other| other.name == rule.name)
    }

    /// A block or a handle was created.
    pub fn made(&mut self, call: &Call, block: &Block) {
        match block.family() {
            Family::Stream => self.made_stream(call, block),
            Family::Event => self.made_event(call, block),
            Family::Registered => {
                self.registered.insert(block.address, *block);
            }
            Family::CountNotify => self.semaphores.made(block.address),
            Family::Exported => self.semaphores.is_shared = true,
            _ => {}
        }
    }

    /// The device's last reset dropped its memory.
    pub fn reset(&mut self, device: i32) {
        self.timelines.acquire_host_device(device);
        self.timelines.forget_default_aliases();
        self.semaphores.reset();
        self.accesses.prune_done(&self.timelines);
        self.graphs.reset(device);
        self.models = ModelMemory::default(); // Those of other devices, too: their numbers do not tell.
    }

    /// A stream records `event`, while nothing is captured.
    #[inline(always)]
    pub fn record(&mut self, event: u64, stream: u64, device: i32) {
        if !self.timelines.release_fast(event, stream) {
            self.timelines.release(event, stream, device);
        }
    }

    /// `stream` waits for `event`, while nothing is captured.
    #[inline(always)]
    pub fn wait(&mut self, stream: u64, event: u64, device: i32) {
        if !self.timelines.acquire_fast(stream, event) {
            self.timelines.acquire(stream, device, event);
        }
    }

    /// Whether there are tensors that an operator may use. Otherwise hosts need not report successful first phases.
    #[inline(always)]
    pub fn follows_tensors(&self) -> bool {
        !self.tensors.are_unknown()
    }

    /// Whether a call of the function may change [`RaceDetector::follows_tensors`] from `false` to `true`, or is one that need not be reported.
    #[inline(always)]
    pub fn is_about_tensors(function: &Function) -> bool {
        let role = function.attributes.sync_role;
        matches!(
            role,
            SyncRole::MakeTensor | SyncRole::PlanTensors | SyncRole::PhaseOne
        )
    }

    /// A call returned `status`. `values` are named by its function's row.
    #[inline]
    pub fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        thread: u32,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        let first = [values.get(0), values.get(1)];
        match self.is_of_untracked_operator(call, status, values.get(3), thread)
            || self.followed(call, first, status)
        {
            true => Vec::new(),
            false => self.called_other(call, values, status, thread, view),
        }
    }

    /// Handles the phases of an operator whose tensors and ranges nobody has reported: frameworks run out of their caches.
    #[inline(always)]
    fn is_of_untracked_operator(
        &mut self,
        call: &Call,
        status: i32,
        stream: u64,
        thread: u32,
    ) -> bool {
        let role = call.function.attributes.sync_role;
        let is_phase = matches!(role, SyncRole::PhaseOne | SyncRole::PhaseTwo);
        if !is_phase || status != 0 || !self.tensors.are_unknown() {
            return false;
        }
        if role == SyncRole::PhaseTwo {
            let known = self.threads.get_cached(thread);
            if known.is_some_and(|known| !known.pending.is_empty()) {
                return false;
            }
            self.has_hidden_writes = true;
            self.faults.queued_hidden(stream, call.site);
        }
        true
    }

    /// Handles the calls that programs with many streams make all the time, given their first two values. Returns
    /// `false` if the call is not one of them; then call [`RaceDetector::called`]. No such call has findings.
    #[inline]
    pub fn followed(&mut self, call: &Call, [first, second]: [u64; 2], status: i32) -> bool {
        let role = call.function.attributes.sync_role;
        match role {
            SyncRole::Record if status == 0 && !self.is_capturing() => {
                self.timelines.release(first, second, call.device);
            }
            SyncRole::Wait if status == 0 && !self.is_capturing() => {
                self.timelines.acquire(first, call.device, second);
            }
            _ => return role.is_wait() && self.has_waited(role, call, first, second, status),
        }
        true
    }

    /// Calls other than host waits, and waits that prove nothing.
    #[inline(never)]
    fn called_other(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        thread: u32,
        view: &dyn HeapView,
    ) -> Vec<Finding> {
        let device = call.device;
        let (first, second) = (values.get(0), values.get(1));
        let role = call.function.attributes.sync_role;
        if role == SyncRole::EndCapture && status != call.function.vendor().foreign_capture {
            let graph = if status == 0 { second } else { 0 };
            self.graphs.end(first, graph);
        }
        if status != 0 {
            if role == SyncRole::QueueGraph {
                self.timelines.acquire_host(second, device); // It was reported before and does not run.
            }
            self.threads.entry(thread).pending.clear();
            self.graphs.refused(call.site);
            return Vec::new();
        }
        match role {
            SyncRole::Record | SyncRole::RecordByFlag => {
                let is_external = role == SyncRole::RecordByFlag && values.get(2) != 0;
                if !is_external {
                    self.graphs.recorded(first, second);
                }
                match is_external || self.graphs.has(second) {
                    true => self.timelines.release_unknown(first),
                    false => self.timelines.release(first, second, device),
                }
            }
            SyncRole::Wait => {
                self.graphs.waits(first, second);
                self.timelines.acquire(first, device, second);
            }
            // The next record is a new one.
            SyncRole::ResetEvent => self.timelines.forget_event(first),
            SyncRole::Notify if self.may_run_later(second) => {
                self.timelines.release_notify_unknown(first);
            }
            SyncRole::Notify => self.timelines.release_notify(first, second, device),
            SyncRole::ResetNotifies => self.timelines.forget_notifies(),
            SyncRole::WaitForNotify => {
                self.graphs.waits_for_others(second);
                self.timelines.acquire_notify(first, second, device);
            }
            SyncRole::Count => self.count_record(call, values),
            SyncRole::WaitForCount => self.count_wait(call, values),
            SyncRole::WriteValue => {
                if self.is_seen_by_host(first, view) {
                    self.notifies_host(values.get(2), device);
                }
                self.value_write(call, values, view);
            }
            SyncRole::WaitForValue => self.value_wait(call, values),
            SyncRole::TellHost => self.notifies_host(first, device),
            SyncRole::BeginCapture => self.graphs.begin(first, device),
            SyncRole::BeginUpdate => self.graphs.begin_update(first, device),
            SyncRole::EndUpdate => self.graphs.end(first, 0),
            SyncRole::DestroyGraph => self.graphs.destroyed(first),
            SyncRole::BuildGraph => self.graphs.build(first, device),
            SyncRole::BindStream => self.graphs.bind(first, second, values.get(2), device),
            SyncRole::UnbindStream => self.graphs.unbind(first, second),
            SyncRole::Branch => self.graphs.persistent.branches(first),
            SyncRole::ChangeGraph => self.graphs.changed(first),
            SyncRole::ChangeGraphs => self.graphs.all_changed(),
            SyncRole::ExpectFault => self.faults.expect(),
            SyncRole::Nothing => {}
            // Each context has a default stream of its own.
            SyncRole::NameDefault if self.has_contexts => {}
            SyncRole::NameDefault => self.timelines.alias_default(first, device),
            SyncRole::SetDevice => self.devices.set(first as u32 as i32),
            SyncRole::CreateContext => {
                self.has_contexts = true;
                self.timelines.forget_default_aliases();
                self.devices.open(second, first as u32 as i32);
            }
            SyncRole::AllocateOn => self.pool_allocation(call, values, view),
            SyncRole::SetPool => self.pools.set(first, second, values.get(2)),
            SyncRole::FreeOn => return self.freed_on(call, second, thread),
            SyncRole::SetModel => self.model(call, values, view),
            SyncRole::MakeTensor => self.tensor(values, thread),
            SyncRole::PlanTensors => {
                self.tensors
                    .planned(first, values.all().get(1..).unwrap_or_default());
            }
            SyncRole::PointTensor => self.point_elsewhere(first),
            SyncRole::PhaseOne => self.phase_one(first, thread),
            _ => {
                self.has_hidden_writes |= call.function.attributes.hides_writes;
                let mut found = self.launched(call, thread);
                match role {
                    // Runs on the default stream and waits for it (runtime 681ef761, `Model::GetExecuteStream`,
                    // `SynchronizeExecute`).
                    SyncRole::RunGraph => {
                        found.extend(self.runs(call, first, 0, view));
                        self.synchronize(0, device);
                    }
                    SyncRole::QueueGraph => found.extend(self.runs(call, first, second, view)),
                    SyncRole::QueueModel => {
                        found.extend(self.runs_model(call, first, second, view))
                    }
                    SyncRole::PhaseTwo => {
                        found.extend(self.phase_two(call, first, values.get(3), view));
                    }
                    _ => {}
                }
                return found;
            }
        }
        Vec::new()
    }
}
