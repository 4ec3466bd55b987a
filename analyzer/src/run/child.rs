//! The program under test, from start to end.
//!
//! It keeps our stdin, stdout, stderr and process group. Signals that are sent to us are passed on to it and we stay, to report; what a
//! terminal sends (Ctrl-C) has reached it already, as a member of the same group, and is not sent twice. What the kernel sends by itself
//! besides is passed on: a timer that somebody set before they became us was to interrupt the program. So is the end of a terminal whose
//! session we lead, as under `ssh -t` and `docker run -t`: of that the kernel tells the leader alone.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::thread;

use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::signalfd::SignalFd;
use nix::unistd::Pid;

/// All others end whoever does not expect them, and are passed on: those for real time, too.
const KEPT_SIGNALS: [Signal; 15] = [
    // Faults, and answers to what we do ourselves.
    Signal::SIGABRT,
    Signal::SIGBUS,
    Signal::SIGFPE,
    Signal::SIGILL,
    Signal::SIGPIPE,
    Signal::SIGSEGV,
    Signal::SIGSYS,
    Signal::SIGTRAP,
    Signal::SIGXFSZ,
    // These stop us and let us go on, or do nothing.
    Signal::SIGCONT,
    Signal::SIGTSTP,
    Signal::SIGTTIN,
    Signal::SIGTTOU,
    Signal::SIGURG,
    Signal::SIGWINCH,
];
/// What a terminal sends.
const TERMINAL_SIGNALS: [Signal; 3] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT];

/// How a program ended.
pub struct Ended {
    /// Its process.
    pub pid: u32,
    /// Its exit status.
    pub status: ExitStatus,
}

/// Starts a program and waits for its end. Call it while this is the only thread: another one would take the signals.
///
/// A program that was to ignore `SIGCHLD` gets the system's default for it: there is no safe call that would give it back.
///
/// # Errors
/// What starting it answers; see [`crate::run::program::Program::cannot_start`].
pub fn run(command: &mut Command) -> io::Result<Ended> {
    // One queue for SIGCHLD and the rest: by the time that a signal is passed on, the program's number cannot be another process's yet.
    let mut signals = SigSet::all();
    KEPT_SIGNALS
        .into_iter()
        .for_each(|signal| signals.remove(signal));
    // Whoever started us may ignore it. Then the kernel would throw the program's exit status away, and wake nobody. What a process does on
    // a signal is not inherited by a program that it starts, so ours begins with the default.
    signal_hook::flag::register(libc::SIGCHLD, Arc::default())?;
    let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let ended = SignalFd::new(&signals)
        .map_err(io::Error::from)
        .and_then(|queue| follow(start(command, &before)?, &queue));
    before.thread_set_mask()?;
    ended
}

/// Starts the program with the signal mask that we were started with. A program inherits the mask of the thread that starts it, so that
/// is a thread of its own: what arrives during its moment of life ends us, as it would have a moment before.
fn start(command: &mut Command, mask: &SigSet) -> io::Result<Child> {
    let starter = || {
        mask.thread_set_mask()?;
        command.spawn()
    };
    thread::scope(|scope| {
        let starter = thread::Builder::new().spawn_scoped(scope, starter)?;
        let panicked = |_| Err(io::Error::other("the thread that starts it has panicked"));
        starter.join().unwrap_or_else(panicked)
    })
}

fn follow(mut child: Child, queue: &SignalFd) -> io::Result<Ended> {
    loop {
        if let Some(status) = child.try_wait()? {
            let pid = child.id();
            return Ok(Ended { pid, status });
        }
        let signal = match queue.read_signal() {
            Ok(Some(signal)) => signal,
            Ok(None) | Err(nix::errno::Errno::EINTR) => continue,
            Err(error) => return Err(error.into()),
        };
        let number = signal.ssi_signo.cast_signed();
        let is_from_kernel = signal.ssi_code == libc::SI_KERNEL;
        // It may have ended meanwhile; the next turn sees that.
        match Signal::try_from(number) {
            Ok(Signal::SIGCHLD) => {}
            Ok(signal) if is_from_kernel && has_reached_all(signal) => {}
            Ok(signal) => drop(kill(Pid::from_raw(child.id().cast_signed()), signal)),
            Err(_) => pass_on_numbered(number, child.id()),
        }
    }
}

/// Whether a signal from the kernel went to the program as well.
fn has_reached_all(signal: Signal) -> bool {
    let is_leader = || rustix::process::getsid(None) == Ok(rustix::process::getpid());
    TERMINAL_SIGNALS.contains(&signal) && !(signal == Signal::SIGHUP && is_leader())
}

/// Passes on a signal for real time, without the value that it may carry. There is no safe call for one, but every shell has a command.
fn pass_on_numbered(signal: i32, pid: u32) {
    let line = format!("kill -{signal} {pid}");
    let _ = Command::new("/bin/sh").args(["-c", &line]).output();
}
