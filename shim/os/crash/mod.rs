//! Signals that end the process: a handler that lets the process say so first, and then lets it happen.
//!
//! It is installed where the program has left the action to the kernel, or, if asked, also where it has a handler. The action it replaced is
//! kept ([`actions`]). When the report is done, that action is installed again and the signal happens again: a fault because its
//! instruction does, another because it is sent once more. So the core dump has the frame that crashed, the exit status has the signal, and
//! a handler of the program sees what it would have seen.
//!
//! The program may install a handler later; it gets ours as the old one, as with AddressSanitizer. To call it, or to install it again, has
//! the effect it should have: the crash is reported, and then the process ends. A program that saw the default instead would lose the report when it
//! restores what it found.
//!
//! **A report may crash or hang** (the heap is corrupt, the thread holds a lock): a second signal in the same thread ends it, and so does a
//! timer. Then the thread returns to where the first signal interrupted it. Other threads that crash meanwhile wait for the end.

mod actions;
mod watchdog;

use crate::crash_memory::CrashMemory;
use crate::errno::ErrnoGuard;
use crate::seccomp;
use crate::signal_context::{preserved, registers, resume};
use crate::system_call::system_call;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};
use watchdog::Watchdog;

/// The signals whose default action ends the process with a core dump, and that a mistake raises.
pub const SIGNALS: [c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGABRT,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
];

/// A signal that is about to end the process.
#[derive(Clone, Copy, Debug)]
pub struct Crash {
    /// Which.
    pub signal: c_int,
    /// The kernel's `si_code`.
    pub code: c_int,
    /// The address of a fault; for a signal that a process sent, that process.
    pub address: u64,
    /// The thread that it came to.
    pub thread: u32,
    /// Program counter, stack pointer, frame pointer, and on aarch64 the link register.
    pub registers: [u64; 4],
    /// The registers that a called function preserves.
    pub preserved: [u64; 10],
}

/// Called for the first of them, in the handler, on the thread that it came to.
pub type Report = fn(&Crash);

static REPORT: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets what reports a crash.
pub fn report_with(report: Report) {
    REPORT.store(report as *mut (), Relaxed);
}

/// Installs the handler for each signal that the program leaves to the kernel, and, with `also_handled`, for those that it handles.
pub fn install(also_handled: bool) {
    let own = on_signal as *const () as usize;
    for signal in SIGNALS {
        let now = actions::of_program(signal).filter(|now| now.sa_sigaction != own);
        if let Some(now) = now {
            let is_default = now.sa_sigaction == libc::SIG_DFL;
            if is_default || also_handled && now.sa_sigaction != libc::SIG_IGN {
                actions::replace(signal, &now, &actions::handler(own, libc::SA_ONSTACK));
            }
        }
    }
}

/// The thread that reports, as [`own_id`] has it; 0 if none does.
static REPORTING: AtomicU64 = AtomicU64::new(0);

/// What the reporting thread was interrupted by, and where.
static FIRST: [AtomicPtr<c_void>; 2] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 2];

/// Longest time that a report takes.
const LIMIT_MS: u64 = 5_000;

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let _errno = ErrnoGuard::new();
    let own = own_id();
    // A moment more than the thread that reports has: then its timer has not helped.
    for _ in 0..LIMIT_MS + 1_000 {
        let other = match REPORTING.compare_exchange(0, own, AcqRel, Acquire) {
            Ok(_) => return first(signal, info, context),
            Err(other) if other == own => return again(context),
            Err(other) => other,
        };
        if other >> 32 != own >> 32 {
            // A thread of the parent's.
            let _ = REPORTING.compare_exchange(other, 0, AcqRel, Relaxed);
        } else {
            watchdog::wait_ms(1);
        }
    }
    hand_over(signal, info);
}

