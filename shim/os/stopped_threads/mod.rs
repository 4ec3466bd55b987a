//! Stops the other threads for a moment, in the handler of a signal that nobody uses, so that their registers and their memory can be read.
//!
//! LeakSanitizer does it with ptrace, from a process of its own; a sandbox, a container or Yama may forbid that. A thread that blocks the
//! signal, or does not answer in time, is counted and goes on.
//!
//! A stopped thread may hold any lock: until all of them go on, nothing may be called that takes one, libc's allocator included. The lock
//! of our own memory is taken first ([`arena::with_lock`]). Whatever happens, each thread goes on by itself when the time is up.
//!
//! Calls that the signal interrupts are made again, also those for which the kernel would return EINTR ([`interrupted_call`]).

mod interrupted_call;
mod table;
mod tasks;

use crate::{arena, signal_action};
use interrupted_call::InterruptedCall;
use std::ffi::c_int;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use table::{State, Table};
use tasks::{Task, Tasks};

/// How long to wait for threads to answer, and for those that start meanwhile.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a thread may block the signal: glibc blocks all signals where a thread starts another, and where it begins and ends.
const BRIEFLY: Duration = Duration::from_millis(100);
/// Threads that may start meanwhile.
const SPARE: usize = 64;

/// Never stops this thread, one of ours that holds nothing of the program; 0 for none.
pub fn leave_out(thread: u32) {
    tasks::LEFT_OUT.store(thread, Relaxed);
}

/// The other threads, stopped until this is dropped or `until` is past.
pub struct StoppedThreads {
    table: &'static Table,
    signal: Option<c_int>,
    unanswered: usize,
}

impl StoppedThreads {
    /// Stops what runs. The table of registers is never freed: a late signal may still find it.
    pub fn stop(until: Instant) -> Self {
        let expected = std::fs::read_dir("/proc/self/task").map_or(0, |tasks| tasks.count());
        let mut tasks = Tasks::new();
        let mut this = Self {
            table: Box::leak(Box::new(Table::new(expected + SPARE, until))),
            signal: None,
            unanswered: 0,
        };
        if expected > 1 {
            arena::with_lock(|| this.ask_all(&mut tasks, until));
        }
        this
    }

    /// Values of the stopped threads' registers.
    pub fn registers(&self) -> Vec<u64> {
        self.table.registers()
    }

    /// Their stack pointers.
    pub fn stack_pointers(&self) -> Vec<u64> {
        self.table.stack_pointers()
    }

    /// Threads that were stopped.
    pub fn stopped(&self) -> usize {
        self.table.count(State::Stopped)
    }

    /// Threads that go on: what only their registers hold is not known.
    pub fn unanswered(&self) -> usize {
        self.unanswered
    }

    /// Allocates nothing: see the module.
    fn ask_all(&mut self, tasks: &mut Tasks, until: Instant) {
        self.signal = tasks
            .unused_signal()
            .filter(|&signal| table::install(self.table, signal));
        let (until, briefly) = (
            until.min(Instant::now() + PATIENCE),
            Instant::now() + BRIEFLY,
        );
        loop {
            let may_wait = Instant::now() < briefly;
            // A thread that was asked may have started another before it stopped.
            let (mut is_complete, mut waits) = (true, false);
            let is_listed = tasks.each(|task| {
                if !self.table.knows(task.id) {
                    match self.ask(task, may_wait) {
                        Asked::Yes => is_complete = false,
                        Asked::Later => waits = true,
                        Asked::Never => {}
                    }
                }
            });
            self.table.wait(until);
            if !is_listed || !is_complete && Instant::now() >= until {
                // Others go on that are not known, or they start faster than they can be stopped.
                self.unanswered += 1;
                break;
            }
            if is_complete && !waits {
                break;
            }
            if waits {
                tasks::pause();
            }
        }
        self.unanswered += self.table.count(State::Unanswered);
    }

    fn ask(&mut self, task: &Task, may_wait: bool) -> Asked {
        if task.is_gone() {
            return Asked::Never;
        }
        let signal = self.signal.filter(|&signal| task.can_be_asked(signal));
        if signal.is_none() && self.signal.is_some() && may_wait && !task.waits_for_signals() {
            return Asked::Later;
        }
        let call = InterruptedCall::of(task.call.as_ref());
        let state = match signal {
            Some(_) => State::Asked,
            None => State::Unanswered,
        };
        if !self.table.add(task.id, state, call) {
            self.unanswered += 1; // More threads than there is room for.
            return Asked::Never;
        }
        if let Some(signal) = signal {
            self.table.send(task.id, signal);
        }
        Asked::Yes
    }
}

/// Whether a thread was asked to stop.
enum Asked {
    Yes,
    Later,
    Never,
}

impl Drop for StoppedThreads {
    fn drop(&mut self) {
        self.table.release();
        if let Some(signal) = self.signal {
            table::remove(signal);
        }
    }
}

/// The handler of a signal.
fn handler_of(signal: c_int) -> Option<usize> {
    signal_action::current(signal).map(|action| action.sa_sigaction)
}

fn set_handler(signal: c_int, handler: usize, flags: c_int) -> bool {
    signal_action::set(signal, &signal_action::blocking_all(handler, flags))
}

#[cfg(test)]
mod tests;
