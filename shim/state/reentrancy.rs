//! Whether the calling thread is inside a hook.

use crate::state::block_sampling::Countdown;
use crate::state::modules::ProcessModules;
use crate::state::thread_words::{self, ThreadWords};
use aclsan_log::branch::unlikely;
use aclsan_os::seccomp;
use aclsan_unwind::Trace;
use aclsan_unwind::frame::Frame;

/// For [`ThreadWords::forwarding`]: no call.
const NONE: u16 = 0;

/// Marks the thread as being inside a hook, until dropped. Keeps the address of the thread's words, since finding them is a call each time.
pub struct ReentrancyGuard(*const ThreadWords);

impl ReentrancyGuard {
    /// Returns `None` if the thread is already inside a hook: the call is then made by the runtime, by the shim or by a signal handler.
    #[inline(always)]
    pub fn enter() -> Option<Self> {
        // `then`, not `then_some`: dropping an unused guard would clear the mark.
        thread_words::with(|words| {
            (!words.is_inside.replace(true)).then(|| {
                words.is_internal.set(true);
                Self(words)
            })
        })
    }

    /// As [`Self::enter`], for a hook whose frame is `leaf`. A hook that the program has left with `longjmp`, out of the runtime, no longer
    /// counts.
    #[inline(always)]
    pub fn enter_at(leaf: Frame) -> Option<Self> {
        thread_words::with(|words| {
            if unlikely(words.is_inside.replace(true)) && !words.was_unwound_past(leaf) {
                return None;
            }
            words.frame.set(leaf);
            Some(Self(words))
        })
    }

    /// Runs our own code inside the hook.
    #[inline(always)]
    pub fn run_internal<T>(&self, body: impl FnOnce() -> T) -> T {
        let is_internal = &self.words().is_internal;
        is_internal.set(true);
        let done = body();
        is_internal.set(false);
        done
    }

    /// Whether the calling thread is inside a hook, or in a forwarded call that may call the program back.
    pub fn is_active() -> bool {
        thread_words::with(|words| words.is_inside.get() || words.callback_depth.get() > 0)
    }

    /// Forwards the known call `number` from the hook at `frame`. If the runtime calls the program back, hooks that the program enters
    /// there are recorded.
    #[inline(always)]
    pub fn allow_callbacks<T>(&self, number: u16, frame: Frame, forward: impl FnOnce() -> T) -> T {
        let words = self.words();
        let outer = words.forwarding.replace(number + 1);
        words.callback_depth.set(words.callback_depth.get() + 1);
        words.is_inside.set(false);
        let _scope = CallbackScope {
            words,
            outer,
            frame,
        };
        forward()
    }

    /// Whether a call that may call the program back is being forwarded.
    pub fn is_forwarding() -> bool {
        thread_words::with(|words| words.callback_depth.get() > 0)
    }

    /// Whether a call that entered by its `*Impl` name continues one that is being forwarded under its public name.
    #[inline(always)]
    pub fn is_continuation(&self, number: u16) -> bool {
        self.words().forwarding.get() == number + 1
    }

    /// When the thread's next block is recorded, with `block_sample`.
    #[inline(always)]
    pub fn countdown(&self) -> &Countdown {
        &self.words().countdown
    }

    #[inline(always)]
    pub(super) fn words(&self) -> &ThreadWords {
        // SAFETY: this thread's own storage, which has no destructor and lives as long as the thread; the pointer keeps `Self` from being
        // sent to another.
        unsafe { &*self.0 }
    }
}

/// Takes the thread out of the hook, until dropped: the program's callback may throw.
struct CallbackScope<'a> {
    words: &'a ThreadWords,
    outer: u16,
    frame: Frame,
}

impl Drop for CallbackScope<'_> {
    fn drop(&mut self) {
        self.words
            .callback_depth
            .set(self.words.callback_depth.get() - 1);
        self.words.is_inside.set(true);
        self.words.frame.set(self.frame);
        self.words.forwarding.set(self.outer);
    }
}

impl ThreadWords {
    /// Whether the hook that the thread is marked as being inside was left by a jump: a hook at `leaf` occupies the same part of the same
    /// stack.
    #[inline(always)]
    fn was_unwound_past(&self, leaf: Frame) -> bool {
        // Calls from inside a hook are deeper on the stack. How frame sizes of hooks differ is not known here.
        leaf.sp.saturating_add(MAX_HOOK_FRAME) > self.frame.get().sp
            && self.confirm_unwound_past(leaf.pc, leaf.sp, leaf.fp)
    }

    /// Takes the frame's words one by one: passed whole, it would be in memory at every call.
    #[cold]
    #[inline(never)]
    fn confirm_unwound_past(&self, pc: u64, sp: u64, fp: u64) -> bool {
        let leaf = Frame { pc, sp, fp };
        let bounds = self.stack_range.get();
        if self.is_internal.get() || bounds == (0, 0) {
            return false;
        }
        let caller_sp = |frame| Trace::<ProcessModules>::caller_sp(bounds, frame);
        let callers = caller_sp(leaf).zip(caller_sp(self.frame.get()));
        let is_gone = callers.is_some_and(|(now, then)| now >= then) && !on_signal_stack();
        if is_gone {
            self.forwarding.set(NONE);
        }
        is_gone
    }
}

/// Marks the thread as inside a hook and running our code, until dropped: what the runtime calls meanwhile is only forwarded.
pub struct OwnCall {
    words: *const ThreadWords,
    before: (bool, bool),
}

impl OwnCall {
    pub fn enter() -> Self {
        thread_words::with(|words| Self {
            words,
            before: (
                words.is_inside.replace(true),
                words.is_internal.replace(true),
            ),
        })
    }
}

impl Drop for OwnCall {
    fn drop(&mut self) {
        // SAFETY: as for `ReentrancyGuard`.
        let words = unsafe { &*self.words };
        words.is_inside.set(self.before.0);
        words.is_internal.set(self.before.1);
    }
}

/// Maximum size of a hook's frame in bytes. Optimized they have less than half of that; unoptimized, what they call must not be inlined.
const MAX_HOOK_FRAME: u64 = 1024;

/// Whether the thread runs a signal handler on an alternate stack, which may be above all its frames.
fn on_signal_stack() -> bool {
    if seccomp::is_seccomp_active() {
        return true; // The query is not allowed.
    }
    // SAFETY: of all its fields zero is a value.
    let mut stack: libc::stack_t = unsafe { std::mem::zeroed() };
    // SAFETY: asks, and writes into our own variable.
    let answer = unsafe { libc::sigaltstack(std::ptr::null(), &mut stack) };
    answer != 0 || stack.ss_flags & libc::SS_ONSTACK != 0
}

impl Drop for ReentrancyGuard {
    fn drop(&mut self) {
        self.words().is_inside.set(false);
        self.words().is_internal.set(false);
        // A call is forwarded once: a later one of the same name is the program's.
        self.words().forwarding.set(NONE);
    }
}
