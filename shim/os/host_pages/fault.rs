//! The handler of SIGSEGV: faults in pages of ours are explained and opened, all others are the program's.
//!
//! Installed with the first claim, and again after a fault of the program's. It runs on the thread's alternate stack, if it
//! has one, with all signals blocked but this one: what it calls may itself touch a page of ours.

use super::program_action;
use super::table::Touch;
use crate::errno::ErrnoGuard;
use crate::seccomp;
use crate::signal_context::registers;
use crate::system_call::system_call;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

/// An access of the program to bytes that a device uses.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The byte.
    pub address: u64,
    /// Whether it is written.
    pub writes: bool,
    /// Program counter, stack pointer, frame pointer, and on aarch64 the link register.
    pub registers: [u64; 4],
}

/// Called for each of them when the page is open, on the thread that made it.
pub type Explain = fn(&Fault);

static EXPLAIN: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// Sets what is called for each access that conflicts with a claim.
pub fn explain_with(explain: Explain) {
    EXPLAIN.store(explain as *mut (), Relaxed);
}

/// `SEGV_ACCERR`: the page is there, and the access is not allowed.
const ACCESS_ERROR: c_int = 2;
/// The last code for which the instruction faults again: `SEGV_MTEAERR` comes later than its access.
const ASYNCHRONOUS_TAG: c_int = 8;

/// Installs the handler, unless it is there already. `false` under a seccomp filter, or if the kernel refuses.
pub fn install() -> bool {
    if seccomp::is_seccomp_active() {
        return false;
    }
    let own = on_fault as *const () as usize;
    if program_action::is_installed() && program_action::is_current(own) {
        return true;
    }
    super::with(|_| {
        // SAFETY: all-zero is a valid value of every field.
        let mut handler: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
        handler.sa_sigaction = own;
        handler.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
        // SAFETY: our own set.
        unsafe { libc::sigfillset(&mut handler.sa_mask) };
        // SAFETY: our own set. SA_NODEFER alone would not take it out.
        unsafe { libc::sigdelset(&mut handler.sa_mask, libc::SIGSEGV) };
        let is_there = program_action::is_installed() && program_action::is_current(own);
        is_there || program_action::install(&handler)
    })
}

extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let _errno = ErrnoGuard::new();
    // SAFETY: the kernel passes it with SA_SIGINFO.
    let info = unsafe { &*info };
    // SAFETY: as above.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    if info.si_code != ACCESS_ERROR || !is_ours(info, context) {
        give_to_program(signal, info);
    }
}

fn is_ours(info: &libc::siginfo_t, context: &libc::ucontext_t) -> bool {
    // SAFETY: set for a fault.
    let address = unsafe { info.si_addr() } as u64;
    let reported = writes(context);
    let fault = Fault {
        address,
        writes: false,
        registers: registers(context),
    };
    match super::with(|table| table.touched(address, reported)) {
        Touch::Claimed {
            is_conflict,
            writes,
        } => {
            if is_conflict {
                explain(&Fault { writes, ..fault });
            }
            true
        }
        Touch::Opened(opening) => is_first_try(address, opening),
        Touch::Foreign => false,
    }
}

fn explain(fault: &Fault) {
    let explain = EXPLAIN.load(Relaxed);
    if !explain.is_null() {
        // SAFETY: only `explain_with` stores it.
        let explain = unsafe { std::mem::transmute::<*mut (), Explain>(explain) };
        explain(fault);
    }
}

/// Whether this thread has not yet tried again after that opening of the page. If it has, and faults still, the page is
/// protected by somebody else.
fn is_first_try(address: u64, opening: u64) -> bool {
    static TRIES: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
    // SAFETY: asks the kernel for a number.
    let thread = unsafe { system_call(libc::SYS_gettid, [0; 4]) } as u64;
    let this = (address ^ thread << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ opening ^ 1 << 63;
    TRIES[thread as usize % TRIES.len()].swap(this, Relaxed) != this
}

/// Opens everything, installs the program's action, and lets it happen.
fn give_to_program(signal: c_int, info: &libc::siginfo_t) {
    super::open_all();
    super::with(|_| program_action::restore());
    let is_sent = info.si_code <= 0 || info.si_code == ASYNCHRONOUS_TAG;
    if is_sent {
        // No instruction repeats it.
        // SAFETY: asks the kernel for a number.
        let process = unsafe { system_call(libc::SYS_getpid, [0; 4]) } as u64;
        // SAFETY: as above.
        let thread = unsafe { system_call(libc::SYS_gettid, [0; 4]) } as u64;
        let info = std::ptr::from_ref(info) as u64;
        // SAFETY: sends the same signal to this thread again.
        unsafe {
            system_call(
                libc::SYS_rt_tgsigqueueinfo,
                [process, thread, signal as u64, info],
            )
        };
    }
}

/// Bit 1 of the page fault's error code.
#[cfg(target_arch = "x86_64")]
fn writes(context: &libc::ucontext_t) -> Option<bool> {
    Some(context.uc_mcontext.gregs[libc::REG_ERR as usize] & 2 != 0)
}

/// Bit 6 of the syndrome, which the kernel puts among the records behind the registers, if it is a data abort; else by the
/// instruction, which the processor has just fetched.
#[cfg(target_arch = "aarch64")]
fn writes(context: &libc::ucontext_t) -> Option<bool> {
    syndrome(context).or_else(|| {
        let at = context.uc_mcontext.pc as *const u32;
        // SAFETY: the processor has executed it.
        super::instruction::writes(unsafe { at.read_unaligned() })
    })
}

#[cfg(target_arch = "aarch64")]
fn syndrome(context: &libc::ucontext_t) -> Option<bool> {
    const SYNDROME: u32 = 0x4553_5201;
    const DATA_ABORT: u64 = 0x24;
    // The records begin where the registers end, aligned to 16 bytes.
    let registers = std::ptr::from_ref(&context.uc_mcontext).cast::<u8>();
    let end = size_of::<libc::mcontext_t>();
    let mut at = (std::mem::offset_of!(libc::mcontext_t, pstate) + 8).next_multiple_of(16);
    while at + 16 <= end {
        // SAFETY: within the context.
        let head = unsafe {
            registers
                .wrapping_add(at)
                .cast::<[u32; 2]>()
                .read_unaligned()
        };
        if head[0] == SYNDROME {
            // SAFETY: as above; the syndrome follows the head.
            let syndrome = unsafe {
                registers
                    .wrapping_add(at + 8)
                    .cast::<u64>()
                    .read_unaligned()
            };
            return (syndrome >> 26 == DATA_ABORT || syndrome >> 26 == DATA_ABORT + 1)
                .then_some(syndrome & 1 << 6 != 0);
        }
        if head[1] < 8 {
            return None;
        }
        at += head[1] as usize;
    }
    None
}
