//! A thread of another process, stopped. It runs on, as it was, when the value is dropped. Signals that come meanwhile are passed on.

use std::io;
use std::time::{Duration, Instant};

use aclsan_os::trace::{self, Found};
use nix::errno::Errno;
use nix::libc::{SIGBUS, SIGFPE, SIGILL, SIGSEGV, WIFSTOPPED, WSTOPSIG, user_regs_struct};
use nix::sys::ptrace::{self, Options, RegisterSet, regset};
use nix::sys::signal::{SigSet, SigmaskHow};
use nix::unistd::Pid;

/// Time for a thread to stop. One that sleeps in the kernel uninterruptibly takes longer.
const STOPS_WITHIN: Duration = Duration::from_secs(2);
/// Between two looks whether it has stopped.
const PAUSE: Duration = Duration::from_micros(200);

/// Floating-point and vector registers, as far as the kernel's oldest interface has them. In a system call of libc the others are unused.
type Vectors = <regset::NT_PRFPREG as RegisterSet>::Regs;

/// A stopped thread.
pub struct Stopped {
    tid: Pid,
    /// Its registers as it was stopped.
    pub registers: user_regs_struct,
    vectors: Vectors,
    /// Whether registers are to be restored.
    is_changed: bool,
    is_running: bool,
    /// This command's signals, which wait meanwhile: without it, the thread would be lost in a half-made call.
    blocked: SigSet,
}

/// Why a thread has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// As asked, or with its process.
    Interrupted,
    /// It is about to get a signal.
    Signal(i32),
    /// It is not there any more.
    Ended,
}

impl Stopped {
    /// Stops a thread.
    ///
    /// # Errors
    /// `ESRCH` if it has ended, `EPERM` if this user may not trace it or another process does, `ETIMEDOUT` if it does not stop.
    pub fn stop(tid: i32) -> nix::Result<Self> {
        let tid = Pid::from_raw(tid);
        Self::with_signals_blocked(|blocked| {
            ptrace::seize(tid, Options::empty())?;
            ptrace::interrupt(tid)?;
            Self::stopping(tid, blocked, Instant::now() + STOPS_WITHIN)
        })
    }

    /// The same for a thread for which [`stop`](Self::stop) returned `ETIMEDOUT`, without a wait: it is still traced, and asked to stop.
    ///
    /// # Errors
    /// `ESRCH` or `ECHILD` if it has ended, `ETIMEDOUT` if it has not stopped yet.
    pub fn late(tid: i32) -> nix::Result<Self> {
        Self::with_signals_blocked(|blocked| {
            Self::stopping(Pid::from_raw(tid), blocked, Instant::now())
        })
    }

    fn with_signals_blocked(stop: impl FnOnce(SigSet) -> nix::Result<Self>) -> nix::Result<Self> {
        let blocked = SigSet::all().thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
        let stopped = stop(blocked);
        if stopped.is_err() {
            blocked.thread_set_mask()?;
        }
        stopped
    }

    fn stopping(tid: Pid, blocked: SigSet, end: Instant) -> nix::Result<Self> {
        loop {
            match wait(tid, end)? {
                Stop::Interrupted => break,
                Stop::Signal(signal) => resume(tid, signal)?,
                Stop::Ended => return Err(Errno::ESRCH),
            }
        }
        Ok(Self {
            tid,
            registers: ptrace::getregs(tid)?,
            vectors: ptrace::getregset::<regset::NT_PRFPREG>(tid)?,
            is_changed: false,
            is_running: false,
            blocked,
        })
    }

    /// Lets it run with other registers.
    ///
    /// # Errors
    /// If it is gone.
    pub fn run(&mut self, registers: user_regs_struct) -> nix::Result<()> {
        self.is_changed = true;
        ptrace::setregs(self.tid, registers)?;
        self.go_on(0)
    }

    /// Lets it run on, with a signal or, for 0, without.
    ///
    /// # Errors
    /// If it is gone.
    pub fn go_on(&mut self, signal: i32) -> nix::Result<()> {
        resume(self.tid, signal)?;
        self.is_running = true;
        Ok(())
    }

    /// Waits until it stops again.
    ///
    /// # Errors
    /// `ETIMEDOUT` if it does not until `end`.
    pub fn wait(&mut self, end: Instant) -> nix::Result<Stop> {
        let stop = wait(self.tid, end)?;
        self.is_running = false;
        Ok(stop)
    }

    /// Stops it in the middle of what it does.
    ///
    /// # Errors
    /// If it is gone, or does not stop.
    pub fn interrupt(&mut self) -> nix::Result<Stop> {
        ptrace::interrupt(self.tid)?;
        self.wait(Instant::now() + STOPS_WITHIN)
    }

    /// Its registers now.
    ///
    /// # Errors
    /// If it is gone.
    pub fn current_registers(&self) -> nix::Result<user_regs_struct> {
        ptrace::getregs(self.tid)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        // Errors mean that the thread is gone.
        let stop = if self.is_running {
            self.interrupt().ok()
        } else {
            None
        };
        let signal = match stop {
            // A fault is the call's, which is given up.
            Some(Stop::Signal(SIGSEGV | SIGBUS | SIGILL | SIGFPE)) => 0,
            Some(Stop::Signal(signal)) => signal,
            _ => 0,
        };
        if self.is_changed {
            let _ = ptrace::setregs(self.tid, self.registers);
            let _ = ptrace::setregset::<regset::NT_PRFPREG>(self.tid, self.vectors);
        }
        let _ = trace::detach(self.tid.as_raw(), signal);
        let _ = self.blocked.thread_set_mask();
    }
}

fn wait(tid: Pid, end: Instant) -> nix::Result<Stop> {
    loop {
        match trace::look(tid.as_raw()).map_err(number)? {
            Found::Running if Instant::now() > end => return Err(Errno::ETIMEDOUT),
            Found::Running => std::thread::sleep(PAUSE),
            Found::Changed(status) if !WIFSTOPPED(status) => return Ok(Stop::Ended),
            // A stop that is no signal's: as asked, with its process, or at an event.
            Found::Changed(status) if status >> 16 != 0 => return Ok(Stop::Interrupted),
            Found::Changed(status) => return Ok(Stop::Signal(WSTOPSIG(status))),
        }
    }
}

fn resume(tid: Pid, signal: i32) -> nix::Result<()> {
    trace::resume(tid.as_raw(), signal).map_err(number)
}

fn number(error: io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or_default())
}
