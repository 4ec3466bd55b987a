//! State of the calling thread: on the heap, and owned by a pthread key of ours, whose destructor frees it however often it is recreated.

use super::cached_plans::OperatorCall;
use crate::state::modules::ProcessModules;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use crate::state::sampling::SamplingInterval;
use crate::state::thread_words::{self, ThreadWords};
use aclsan_log::branch::unlikely;
use aclsan_log::encode::{Encoder, Repeats};
use aclsan_log::record::THREAD_NAME;
use aclsan_log::{CallSiteId, Definition};
use aclsan_os::cancel::CancelGuard;
use aclsan_os::panic;
use aclsan_os::signal_stack::SignalStack;
use aclsan_os::{thread_name, thread_name::current_tid};
use aclsan_sink::segment::Segment;
use aclsan_unwind::{big_stack, registers};
use std::ffi::c_void;
use std::sync::OnceLock;

/// State of one thread. What most calls need comes first: a line of the cache, and one of the segment, then those of the trace.
#[repr(C, align(64))]
pub struct Thread {
    /// The process that the segment belongs to.
    pub process: *const Process,
    /// Its device; −1 if the runtime would not say, `None` if the thread may have no context.
    pub device: Option<i32>,
    /// Thread id of the kernel.
    pub tid: u32,
    /// Nesting depth of scopes whose findings are ignored.
    pub ignoring: u32,
    /// Calls until the next full stack.
    pub calls_until_sample: u32,
    /// Whether only some stacks are captured, by the process's options.
    pub samples_stacks: bool,
    /// What it may repeat in the segment.
    repeats: Repeats,
    /// The segment of the log that it writes to; `None` before the first event and after a fork.
    pub segment: Option<Segment>,
    /// The last stack, from which the next is captured incrementally.
    pub trace: aclsan_unwind::Trace<ProcessModules>,
    /// The last call site without frames, by its hash; site 0 for none.
    pub without_frames: (u64, CallSiteId),
    /// The executor of the operator that phase one has just planned, and the workspace that it needs, in bytes.
    pub planned: Option<(u64, u64)>,
    /// The operator call that it prepares with a cache of plans.
    pub operator_call: OperatorCall,
    /// Its name as last recorded; empty if it is the process's own.
    pub name: String,
    /// Generator of the next interval.
    pub sampling: SamplingInterval,
    /// Where the handler of a crash runs, if the thread had no stack for that.
    signal_stack: Option<SignalStack>,
}

/// A record for a segment.
pub trait Record<T> {
    /// Encodes it; `None`, with nothing written, if the segment is full.
    fn encode(&self, encoder: &mut Encoder, room: &mut [u8], repeats: &mut Repeats) -> Option<T>;
}

impl<T, F: Fn(&mut Encoder, &mut [u8], &mut Repeats) -> Option<T>> Record<T> for F {
    #[inline(always)]
    fn encode(&self, encoder: &mut Encoder, room: &mut [u8], repeats: &mut Repeats) -> Option<T> {
        self(encoder, room, repeats)
    }
}

impl Thread {
    /// Runs `body` with the state of the calling thread in `process`. Only inside a hook and not nested: the guard makes the borrow unique.
    #[inline(always)]
    pub fn with<T>(
        inside: &ReentrancyGuard,
        process: &'static Process,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let words = inside.words();
        if unlikely(words.state.get().is_null()) {
            words.state.set(Self::init().cast());
        }
        let state = words.state.get().cast::<Self>();
        // SAFETY: made by `init` on this thread, freed by `destroy` on this thread, and never borrowed twice, since `ReentrancyGuard` exists once.
        let thread = unsafe { &mut *state };
        if unlikely(!std::ptr::eq(thread.process, process)) {
            thread.rebind(process);
        }
        body(thread)
    }

    /// Prefetches what a call with these values is looked up in when it is written.
    #[inline(always)]
    pub fn prefetch_call(&self, values: &[u64]) {
        self.repeats.prefetch_call(values);
    }

    /// As [`Self::prefetch_call`], for an operator's call.
    #[inline(always)]
    pub fn prefetch_operator(&self, site: CallSiteId, values: &[u64]) {
        self.repeats.prefetch_moving_call(site, values);
    }

    /// Writes a record to the thread's segment, or to a new one if that is full. Counts what cannot be written.
    #[inline(always)]
    pub fn write<T>(&mut self, process: &'static Process, record: impl Record<T>) -> Option<T> {
        if let Some(done) = self.write_to_segment(&record) {
            return Some(done);
        }
        self.write_to_new_segment(process, record)
    }

    // No closures: one of this size would be a function of its own.
    #[inline(always)]
    fn write_to_segment<T>(&mut self, record: &impl Record<T>) -> Option<T> {
        let segment = self.segment.as_mut()?;
        let (encoder, room) = segment.writer();
        let done = record.encode(encoder, room, &mut self.repeats)?;
        segment.commit();
        Some(done)
    }

