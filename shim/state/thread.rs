//! What the shim knows of the calling thread.
//!
//! A few words of thread-local storage, without a destructor: a thread may call hooks from its own last pthread key destructors, when
//! Rust's have already run. The rest is on the heap, handed to a pthread key of ours, which gives it back as often as it comes.

use crate::state::modules::ProcessModules;
use crate::state::process::Process;
use crate::state::sampling::SamplingInterval;
use aclsan_log::encode::Encoder;
use aclsan_os::cancel::CancelGuard;
use aclsan_os::seccomp;
use aclsan_sink::segment::Segment;
use aclsan_unwind::frame::Frame;
use aclsan_unwind::{big_stack, registers};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::OnceLock;

/// A thread's own words.
struct Local {
    inside: Cell<bool>,
    /// The call that the program may be called back from, or [`NONE`].
    forwarding: Cell<u16>,
    /// How many such calls it is in.
    callback_depth: Cell<u32>,
    /// The hook that it is inside of.
    frame: Cell<Frame>,
    /// Whether it is in code of ours there, and not in the runtime's.
    is_internal: Cell<bool>,
    state: Cell<*mut Thread>,
    /// Where its stack lies, once it has a state.
    stack_range: Cell<(u64, u64)>,
}

/// No call's number.
const NONE: u16 = u16::MAX;

thread_local! {
    static LOCAL: Local = const {
        Local {
            inside: Cell::new(false),
            forwarding: Cell::new(NONE),
            callback_depth: Cell::new(0),
            frame: Cell::new(Frame { pc: 0, sp: 0, fp: 0 }),
            is_internal: Cell::new(false),
            state: Cell::new(std::ptr::null_mut()),
            stack_range: Cell::new((0, 0)),
        }
    };
}

/// A thread's own things.
pub struct Thread {
    /// Kernel's number.
    pub tid: u32,
    /// Its last stack.
    pub trace: aclsan_unwind::Trace<ProcessModules>,
    /// Where it writes; `None` before the first event and after a fork.
    pub segment: Option<Segment>,
    /// Its device, −1 if the runtime would not tell; `None` when the thread may have no context at all.
    pub device: Option<i32>,
    /// What the plan that phase one of an operator has just made needs: the executor, and bytes of workspace.
    pub planned: Option<(u64, u64)>,
    /// How deep it is in code whose doings are to be ignored.
    pub ignoring: u32,
    /// Calls until the next whole stack.
    pub calls_until_sample: u32,
    /// How many there are to be then.
    pub sampling: SamplingInterval,
    /// The process that the segment belongs to.
    pub process: *const Process,
}

/// Marks the thread as being inside a hook, until dropped. Knows where the thread's words are, since finding them is a call each time.
pub struct ReentrancyGuard(*const Local);

impl ReentrancyGuard {
    /// `None` when the thread is inside one already: what it calls now is the runtime's or our own doing, or a signal handler's.
    #[inline(always)]
    pub fn enter() -> Option<Self> {
        // `then`, not `then_some`: dropping one that is not returned would take the mark away.
        LOCAL.with(|local| {
            (!local.inside.replace(true)).then(|| {
                local.is_internal.set(true);
                Self(local)
            })
        })
    }

    /// The same for a hook whose frame is `leaf`. What the program has left by longjmp, out of the runtime, it is not inside of any more.
    #[inline(always)]
    pub fn enter_at(leaf: Frame) -> Option<Self> {
        LOCAL.with(|local| {
            if local.inside.replace(true) && !local.was_unwound_past(leaf) {
                return None;
            }
            local.frame.set(leaf);
            Some(Self(local))
        })
    }

    /// Runs code of ours inside the hook.
    #[inline(always)]
    pub fn run_internal<T>(&self, body: impl FnOnce() -> T) -> T {
        let is_internal = &self.local().is_internal;
        is_internal.set(true);
        let done = body();
        is_internal.set(false);
        done
    }

    /// Whether the calling thread is inside one, or in a call that the program may be called back from.
    pub fn is_active() -> bool {
        LOCAL.with(|local| local.inside.get() || local.callback_depth.get() > 0)
    }

