//! The call site of an operator's phase two on another thread than phase one's: the functions that called phase one follow the thread's own frames.
//!
//! torch_npu leaves phase two to a thread of its own, whose stack names nobody. Programs without Python have their own stacks only, and pay one
//! load and one branch in both phases.

use super::Recorder;
use super::call_site::intern_site;
use crate::state::planners::Planner;
use crate::state::thread;
use aclsan_log::branch::unlikely;
use aclsan_log::{CallSiteId, PythonFrame};
use aclsan_rules::api::functions::Call;
use aclsan_tables::call_sites;
use aclsan_unwind::{Stack, python};

impl Recorder<'_> {
    /// Phase one has returned `executor` to `call`.
    #[inline]
    pub fn note_planner(&self, executor: u64, call: &Call) {
        if python::is_read() {
            let planner = Planner {
                site: call.site,
                tid: self.thread.tid,
            };
            self.process.calls.planners.planned(executor, planner);
        }
    }

    /// The call of phase two.
    #[inline]
    pub fn call_of_plan(&mut self, executor: u64) -> Call {
        match python::is_read() {
            true => self.call_with_planner(executor),
            false => self.call(0),
        }
    }

    /// Fetches what [`Self::note_planner`] and [`Self::call_of_plan`] look the executor up in.
    #[inline(always)]
    pub fn prefetch_planner(&self, executor: u64) {
        self.process.calls.planners.prefetch(executor);
    }

    // Not inlined into runs of programs without Python.
    #[inline(never)]
    fn call_with_planner(&mut self, executor: u64) -> Call {
        let planners = &self.process.calls.planners;
        // Calls that are not sampled have no stack.
        if unlikely(self.thread.samples_stacks) {
            planners.take(executor);
            return self.call(0);
        }
        planners.prefetch(executor);
        let stack = self.capture();
        let other = |planner: &Planner| planner.tid != self.thread.tid;
        let planner = planners.take(executor).filter(other);
        let call = self.call_without_stack(0);
        let site = match planner {
            Some(planner) => self.site_with_planner(&call, stack, planner.site),
            None => self.site_of(stack, call.device, 0),
        };
        Call { site, ..call }
    }

    fn site_with_planner(&mut self, call: &Call, stack: Stack, planner: CallSiteId) -> CallSiteId {
        let process = self.process;
        // Odd, so that no two planners make the same number. The thread has no Python frames to hash.
        let whole = stack.hash ^ u64::from(planner.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let epoch = aclsan_unwind::modules::stack_epoch();
        let key = self.key(call.device, call.argument);
        let hash = call_sites::hash(key.number, key.argument, key.device, whole ^ epoch);
        if let Some(id) = self.known_site(stack, hash) {
            return id;
        }
        // A thread with Python of its own has a stack that says enough. Asked last: it has no stack of a thread without.
        if python::is_own_thread() {
            return self.site_of(stack, call.device, call.argument);
        }
        if process.log.call_sites.is_full() {
            return self.site_without_stack(&key);
        }
        let outer = process.log.call_sites.get(planner);
        let outer = outer.map_or_else(Box::default, |known| known.frames);
        // Threads of autograd have no Python frames, either.
        let mut python = outer.iter().map(|&frame| PythonFrame::of(frame));
        let first = python.position(|frame| frame.is_some());
        let outer = &outer[first.unwrap_or(0)..];
        let stack = self.with_frames(stack);
        let trace = &self.thread.trace;
        thread::run_on_big_stack(|| intern_site(process, &key, whole, &trace.frames(stack), outer))
    }
}
