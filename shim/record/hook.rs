//! One call of a hooked function, and the recorder that its behavior is given. Nothing here formats, judges or calls the runtime.

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

/// Records an event that belongs to no call of the program, on whichever thread gets here.
pub fn log_event(inside: &ReentrancyGuard, process: &'static Process, event: &Event) {
    let ticks = clock::ticks(clock::source());
    Thread::with(inside, |thread| {
        thread.write(process, |encoder, room| encoder.event(room, ticks, event));
    });
}

/// A call that has entered a hook. While it exists, further calls of the thread are only forwarded.
pub struct Hook {
    inside: ReentrancyGuard,
    /// The function called.
    pub function: &'static Function,
    pub(super) function_id: u16,
    pub(super) leaf: Frame,
    /// The library that `leaf` belongs to, if it is not the shim.
    pub(super) own_range: Option<(u64, u64)>,
    /// Whether recording is off. Blocks that we have moved are still found.
    is_off: bool,
}

/// The state that a behavior records into.
pub struct Recorder<'a> {
    /// Of the process.
    pub process: &'static Process,
    /// Of the calling thread.
    pub thread: &'a mut Thread,
    pub(super) hook: &'a Hook,
}

impl Hook {
    /// Returns `None` for a call from inside another hook. `leaf` is the frame of the exported function, where stack walks start. With
    /// `is_off`, nothing is recorded.
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

    /// The same hook, recorded as the known call `function_id`.
    pub fn into_call(self, function_id: u16) -> Self {
        let function = &FUNCTIONS[usize::from(function_id)];
        Self {
            function,
            function_id,
            ..self
        }
    }

    /// Whether recording is off.
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// The same call, entered through our companion library, whose code is at `own_range`.
    pub fn with_own_range(self, own_range: Option<(u64, u64)>) -> Self {
        Self { own_range, ..self }
    }

    /// Forwards a call during which the runtime may call the program back; hooks that the program enters there are recorded.
    pub fn allow_callbacks<T>(&self, forward: impl FnOnce() -> T) -> T {
        self.inside
            .allow_callbacks(self.function_id, self.leaf, forward)
    }

    /// Runs `body` with the recorder. A panic in it is a bug of ours: it is reported once, and from then on the shim only forwards.
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
                    "internal error in aclsan: recording has stopped, the program continues; please report the message above",
                );
                None
            }
        }
    }
}
