//! One call of a hooked function: what every behaviour needs, and nothing that formats, decides or calls the runtime.

use super::Recorder;
use crate::runtime::next::Interceptor;
use crate::state::process::Process;
use crate::state::thread::{ReentrancyGuard, Thread};
use aclsan_log::Event;
use aclsan_os::status::{OFF, STATE};
use aclsan_os::{clock, stderr};
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::api::functions::Function;
use aclsan_unwind::frame::Frame;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;

/// Puts an event on record that no call of the program's makes, whichever thread comes by.
pub fn log_event(inside: &ReentrancyGuard, process: &'static Process, event: &Event) {
    let ticks = clock::ticks(clock::source());
    Thread::with(inside, |thread| {
        thread.write(process, |encoder, room| encoder.event(room, ticks, event));
    });
}

/// A call that entered a hook. While it lives, the thread's further calls are only forwarded.
pub struct Hook {
    inside: ReentrancyGuard,
    /// What was called.
    pub function: &'static Function,
    pub(super) function_id: u16,
    pub(super) leaf: Frame,
    /// The code that `leaf` lies in, where that is not the shim's.
    pub(super) own_range: Option<(u64, u64)>,
    /// Whether nothing is recorded: blocks that we have moved are found all the same.
    is_off: bool,
}

impl Hook {
    /// `None` for a call from inside another hook. `leaf` is the exported function's own frame, where the stack is walked from; with
    /// `is_off` nothing is recorded.
    #[inline(always)]
    pub fn enter(row: &'static Interceptor, leaf: Frame, is_off: bool) -> Option<Self> {
        let inside = ReentrancyGuard::enter_at(leaf)?;
        let (function, function_id) = row.function();
        if row.is_impl_alias() && inside.is_continuation(function_id) {
            return None;
        }
        Some(Self {
            inside,
            function,
            function_id,
            leaf,
            own_range: None,
            is_off,
        })
    }

    /// The same moment, recorded as the known call `number`.
    pub fn into_call(self, function_id: u16) -> Self {
        let function = &FUNCTIONS[usize::from(function_id)];
        Self {
            function,
            function_id,
            ..self
        }
    }

    /// Whether nothing is recorded any more.
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// The same call, entered through another library of ours, whose code is at `own`.
    pub fn with_own_range(self, own_range: Option<(u64, u64)>) -> Self {
        Self { own_range, ..self }
    }

    /// Forwards a call from which the runtime calls the program back: what the program does there counts.
    pub fn allow_callbacks<T>(&self, forward: impl FnOnce() -> T) -> T {
        self.inside
            .allow_callbacks(self.function_id, self.leaf, forward)
    }

    /// Records. A panic in `body` is a bug of ours: it is said once, and the shim only forwards from there on.
    #[inline(always)]
    pub fn record<T>(&self, body: impl FnOnce(&mut Recorder) -> T) -> Option<T> {
        let process = Process::current();
        if self.is_off {
            process.log.sink.count_dropped_event();
            return None;
        }
        let guarded = AssertUnwindSafe(|| {
            Thread::with(&self.inside, |thread| {
                body(&mut Recorder {
                    process,
                    thread,
                    hook: self,
                })
            })
        });
        match self.inside.run_internal(|| catch_unwind(guarded)) {
            Ok(done) => Some(done),
            Err(_) => {
                STATE.fetch_or(OFF, Relaxed);
                stderr::warning(
                    "a bug in aclsan: it records nothing more and the program runs on; please report what stands above",
                );
                None
            }
        }
    }
}
