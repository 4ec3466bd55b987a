//! What the thread that stops others shares with the handler that stops them.

use super::interrupted_call::InterruptedCall;
use super::{handler_of, set_handler};
use crate::errno::ErrnoGuard;
use crate::futex;
use crate::thread_name::current_tid;
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

/// General registers, and what vector registers hold of 64 bits: the fewest that every processor has.
#[cfg(target_arch = "x86_64")]
const REGISTERS: usize = 16 + 2 * 16;
#[cfg(target_arch = "aarch64")]
const REGISTERS: usize = 32 + 2 + 2 * 32;

#[cfg(target_arch = "x86_64")]
const STACK_POINTER: usize = libc::REG_RSP as usize;
#[cfg(target_arch = "aarch64")]
const STACK_POINTER: usize = 31;

/// How long until it is looked whether a thread that was asked has ended.
const LOOK: Duration = Duration::from_millis(20);

/// The state of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum State {
    Asked,
    Stopped,
    /// It goes on.
    Unanswered,
    /// It has ended.
    Gone,
}

struct Slot {
    id: AtomicU32,
    state: AtomicU32,
    call: InterruptedCall,
    registers: [AtomicU64; REGISTERS],
}

/// One slot a thread.
pub(super) struct Table {
    slots: Box<[Slot]>,
    used: AtomicUsize,
    /// Grows with each answer; a futex.
    answers: AtomicU32,
    /// Set when all go on; a futex.
    is_over: AtomicU32,
    until: Instant,
}

/// The table of the handler.
static CURRENT: AtomicPtr<Table> = AtomicPtr::new(std::ptr::null_mut());

impl Table {
    pub(super) fn new(room: usize, until: Instant) -> Self {
        let slot = || Slot {
            id: AtomicU32::new(0),
            state: AtomicU32::new(State::Gone as u32),
            call: InterruptedCall::of(None),
            registers: [const { AtomicU64::new(0) }; REGISTERS],
        };
        Self {
            slots: (0..room).map(|_| slot()).collect(),
            used: AtomicUsize::new(0),
            answers: AtomicU32::new(0),
            is_over: AtomicU32::new(0),
            until,
        }
    }

    fn used(&self) -> &[Slot] {
        &self.slots[..self.used.load(Acquire)]
    }

    fn slot_of(&self, id: u32) -> Option<&Slot> {
        self.used().iter().find(|slot| slot.id.load(Relaxed) == id)
    }

    pub(super) fn knows(&self, id: u32) -> bool {
        self.slot_of(id).is_some()
    }

    /// Returns whether there was room.
    pub(super) fn add(&self, id: u32, state: State, call: InterruptedCall) -> bool {
        let at = self.used.load(Relaxed);
        let Some(slot) = self.slots.get(at) else {
            return false;
        };
        slot.id.store(id, Relaxed);
        slot.state.store(state as u32, Relaxed);
        slot.call.set(&call);
        self.used.store(at + 1, Release);
        true
    }

    /// Sends the signal to a thread that was added as asked.
    pub(super) fn send(&self, id: u32, signal: c_int) {
        let sent = signal_thread(id, signal);
        if sent != 0 {
            let state = if sent == libc::ESRCH {
                State::Gone
            } else {
                State::Unanswered
            };
            self.give_up(id, state);
        }
    }

    fn give_up(&self, id: u32, state: State) {
        if let Some(slot) = self.slot_of(id) {
            let asked = State::Asked as u32;
            // If it has stopped meanwhile, all the better.
            let _ = slot
                .state
                .compare_exchange(asked, state as u32, AcqRel, Acquire);
        }
    }

