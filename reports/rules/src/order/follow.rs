//! From calls on record to lines and edges.

use std::collections::BTreeMap;

use aclsan_log::record::Values;
use aclsan_log::{BlockId, SiteId};

use super::accesses::Accesses;
use super::clash::Side;
use super::graphs::Graphs;
use super::lines::{Lines, Point};
use super::lives::Released;
use super::pools::Pools;
use super::signals::Signals;
use super::tensors::Tensors;
use super::touch::Pending;
use crate::block::Block;
use crate::catalogue::Rule;
use crate::family::Family;
use crate::finding::Finding;
use crate::functions::Call;
use crate::ledger::Scene;
use crate::numbers::{ByNumber, Numbers};
use crate::rules::{
    free_in_flight, host_buffer_reused_in_flight, read_before_sync, unordered_access,
    use_after_stream_free, use_before_alloc, workspace_freed_in_flight,
};

/// `ACL_ERROR_RT_WAIT_TIMEOUT`, `ACL_ERROR_RT_STREAM_SYNC_TIMEOUT`, `ACL_ERROR_RT_EVENT_SYNC_TIMEOUT`: the work goes on.
const TIME_OUTS: [i32; 3] = [107_019, 507_046, 507_047];
/// `ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD`: the one failure after which a capture may go on.
const WRONG_THREAD: i32 = 107_038;

/// The order of one process's operations. It hears of its events in the order of the log, and says which of them nothing orders.
#[derive(Default)]
pub struct Order {
    pub(super) lines: Lines,
    pub(super) accesses: Accesses,
    /// Registered host memory, by its start.
    pub(super) registered: BTreeMap<u64, Block>,
    /// What each thread's next call reads and writes.
    pub(super) pending: ByNumber<u32, Vec<Pending>>,
    /// What each thread's last copy or fill was put on.
    pub(super) last: ByNumber<u32, (SiteId, Vec<(BlockId, Point)>)>,
    /// What each thread is giving back in stream order.
    pub(super) freeing: ByNumber<u32, Released>,
    pub(super) tensors: Tensors,
    pub(super) pools: Pools,
    /// Where live stream-ordered blocks were allocated, and on which stream.
    pub(super) pooled: ByNumber<BlockId, Side>,
    /// Blocks that something is known to have written.
    pub(super) written: Numbers<BlockId>,
    /// Whether something may have written blocks unseen.
    pub(super) has_hidden_writes: bool,
    pub(super) graphs: Graphs,
    pub(super) signals: Signals,
    has_contexts: bool,
}