    /// The segment is full, or there is none.
    #[cold]
    fn write_to_new_segment<T>(
        &mut self,
        process: &'static Process,
        record: impl Record<T>,
    ) -> Option<T> {
        let _uncancelled = CancelGuard::enter();
        self.repeats.prepare(); // An allocation, which must not be cut short.
        // Twice: a segment left by a finished thread may be nearly full as well.
        for _ in 0..2 {
            let is_busy = self.segment.is_some();
            self.segment = run_on_big_stack(|| process.log.sink.segment(self.tid, is_busy));
            self.record_name(process);
            let written = self.write_to_segment(&record);
            if written.is_some() {
                return written;
            }
        }
        process.log.sink.count_dropped_event();
        None
    }

    /// The first call of this thread in this process, after a fork, or after an attach. After a fork the segment, if any, belongs to the
    /// parent, which keeps writing there.
    #[cold]
    fn rebind(&mut self, process: &'static Process) {
        // SAFETY: null, or a state that is never freed; a child has a copy of it.
        if unsafe { self.process.as_ref() }.is_some_and(|last| last.pid == process.pid) {
            // What happened between two attaches is unknown.
            (self.segment, self.device, self.planned, self.ignoring) = (None, None, None, 0);
        }
        std::mem::forget(self.segment.take());
        // Of another log.
        self.repeats = Repeats::default();
        self.trace.forget_notes();
        self.without_frames = (0, CallSiteId(0));
        self.process = process;
        self.samples_stacks = process.options.stack_sample.0 > 1;
        self.tid = current_tid();
        self.name.clear();
    }

    /// Records the thread's name, if it has one of its own and that is not recorded yet. Threads name themselves as they start, so the
    /// first event is early enough for most; the end of the thread is for the others.
    #[cold]
    fn record_name(&mut self, process: &Process) {
        let name = thread_name::own();
        if self.segment.is_none() || name == self.name {
            return;
        }
        self.name = name;
        let definition = Definition::Property {
            key: format!("{THREAD_NAME}{}", self.tid),
            value: self.name.clone(),
        };
        run_on_big_stack(|| process.log.sink.define(&definition));
    }

    #[cold]
    fn init() -> *mut Self {
        let _uncancelled = CancelGuard::enter();
        let stack = registers::stack_bounds();
        thread_words::with(|words| words.stack_range.set(stack));
        let tid = current_tid();
        let state = Box::into_raw(Box::new(Self {
            tid,
            name: String::new(),
            trace: aclsan_unwind::Trace::new(stack),
            without_frames: (0, CallSiteId(0)),
            segment: None,
            repeats: Repeats::default(),
            device: None,
            planned: None,
            operator_call: OperatorCall::default(),
            ignoring: 0,
            samples_stacks: false,
            calls_until_sample: 0,
            sampling: SamplingInterval::new(tid),
            process: std::ptr::null(),
            signal_stack: super::start::signal_stack(),
        }));
        if let Some(key) = key() {
            // SAFETY: the key is ours and the value is what its destructor expects.
            unsafe { libc::pthread_setspecific(key, state.cast()) };
        }
        state
    }
}

/// Runs `body` on a big stack if this one is small; see [`big_stack`].
#[cold]
#[inline(never)]
pub fn run_on_big_stack<T>(body: impl FnOnce() -> T) -> T {
    big_stack::run_on_big_stack(thread_words::with(|words| words.stack_range.get()), body)
}

/// Bounds of the calling thread's stack; an empty range if it has called nothing yet.
pub fn stack_range() -> (u64, u64) {
    thread_words::with(|words| words.stack_range.get())
}

/// Address range of the calling thread's words.
pub fn tls_range() -> (u64, u64) {
    thread_words::with(|words| {
        let start = std::ptr::from_ref(words) as u64;
        (start, start + size_of::<ThreadWords>() as u64)
    })
}

/// In a forked child: ends ignore scopes, whose beginning is recorded in the parent's log only.
pub fn reset_ignores() {
    let state = thread_words::with(|words| words.state.get());
    if !state.is_null() {
        // SAFETY: made by `init` on this thread, which is the only one there is; a field is set and nothing borrowed.
        unsafe { (*state.cast::<Thread>()).ignoring = 0 };
    }
}

/// The key whose destructor frees a thread's state; `None` when libc has no keys left, and the state outlives the thread.
pub fn key() -> Option<libc::pthread_key_t> {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: writes into our own variable; `destroy` has the type asked for.
        (unsafe { libc::pthread_key_create(&mut key, Some(destroy)) } == 0).then_some(key)
    })
}

extern "C" fn destroy(state: *mut c_void) {
    thread_words::with(|words| words.state.set(std::ptr::null_mut()));
    // SAFETY: the value that `init` made and set for this thread; libc has cleared it and passes it once.
    let mut state = unsafe { Box::from_raw(state.cast::<Thread>()) };
    let process = Process::if_initialized();
    let process = process.filter(|process| std::ptr::eq(state.process, *process));
    if let Some(process) = process {
        panic::contain(|| state.record_name(process));
    }
    drop(state.signal_stack.take());
    let Some(segment) = state.segment else { return };
    match process {
        Some(process) => process.log.sink.give_back(segment),
        None => std::mem::forget(segment), // The parent's mapping: it keeps writing there.
    }
}