    /// Waits for all that were asked. Those that do not answer in time are given up.
    pub(super) fn wait(&self, until: Instant) {
        loop {
            let answers = self.answers.load(Acquire);
            if self.count(State::Asked) == 0 {
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            let asked = self.used().iter().filter(|slot| slot.is(State::Asked));
            for slot in asked {
                let id = slot.id.load(Relaxed);
                if signal_thread(id, 0) != 0 {
                    self.give_up(id, State::Gone);
                } else if left.is_zero() {
                    self.give_up(id, State::Unanswered);
                }
            }
            futex::wait(&self.answers, answers, left.min(LOOK));
        }
    }

    pub(super) fn count(&self, state: State) -> usize {
        self.used().iter().filter(|slot| slot.is(state)).count()
    }

    pub(super) fn stack_pointers(&self) -> Vec<u64> {
        let stopped = self.used().iter().filter(|slot| slot.is(State::Stopped));
        stopped
            .map(|slot| slot.registers[STACK_POINTER].load(Relaxed))
            .collect()
    }

    pub(super) fn registers(&self) -> Vec<u64> {
        let stopped = self.used().iter().filter(|slot| slot.is(State::Stopped));
        stopped
            .flat_map(|slot| slot.registers.iter().map(|value| value.load(Relaxed)))
            .collect()
    }

    /// Lets all go on.
    pub(super) fn release(&self) {
        self.is_over.store(1, Release);
        futex::wake_all(&self.is_over);
    }
}

impl Slot {
    fn is(&self, state: State) -> bool {
        self.state.load(Acquire) == state as u32
    }
}

/// Makes `signal` stop the thread that gets it.
pub(super) fn install(table: &'static Table, signal: c_int) -> bool {
    CURRENT.store(std::ptr::from_ref(table).cast_mut(), Release);
    let flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
    handler_of(signal) == Some(libc::SIG_DFL)
        && set_handler(signal, on_stop as *const () as usize, flags)
}

/// Gives the signal back, unless the program has taken it meanwhile. Ignoring it first drops what threads that block it have not got yet:
/// by default it would end the process.
pub(super) fn remove(signal: c_int) {
    let own = on_stop as *const () as usize;
    if handler_of(signal) == Some(own) && set_handler(signal, libc::SIG_IGN, 0) {
        set_handler(signal, libc::SIG_DFL, 0);
    }
}

extern "C" fn on_stop(_: c_int, _: *mut libc::siginfo_t, context: *mut c_void) {
    let _errno = ErrnoGuard::new();
    // SAFETY: null, or a table that is never freed.
    let Some(table) = (unsafe { CURRENT.load(Acquire).as_ref() }) else {
        return;
    };
    let Some(slot) = table.slot_of(current_tid()) else {
        return;
    };
    // SAFETY: the kernel passes it with SA_SIGINFO.
    let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
    if slot.is(State::Asked) {
        store(context, &slot.registers);
    }
    slot.call.restart(context);
    let (asked, stopped) = (State::Asked as u32, State::Stopped as u32);
    if slot
        .state
        .compare_exchange(asked, stopped, AcqRel, Acquire)
        .is_err()
    {
        return;
    }
    table.answers.fetch_add(1, Release);
    futex::wake_all(&table.answers);
    while table.is_over.load(Acquire) == 0 {
        let left = table.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        futex::wait(&table.is_over, 0, left);
    }
}

#[cfg(target_arch = "x86_64")]
fn store(context: &libc::ucontext_t, to: &[AtomicU64; REGISTERS]) {
    let (general, vector) = to.split_at(16);
    for (to, value) in general.iter().zip(context.uc_mcontext.gregs) {
        to.store(value as u64, Relaxed);
    }
    // SAFETY: null, or where the kernel has saved them, on this thread's stack.
    if let Some(saved) = unsafe { context.uc_mcontext.fpregs.as_ref() } {
        for (to, value) in vector.chunks_exact(2).zip(&saved._xmm) {
            let [a, b, c, d] = value.element.map(u64::from);
            to[0].store(a | b << 32, Relaxed);
            to[1].store(c | d << 32, Relaxed);
        }
    }
}

#[cfg(target_arch = "aarch64")]
fn store(context: &libc::ucontext_t, to: &[AtomicU64; REGISTERS]) {
    let general = context.uc_mcontext.regs;
    // The reserved part begins with `fpsimd_context`: a header of two words and the registers.
    let vector = (&raw const context.uc_mcontext)
        .wrapping_add(1)
        .cast::<u64>();
    for (index, to) in to.iter().enumerate() {
        let value = match index {
            0..31 => general[index],
            31 => context.uc_mcontext.sp,
            // SAFETY: as above, on this thread's stack; the kernel's structure has 4 KiB there.
            _ => unsafe {
                vector
                    .wrapping_sub(RESERVED_WORDS)
                    .wrapping_add(index - 32)
                    .read()
            },
        };
        to.store(value, Relaxed);
    }
}

/// Words of the reserved part, with which the structure ends.
#[cfg(target_arch = "aarch64")]
const RESERVED_WORDS: usize = 4096 / 8;

/// Returns 0 or the error's number.
fn signal_thread(id: u32, signal: c_int) -> c_int {
    // SAFETY: asks the kernel for a number.
    let process = unsafe { libc::syscall(libc::SYS_getpid) };
    // SAFETY: to a thread of this process; the handler is installed.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, process, id, signal) };
    match sent {
        0 => 0,
        _ => std::io::Error::last_os_error()
            .raw_os_error()
            .unwrap_or(libc::EPERM),
    }
}
