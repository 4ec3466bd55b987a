//! A system call that our signal interrupted is made again: the program must not see EINTR for a signal that it did not ask for.
//!
//! The kernel does that itself where SA_RESTART applies, and not for waits with a time-out, for `epoll_wait`, `pause` and others (man 7
//! signal). A time-out that is a duration then begins again, except that of `nanosleep`, which knows what is left.

use super::tasks::Call;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

/// Calls that have done nothing when they return EINTR. Not `close`.
#[cfg(target_arch = "x86_64")]
const AGAIN: &[i64] = &[
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_epoll_wait,
    libc::SYS_pause,
];
#[cfg(target_arch = "aarch64")]
const AGAIN: &[i64] = &[];

/// As above, on every architecture.
const AGAIN_ANYWHERE: &[i64] = &[
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_rt_sigsuspend,
    libc::SYS_futex,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_io_getevents,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_recvmmsg,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
];

/// The call that a thread waited in before the signal was sent.
pub(super) struct InterruptedCall {
    /// Negative if none.
    number: AtomicI64,
    arguments: [AtomicU64; 6],
    sp: AtomicU64,
    pc: AtomicU64,
}

impl InterruptedCall {
    pub(super) fn of(call: Option<&Call>) -> Self {
        let is_known =
            |call: &&Call| AGAIN.contains(&call.number) || AGAIN_ANYWHERE.contains(&call.number);
        let call = call.filter(is_known).copied();
        let call = call.unwrap_or(Call {
            number: -1,
            arguments: [0; 6],
            sp: 0,
            pc: 0,
        });
        Self {
            number: AtomicI64::new(call.number),
            arguments: call.arguments.map(AtomicU64::new),
            sp: AtomicU64::new(call.sp),
            pc: AtomicU64::new(call.pc),
        }
    }

    /// Takes another's values.
    pub(super) fn set(&self, other: &Self) {
        self.number.store(other.number.load(Relaxed), Relaxed);
        for (own, theirs) in self.arguments.iter().zip(&other.arguments) {
            own.store(theirs.load(Relaxed), Relaxed);
        }
        self.sp.store(other.sp.load(Relaxed), Relaxed);
        self.pc.store(other.pc.load(Relaxed), Relaxed);
    }

    /// If `context` is that of this call with EINTR as its answer, lets the thread make it again.
    pub(super) fn restart(&self, context: &mut libc::ucontext_t) {
        let number = self.number.load(Relaxed);
        if number < 0 {
            return;
        }
        let arguments = self.arguments.each_ref().map(|value| value.load(Relaxed));
        let [pc, sp] = [&self.pc, &self.sp].map(|value| value.load(Relaxed));
        restart(
            context,
            Call {
                number,
                arguments,
                sp,
                pc,
            },
        );
    }
}

#[cfg(target_arch = "x86_64")]
fn restart(context: &mut libc::ucontext_t, call: Call) {
    const ARGUMENTS: [i32; 6] = [
        libc::REG_RDI,
        libc::REG_RSI,
        libc::REG_RDX,
        libc::REG_R10,
        libc::REG_R8,
        libc::REG_R9,
    ];
    let all = &mut context.uc_mcontext.gregs;
    let same = ARGUMENTS.iter().zip(call.arguments);
    let is_interrupted = all[libc::REG_RAX as usize] == -i64::from(libc::EINTR)
        && all[libc::REG_RIP as usize] as u64 == call.pc
        && all[libc::REG_RSP as usize] as u64 == call.sp
        && same
            .into_iter()
            .all(|(&at, value)| all[at as usize] as u64 == value);
    if !is_interrupted {
        return;
    }
    // The instruction `syscall` has two bytes.
    all[libc::REG_RIP as usize] -= 2;
    all[libc::REG_RAX as usize] = call.number;
    // The kernel has written what is left of the time, if the program gave it a place.
    match call.number {
        libc::SYS_nanosleep if call.arguments[1] != 0 => {
            all[libc::REG_RDI as usize] = call.arguments[1] as i64;
        }
        libc::SYS_clock_nanosleep if call.arguments[1] == 0 && call.arguments[3] != 0 => {
            all[libc::REG_RDX as usize] = call.arguments[3] as i64;
        }
        _ => {}
    }
}

#[cfg(target_arch = "aarch64")]
fn restart(context: &mut libc::ucontext_t, call: Call) {
    let all = &mut context.uc_mcontext;
    let is_interrupted = all.regs[0] == (-i64::from(libc::EINTR)) as u64
        && all.regs[8] == call.number as u64
        && all.pc == call.pc
        && all.sp == call.sp
        && all.regs[1..6] == call.arguments[1..];
    if !is_interrupted {
        return;
    }
    // Every instruction has four bytes.
    all.pc -= 4;
    all.regs[0] = call.arguments[0];
    // As above.
    match call.number {
        libc::SYS_nanosleep if call.arguments[1] != 0 => all.regs[0] = call.arguments[1],
        libc::SYS_clock_nanosleep if call.arguments[1] == 0 && call.arguments[3] != 0 => {
            all.regs[2] = call.arguments[3];
        }
        _ => {}
    }
}
