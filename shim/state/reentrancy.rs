//! Whether the calling thread is inside a hook.
//!
//! Thread-local storage without a destructor, because a thread may call hooks from its last pthread key destructors, when Rust's have
//! already run.

use crate::state::modules::ProcessModules;
use aclsan_os::seccomp;
use aclsan_unwind::Trace;
use aclsan_unwind::frame::Frame;
use std::cell::Cell;
use std::ffi::c_void;

/// The thread-local words.
pub(super) struct Local {
    inside: Cell<bool>,
    /// The forwarded call that may call the program back, or [`NONE`].
    forwarding: Cell<u16>,
    /// Nesting depth of such calls.
    callback_depth: Cell<u32>,
    /// Frame of the hook that the thread is in.
    frame: Cell<Frame>,
    /// Whether the hook is running our code, not the runtime's.
    is_internal: Cell<bool>,
    /// Its `Thread`; null before its first recorded call.
    pub(super) state: Cell<*mut c_void>,
    /// Bounds of the stack, once the thread has a state.
    pub(super) stack_range: Cell<(u64, u64)>,
}

/// Not a call.
const NONE: u16 = u16::MAX;

thread_local! {
    pub(super) static LOCAL: Local = const {
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

/// Marks the thread as being inside a hook, until dropped. Keeps the address of the thread-local words, since finding them is a call each
/// time.
pub struct ReentrancyGuard(*const Local);

impl ReentrancyGuard {
    /// Returns `None` if the thread is already inside a hook: the call is then made by the runtime, by the shim or by a signal handler.
    #[inline(always)]
    pub fn enter() -> Option<Self> {
        // `then`, not `then_some`: dropping an unused guard would clear the mark.
        LOCAL.with(|local| {
            (!local.inside.replace(true)).then(|| {
                local.is_internal.set(true);
                Self(local)
            })
        })
    }

    /// As [`Self::enter`], for a hook whose frame is `leaf`. A hook that the program has left with `longjmp`, out of the runtime, no longer
    /// counts.
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

    /// Runs our own code inside the hook.
    #[inline(always)]
    pub fn run_internal<T>(&self, body: impl FnOnce() -> T) -> T {
        let is_internal = &self.local().is_internal;
        is_internal.set(true);
        let done = body();
        is_internal.set(false);
        done
    }

    /// Whether the calling thread is inside a hook, or in a forwarded call that may call the program back.
    pub fn is_active() -> bool {
        LOCAL.with(|local| local.inside.get() || local.callback_depth.get() > 0)
    }

    /// Forwards the known call `number` from the hook at `frame`. If the runtime calls the program back, hooks that the program enters
    /// there are recorded.
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

    /// Whether a call that may call the program back is being forwarded.
    pub fn is_forwarding() -> bool {
        LOCAL.with(|local| local.callback_depth.get() > 0)
    }

    /// Whether a call that entered by its `*Impl` name continues one that is being forwarded under its public name.
    #[inline(always)]
    pub fn is_continuation(&self, number: u16) -> bool {
        self.local().forwarding.get() == number
    }

    #[inline(always)]
    pub(super) fn local(&self) -> &Local {
        // SAFETY: this thread's own storage, which has no destructor and lives as long as the thread; the pointer keeps `Self` from being
        // sent to another.
        unsafe { &*self.0 }
    }
}

/// Takes the thread out of the hook, until dropped: the program's callback may throw.
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
    /// Whether the hook that the thread is marked as being inside was left by a jump: a hook at `leaf` occupies the same part of the same
    /// stack.
    #[inline(always)]
    fn was_unwound_past(&self, leaf: Frame) -> bool {
        // Calls from inside a hook are deeper on the stack. How frame sizes of hooks differ is not known here.
        leaf.sp.saturating_add(MAX_HOOK_FRAME) > self.frame.get().sp
            && self.confirm_unwound_past(leaf)
    }

    #[cold]
    #[inline(never)]
    fn confirm_unwound_past(&self, leaf: Frame) -> bool {
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

/// Maximum size of a hook's frame in bytes.
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
        self.local().inside.set(false);
        self.local().is_internal.set(false);
        // A call is forwarded once: a later one of the same name is the program's.
        self.local().forwarding.set(NONE);
    }
}