impl Order {
    /// Whether a rule rests on this order, and so on a log that lacks nothing.
    pub fn is_needed_by(rule: &Rule) -> bool {
        [
            &free_in_flight::RULE,
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

    /// A block or a handle was made.
    pub fn made(&mut self, call: &Call, block: &Block) {
        match block.family() {
            Family::Stream => self.lines.made(block.address, call.device),
            Family::Registered => {
                self.registered.insert(block.address, *block);
            }
            Family::CountNotify => self.signals.made(block.address),
            Family::Exported => self.signals.is_shared = true,
            _ => {}
        }
    }

    /// Whether the release of memory is of interest now; hosts need not tell of it otherwise.
    #[inline]
    pub fn follows_blocks(&self) -> bool {
        !self.accesses.is_empty()
            || !self.written.is_empty()
            || !self.pooled.is_empty()
            || self.signals.has_values()
    }

    /// The device's last reset dropped its memory.
    pub fn reset(&mut self, device: i32) {
        self.lines.synchronise_device(device);
        self.signals.reset();
        self.accesses.forget_done(&self.lines);
        self.graphs = Graphs::default(); // Their handles may be given out again.
    }

    /// Whether a capture is going on.
    pub(super) fn is_capturing(&self) -> bool {
        self.graphs.is_capturing()
    }

    /// Queues on a stream. `None` if nothing can be said of its order.
    pub(super) fn queue(&mut self, stream: u64, device: i32) -> Option<Point> {
        let point = self.lines.queue(stream, device);
        let is_doubtful = self.graphs.has(stream) || stream == 0 && self.has_contexts;
        point.filter(|_| !is_doubtful)
    }

    /// A call was made with these values, as its function's row names them, and returned `status`.
    pub fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        thread: u32,
        scene: &dyn Scene,
    ) -> Vec<Finding> {
        let device = call.device;
        let (first, second) = (values.get(0), values.get(1));
        if self.is_wait_of_host(call, first, second, status) {
            return Vec::new();
        }
        let name = call.function.name;
        if name == "aclmdlRICaptureEnd" && status != WRONG_THREAD {
            let graph = if status == 0 { second } else { 0 };
            self.graphs.end(first, graph);
        }
        if status != 0 {
            if name == "aclmdlRIExecuteAsync" {
                self.lines.synchronise(second, device); // It was told of before; it does not run.
            }
            self.pending.remove(&thread);
            self.graphs.refused(call.site);
            return Vec::new();
        }
        match name {
            "aclrtRecordEvent" if self.is_capturing() => {
                self.graphs.recorded(first, second);
                match self.graphs.has(second) {
                    true => self.lines.record_unknown(first),
                    false => self.lines.record(first, second, device),
                }
            }
            "aclrtRecordEvent" => self.lines.record(first, second, device),
            "aclrtStreamWaitEvent"
            | "aclrtStreamWaitEventWithTimeout"
            | "aclrtStreamWaitEventWithFlag" => {
                self.graphs.waits(first, second);
                self.lines.wait(first, device, second);
            }
            // The next record is a new one.
            "aclrtResetEvent" => self.lines.forget_event(first),
            "aclrtRecordNotify" if self.is_capturing() => self.lines.notify_unknown(first),
            "aclrtRecordNotify" => self.lines.notify(first, second, device),
            "aclrtNotifyBatchReset" => self.lines.forget_notifies(),
            "aclrtWaitAndResetNotify" => self.lines.wait_for_notify(first, second, device),
            "aclrtCntNotifyRecord" | "aclrtCntNotifyReset" => self.count_record(call, values),
            "aclrtCntNotifyWaitWithTimeout" => self.count_wait(call, values),
            "aclrtValueWrite" => {
                if self.is_seen_by_host(first, scene) {
                    self.tells_host(values.get(2), device);
                }
                self.value_write(call, values, scene);
            }
            "aclrtValueWait" => self.value_wait(call, values),
            "aclrtLaunchCallback" | "aclrtLaunchHostFunc" => self.tells_host(first, device),
            "aclmdlRICaptureBegin" | "aclmdlRICaptureToModelRIBegin" => self.graphs.begin(first),
            "aclmdlRICaptureTaskUpdateBegin" => self.graphs.begin_update(first),
            "aclmdlRICaptureTaskUpdateEnd" => self.graphs.end(first, 0),
            "aclmdlRIDestroy" => self.graphs.destroyed(first),
            "aclrtSetExceptionInfoCallback" => {} // in a thread that may be amid another call
            "aclrtCreateContext" => self.has_contexts = true,
            "aclrtMemPoolMallocAsync" => self.pool_allocation(call, values, scene),
            "aclrtMemPoolSetAttr" => self.pools.set(first, second, values.get(2)),
            "aclrtMemPoolFreeAsync" => return self.freed_on(call, second, thread),
            "aclCreateTensor" => self.tensor(values, thread),
            _ if call.function.values.first() == Some(&"tensor") => self.point_elsewhere(first),
            _ if call.function.is_phase_one() => self.phase_one(first, thread),
            _ => {
                self.note_hidden_writes(call);
                let mut found = self.launched(call, thread);
                match name {
                    "aclmdlRIExecute" => found.extend(self.runs(call, first, None, scene)),
                    "aclmdlRIExecuteAsync" => {
                        found.extend(self.runs(call, first, Some(second), scene));
                    }
                    _ => {}
                }
                if call.function.is_phase_two() {
                    found.extend(self.phase_two(call, first, values.get(3), scene));
                }
                return found;
            }
        }
        Vec::new()
    }

    /// Whether the call is one by which the host learns that something is done; then it has.
    fn is_wait_of_host(&mut self, call: &Call, first: u64, second: u64, status: i32) -> bool {
        let is_done = !TIME_OUTS.contains(&status);
        let lines = &mut self.lines;
        match call.function.name {
            "aclrtSynchronizeStream" | "aclrtSynchronizeStreamWithTimeout" if is_done => {
                if first == 0 && self.has_contexts {
                    lines.synchronise(0, -1); // of whichever context
                } else {
                    lines.synchronise(first, call.device);
                }
            }
            // What it was running is stopped, what was waiting is dropped.
            "aclrtStreamAbort" if status == 0 => lines.synchronise(first, call.device),
            "aclrtDeviceTaskAbort" if status == 0 => {
                lines.synchronise_device(first as u32 as i32);
            }
            "aclrtSynchronizeDevice" | "aclrtSynchronizeDeviceWithTimeout" if is_done => {
                lines.synchronise_device(call.device);
            }
            "aclrtResetDevice" | "aclrtResetDeviceForce" if status == 0 => {
                lines.synchronise_device(first as u32 as i32);
            }
            "aclFinalize" | "aclFinalizeReference" | "aclrtDestroyContext" => {
                lines.synchronise_device(-1);
                self.graphs = Graphs::default(); // Their handles may be given out again.
            }
            "aclrtSynchronizeEvent" | "aclrtSynchronizeEventWithTimeout" if is_done => {
                lines.synchronise_event(first);
            }
            // `ACL_STREAM_STATUS_COMPLETE`, `ACL_EVENT_STATUS_COMPLETE`, `ACL_EVENT_WAIT_STATUS_COMPLETE` are 0,
            // `ACL_EVENT_RECORDED_STATUS_COMPLETE` is 1.
            "aclrtStreamQuery" if status == 0 && second == 0 => {
                lines.synchronise(first, call.device);
            }
            "aclrtQueryEvent" | "aclrtQueryEventWaitStatus" if status == 0 && second == 0 => {
                lines.synchronise_event(first);
            }
            "aclrtQueryEventStatus" if status == 0 && second == 1 => {
                lines.synchronise_event(first);
            }
            // They fail unless the events are done.
            "aclrtEventGetTimestamp" if status == 0 => lines.synchronise_event(first),
            "aclrtEventElapsedTime" if status == 0 => {
                lines.synchronise_event(first);
                lines.synchronise_event(second);
            }
            _ => return false,
        }
        true
    }
}