fn first(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    FIRST[0].store(info.cast(), Release);
    FIRST[1].store(context, Release);
    // From here on the thread may be on other stacks, and the frame at the top of the alternate one is needed.
    for signal in SIGNALS {
        actions::replace_handler(signal, on_signal as *const () as usize, 0);
    }
    let timer = Watchdog::start(signal, LIMIT_MS);
    let memory = CrashMemory::begin();
    let report = REPORT.load(Relaxed);
    if !report.is_null() {
        // SAFETY: only `report_with` stores it.
        let report = unsafe { std::mem::transmute::<*mut (), Report>(report) };
        report(&crash(signal, info, context));
    }
    drop(memory);
    drop(timer);
    hand_over(signal, info);
    if !actions::is_default(signal) {
        // The program's handler may go on.
        for signal in SIGNALS {
            actions::replace_handler(signal, on_signal as *const () as usize, libc::SA_ONSTACK);
        }
        REPORTING.store(0, Release);
    }
}

/// The report has crashed, or its time is up: back to where the first signal came.
fn again(context: *mut c_void) {
    let info: *mut libc::siginfo_t = FIRST[0].load(Acquire).cast();
    let earlier: *const libc::ucontext_t = FIRST[1].load(Acquire).cast();
    // SAFETY: the handler that stored it has not returned; this one interrupts it.
    let signal = unsafe { (*info).si_signo };
    hand_over(signal, info);
    // SAFETY: as above, and the kernel passed the other one to this handler.
    unsafe { resume(context.cast(), earlier) };
}

fn crash(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) -> Crash {
    // SAFETY: the kernel passes it with SA_SIGINFO.
    let info = unsafe { &*info };
    // SAFETY: as above.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    Crash {
        signal,
        code: info.si_code,
        address: match info.si_code {
            // SAFETY: set for a fault.
            1.. => unsafe { info.si_addr() as u64 },
            // SAFETY: set for a signal that a process sends; any value will do otherwise.
            _ => unsafe { info.si_pid() as u64 },
        },
        thread: own_id() as u32,
        registers: registers(context),
        preserved: preserved(context),
    }
}

/// Process and thread.
fn own_id() -> u64 {
    // SAFETY: asks the kernel for a number.
    let process = unsafe { system_call(libc::SYS_getpid, [0; 4]) } as u64;
    // SAFETY: as above.
    let thread = unsafe { system_call(libc::SYS_gettid, [0; 4]) } as u64;
    process << 32 | thread
}

/// The last code for which the instruction faults again: `SEGV_MTEAERR` and `BUS_MCEERR_AO` come later than their access.
const ASYNCHRONOUS: [(c_int, c_int); 2] = [(libc::SIGSEGV, 8), (libc::SIGBUS, 5)];

/// Installs the action that was replaced, and makes the signal happen again when the handler has returned.
fn hand_over(signal: c_int, info: *const libc::siginfo_t) {
    actions::restore(signal);
    // SAFETY: the kernel passes it with SA_SIGINFO.
    let code = unsafe { (*info).si_code };
    // What `int3` raises comes after it.
    let is_trap = signal == libc::SIGTRAP;
    if code > 0 && !is_trap && !ASYNCHRONOUS.contains(&(signal, code)) {
        return;
    }
    // Blocked until the handler returns, so that it comes where it came before.
    let mask = 1u64 << (signal - 1);
    let block = [
        libc::SIG_BLOCK as u64,
        (&raw const mask) as u64,
        0,
        size_of::<u64>() as u64,
    ];
    // SAFETY: a mask of the size that is passed.
    unsafe { system_call(libc::SYS_rt_sigprocmask, block) };
    let (process, thread) = (own_id() >> 32, own_id() & u64::from(u32::MAX));
    match seccomp::is_seccomp_active() {
        true => {
            // What `abort` itself does.
            // SAFETY: sends a signal to this thread.
            unsafe { system_call(libc::SYS_tgkill, [process, thread, signal as u64, 0]) }
        }
        false => {
            let queued = [process, thread, signal as u64, info as u64];
            // SAFETY: sends the same signal to this thread again.
            unsafe { system_call(libc::SYS_rt_tgsigqueueinfo, queued) }
        }
    };
}