    /// Forwards the known call `number` from the hook at `frame`, from which the runtime may call the program back: what the program does
    /// there counts.
    #[inline(always)]
    pub fn allow_callbacks<T>(&self, number: u16, frame: Frame, forward: impl FnOnce() -> T) -> T {
        let local = self.local();
        let outer = local.forwarding.replace(number);
        local.callback_depth.set(local.callback_depth.get() + 1);
        local.inside.set(false);
        let _scope = CallbackScope {
            local,
            outer,
            frame,
        };
        forward()
    }

    /// Whether a call is being forwarded, from which the runtime may call the program back.
    pub fn is_forwarding() -> bool {
        LOCAL.with(|local| local.callback_depth.get() > 0)
    }

    /// Whether a call that entered by its second name is the rest of one that is being forwarded by its first.
    #[inline(always)]
    pub fn is_continuation(&self, number: u16) -> bool {
        self.local().forwarding.get() == number
    }

    #[inline(always)]
    fn local(&self) -> &Local {
        // SAFETY: this thread's own storage, which has no destructor and lives as long as the thread; the pointer keeps `Self` from being
        // sent to another.
        unsafe { &*self.0 }
    }
}

/// The thread is out of the hook, until dropped: a callback of the program's may throw.
struct CallbackScope<'a> {
    local: &'a Local,
    outer: u16,
    frame: Frame,
}

impl Drop for CallbackScope<'_> {
    fn drop(&mut self) {
        self.local
            .callback_depth
            .set(self.local.callback_depth.get() - 1);
        self.local.inside.set(true);
        self.local.frame.set(self.frame);
        self.local.forwarding.set(self.outer);
    }
}

impl Local {
    /// Whether the hook that the thread is marked as being inside of is gone: a hook at `leaf` lies where it lay, on the same stack.
    #[inline(always)]
    fn was_unwound_past(&self, leaf: Frame) -> bool {
        // Calls from inside lie deeper. How much larger one hook's frame is than another's is not known here.
        leaf.sp.saturating_add(MAX_HOOK_FRAME) > self.frame.get().sp
            && self.confirm_unwound_past(leaf)
    }

    #[cold]
    #[inline(never)]
    fn confirm_unwound_past(&self, leaf: Frame) -> bool {
        let state = self.state.get();
        if self.is_internal.get() || state.is_null() {
            return false;
        }
        // SAFETY: made by `init` on this thread; not borrowed, for the thread is not in code of ours.
        let trace = unsafe { &(*state).trace };
        let callers = trace.caller_sp(leaf).zip(trace.caller_sp(self.frame.get()));
        let is_gone = callers.is_some_and(|(now, then)| now >= then) && !on_signal_stack();
        if is_gone {
            self.forwarding.set(NONE);
        }
        is_gone
    }
}

/// Bytes that the frame of a hook takes at most.
const MAX_HOOK_FRAME: u64 = 1024;

/// Whether the thread runs a signal handler on a stack for that, which may lie above all its frames.
fn on_signal_stack() -> bool {
    if seccomp::is_seccomp_active() {
        return true; // Not to be asked.
    }
    // SAFETY: of all its fields zero is a value.
    let mut stack: libc::stack_t = unsafe { std::mem::zeroed() };
    // SAFETY: asks, and writes into our own variable.
    let answer = unsafe { libc::sigaltstack(std::ptr::null(), &mut stack) };
    answer != 0 || stack.ss_flags & libc::SS_ONSTACK != 0
}

impl Drop for ReentrancyGuard {
    fn drop(&mut self) {
        self.local().inside.set(false);
        self.local().is_internal.set(false);
        // One call is forwarded once: what comes by the same name after this is the program's.
        self.local().forwarding.set(NONE);
    }
}

impl Thread {
    /// Lets `body` use the calling thread's things. Only inside a hook, and not nested: the mark keeps the borrow single.
    #[inline(always)]
    pub fn with<T>(inside: &ReentrancyGuard, body: impl FnOnce(&mut Self) -> T) -> T {
        let local = inside.local();
        if local.state.get().is_null() {
            local.state.set(Self::init());
        }
        let state = local.state.get();
        // SAFETY: made by `init` on this thread, freed by `destroy` on this thread, and never borrowed twice, since `ReentrancyGuard` exists once.
        body(unsafe { &mut *state })
    }

