//! One call of a hooked function, and the recorder that its behavior is given. Nothing here formats, judges or calls the runtime.

use crate::runtime::next::Interceptor;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use crate::state::thread::Thread;
use aclsan_log::Event;
use aclsan_log::branch::{cold_path, unlikely};
use aclsan_log::encode::{Encoder, Repeats};
use aclsan_os::lock::MayFail;
use aclsan_os::status::{self, IDLE, OFF, STOPPED};
use aclsan_os::{clock, panic};
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::api::functions::Function;
use aclsan_unwind::ExitRule;
use aclsan_unwind::frame::Frame;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Records an event that belongs to no call of the program, on whichever thread gets here.
pub fn log_event(inside: &ReentrancyGuard, process: &'static Process, event: &Event) {
    let ticks = clock::ticks(clock::source());
    Thread::with(inside, process, |thread| {
        thread.write(
            process,
            |encoder: &mut Encoder, room: &mut [u8], _: &mut Repeats| {
                encoder.event(room, ticks, event)
            },
        );
    });
}

/// A call that has entered a hook. While it exists, further calls of the thread are only forwarded.
pub struct Hook {
    inside: ReentrancyGuard,
    /// The function called.
    pub function: &'static Function,
    pub(super) function_id: u16,
    pub(super) leaf: Frame,
    /// How its exported function is left.
    pub(super) exit: &'static ExitRule,
    /// The library that `leaf` belongs to, if it is not the shim.
    pub(super) own_range: Option<(u64, u64)>,
    /// Whether the call is recorded. Blocks that we have moved are found in any case.
    recording: Recording,
}

/// By number of the function.
static EXIT_RULES: [ExitRule; FUNCTIONS.len()] = [const { ExitRule::unknown() }; FUNCTIONS.len()];

/// How much of a call is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recording {
    /// Everything.
    On,
    /// Nothing: the call is only counted.
    Off,
    /// What later calls are judged by: releases of known blocks, devices, contexts. See [`Function::is_followed_while_stopped`].
    Stopped,
}

impl Recording {
    /// What [`STATE`] says; `None` if the watch has ended, and calls are only forwarded.
    pub fn of(state: u8) -> Option<Self> {
        match state {
            _ if state & IDLE != 0 => None,
            _ if state & OFF != 0 => Some(Self::Off),
            _ if state & STOPPED != 0 => Some(Self::Stopped),
            _ => Some(Self::On),
        }
    }
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
    /// Returns `None` for a call from inside another hook. `leaf` is the frame of the exported function, where stack walks start.
    #[inline(always)]
    pub fn enter(row: &'static Interceptor, leaf: Frame, recording: Recording) -> Option<Self> {
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
            exit: &EXIT_RULES[usize::from(function_id)],
            own_range: None,
            recording,
        })
    }

    /// The same hook, recorded as the known call `function_id`.
    pub fn into_call(self, function_id: u16) -> Self {
        let function = &FUNCTIONS[usize::from(function_id)];
        Self {
            function,
            function_id,
            exit: &EXIT_RULES[usize::from(function_id)],
            ..self
        }
    }

    /// The mark that the thread is inside the hook.
    pub fn inside(&self) -> &ReentrancyGuard {
        &self.inside
    }

    /// Whether the call is recorded like any other.
    pub fn is_on(&self) -> bool {
        self.recording == Recording::On
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

    /// Runs `body` with the recorder, unless recording is off, or stopped for this function.
    #[inline(always)]
    pub fn record<T>(&self, body: impl FnMut(&mut Recorder) -> T) -> Option<T> {
        if unlikely(self.recording != Recording::On) && !self.is_followed() {
            return None;
        }
        self.run(body)
    }

    /// As [`Self::record`], but runs `while_stopped` instead if recording is stopped.
    #[inline(always)]
    pub fn record_or<T>(
        &self,
        body: impl FnMut(&mut Recorder) -> T,
        while_stopped: impl FnMut(&mut Recorder) -> T,
    ) -> Option<T> {
        match self.recording {
            Recording::On => self.run(body),
            _ => self.run_stopped(while_stopped),
        }
    }

    #[cold]
    #[inline(never)]
    fn run_stopped<T>(&self, while_stopped: impl FnMut(&mut Recorder) -> T) -> Option<T> {
        match self.recording {
            Recording::Stopped => self.run(while_stopped),
            _ => {
                self.is_followed(); // counts it
                None
            }
        }
    }

    /// Whether the call is recorded although not all are; counts it if recording is off.
    #[cold]
    #[inline(never)]
    fn is_followed(&self) -> bool {
        match self.recording {
            Recording::On => true,
            Recording::Off => {
                Process::current().log.sink.count_dropped_event();
                false
            }
            // Asked again: memory that the runtime gives out after the start is recorded, whenever the call began.
            Recording::Stopped => {
                !status::is_stopped() || self.function.is_followed_while_stopped()
            }
        }
    }

    /// Runs `body` with the recorder. A panic in it is a bug of ours: it is reported once, and from then on the shim only forwards.
    #[inline(always)]
    fn run<T>(&self, mut body: impl FnMut(&mut Recorder) -> T) -> Option<T> {
        let process = Process::current();
        let mut call = || {
            Thread::with(&self.inside, process, |thread| {
                body(&mut Recorder {
                    process,
                    thread,
                    hook: self,
                })
            })
        };
        // catch_unwind copies what it is given, so that is a reference. In a closure, since the other way it calls one function for each place.
        let guarded = AssertUnwindSafe(|| {
            let _fails = MayFail::begin();
            call()
        });
        match self.inside.run_internal(|| catch_unwind(guarded)) {
            Ok(done) => Some(done),
            Err(_) => {
                cold_path();
                panic::stop_recording();
                None
            }
        }
    }
}