    /// Writes a record into the thread's segment, or into another when that is full. What cannot be written is counted.
    #[inline(always)]
    pub fn write<T>(
        &mut self,
        process: &'static Process,
        record: impl Fn(&mut Encoder, &mut [u8]) -> Option<T>,
    ) -> Option<T> {
        if !std::ptr::eq(self.process, process) {
            self.rebind_after_fork(process);
        }
        if let Some(segment) = &mut self.segment
            && let Some(done) = segment.write(&record)
        {
            return Some(done);
        }
        self.write_to_new_segment(process, record)
    }

    /// The thread's segment is full, or it has none.
    #[cold]
    fn write_to_new_segment<T>(
        &mut self,
        process: &'static Process,
        record: impl Fn(&mut Encoder, &mut [u8]) -> Option<T>,
    ) -> Option<T> {
        let _uncancelled = CancelGuard::enter();
        // Twice: a segment that ended threads left may be nearly full as well.
        for _ in 0..2 {
            let is_busy = self.segment.is_some();
            self.segment = run_on_big_stack(|| process.log.sink.segment(self.tid, is_busy));
            let segment = self.segment.as_mut();
            if let Some(done) = segment.and_then(|segment| segment.write(&record)) {
                return Some(done);
            }
        }
        process.log.sink.count_dropped_event();
        None
    }

    /// The first record of this thread in this process, or the first after a fork: the segment, if any, is the parent's, who goes on
    /// writing there.
    #[cold]
    fn rebind_after_fork(&mut self, process: &'static Process) {
        std::mem::forget(self.segment.take());
        self.process = process;
        self.tid = current_tid();
    }

    #[cold]
    fn init() -> *mut Self {
        let _uncancelled = CancelGuard::enter();
        let stack = registers::stack_bounds();
        LOCAL.with(|local| local.stack_range.set(stack));
        let tid = current_tid();
        let state = Box::into_raw(Box::new(Self {
            tid,
            trace: aclsan_unwind::Trace::new(stack),
            segment: None,
            device: None,
            planned: None,
            ignoring: 0,
            calls_until_sample: 0,
            sampling: SamplingInterval::new(tid),
            process: std::ptr::null(),
        }));
        if let Some(key) = key() {
            // SAFETY: the key is ours and the value is what its destructor expects.
            unsafe { libc::pthread_setspecific(key, state.cast()) };
        }
        state
    }
}

/// Runs what needs much stack where there is as much; see [`room`].
#[cold]
#[inline(never)]
pub fn run_on_big_stack<T>(body: impl FnOnce() -> T) -> T {
    big_stack::run_on_big_stack(LOCAL.with(|local| local.stack_range.get()), body)
}

/// Where the calling thread's words are.
pub fn tls_range() -> (u64, u64) {
    LOCAL.with(|local| {
        let start = std::ptr::from_ref(local) as u64;
        (start, start + size_of::<Local>() as u64)
    })
}

/// In a forked child: what its parent ignored is on record in the parent's log alone, so the child begins anew.
pub fn reset_ignores() {
    let state = LOCAL.with(|local| local.state.get());
    if !state.is_null() {
        // SAFETY: made by `init` on this thread, which is the only one there is; a field is set and nothing borrowed.
        unsafe { (*state).ignoring = 0 };
    }
}

/// The kernel's number of the calling thread.
fn current_tid() -> u32 {
    // SAFETY: no arguments, and always answers.
    (unsafe { libc::syscall(libc::SYS_gettid) }) as u32
}

/// The key whose destructor ends a thread's state; `None` when libc has no keys left, and the state then outlives the thread.
pub fn key() -> Option<libc::pthread_key_t> {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    *KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: writes into our own variable; `destroy` has the type asked for.
        (unsafe { libc::pthread_key_create(&mut key, Some(destroy)) } == 0).then_some(key)
    })
}

extern "C" fn destroy(state: *mut c_void) {
    LOCAL.with(|local| local.state.set(std::ptr::null_mut()));
    // SAFETY: the value that `init` made and set for this thread; libc has cleared it and passes it once.
    let state = unsafe { Box::from_raw(state.cast::<Thread>()) };
    let Some(segment) = state.segment else { return };
    match Process::if_initialized() {
        Some(process) if std::ptr::eq(state.process, process) => {
            process.log.sink.give_back(segment)
        }
        _ => std::mem::forget(segment), // The parent's mapping: it goes on writing there.
    }
}
