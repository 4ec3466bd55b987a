//! Runs the program under test from start to end.
//!
//! It keeps our stdin, stdout, stderr and process group. Signals sent to us are forwarded to it, and we stay to report. Signals from the
//! terminal (Ctrl-C) have reached it already, as a member of the same group, and are not sent twice. Other signals from the kernel are
//! forwarded: a timer set before `exec` made that process us was meant for the program. So is the hangup of a terminal whose session we
//! lead, as under `ssh -t` and `docker run -t`: the kernel sends it to the leader only.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::thread;

use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill};
use nix::sys::signalfd::SignalFd;
use nix::unistd::Pid;

/// Signals that are not forwarded. All others end a process that does not handle them, and are forwarded, real-time signals included.
const KEPT_SIGNALS: [Signal; 15] = [
    // Faults, and results of our own actions.
    Signal::SIGABRT,
    Signal::SIGBUS,
    Signal::SIGFPE,
    Signal::SIGILL,
    Signal::SIGPIPE,
    Signal::SIGSEGV,
    Signal::SIGSYS,
    Signal::SIGTRAP,
    Signal::SIGXFSZ,
    // Job control, or ignored by default.
    Signal::SIGCONT,
    Signal::SIGTSTP,
    Signal::SIGTTIN,
    Signal::SIGTTOU,
    Signal::SIGURG,
    Signal::SIGWINCH,
];
/// Signals that a terminal sends.
const TERMINAL_SIGNALS: [Signal; 3] = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGQUIT];

/// How a program ended.
pub struct Ended {
    /// Its process.
    pub pid: u32,
    /// Its exit status.
    pub status: ExitStatus,
}

/// Starts a program and waits for its end. Call it while this is the only thread: another thread would receive the signals.
///
/// A program that was meant to ignore `SIGCHLD` gets the default action instead: no safe call restores it.
///
/// # Errors
/// The error of starting it; see [`crate::run::program::Program::cannot_start`].
pub fn run(command: &mut Command) -> io::Result<Ended> {
    // One queue for SIGCHLD and the rest: when a signal is forwarded, the child's pid cannot have been reused yet.
    let mut signals = SigSet::all();
    KEPT_SIGNALS
        .into_iter()
        .for_each(|signal| signals.remove(signal));
    // Our parent may have set SIGCHLD to be ignored. Then the kernel would discard the exit status and wake nobody. Handlers are not
    // inherited across `exec`, so the program starts with the default action.
    signal_hook::flag::register(libc::SIGCHLD, Arc::default())?;
    let before = signals.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let ended = SignalFd::new(&signals)
        .map_err(io::Error::from)
        .and_then(|queue| follow(start(command, &before)?, &queue));
    before.thread_set_mask()?;
    ended
}

/// Starts the program with the signal mask that we were started with. A program inherits the mask of the thread that starts it, so that is
/// a separate thread: a signal during its short life ends us, as it would have just before.
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
        // The child may have ended meanwhile; the next iteration notices.
        match Signal::try_from(number) {
            Ok(Signal::SIGCHLD) => {}
            Ok(signal) if is_from_kernel && has_reached_all(signal) => {}
            Ok(signal) => drop(kill(Pid::from_raw(child.id().cast_signed()), signal)),
            Err(_) => pass_on_numbered(number, child.id()),
        }
    }
}

/// Whether a signal from the kernel has reached the program as well.
fn has_reached_all(signal: Signal) -> bool {
    let is_leader = || rustix::process::getsid(None) == Ok(rustix::process::getpid());
    TERMINAL_SIGNALS.contains(&signal) && !(signal == Signal::SIGHUP && is_leader())
}

/// Forwards a real-time signal, without its value. No safe call sends one, but every shell can.
fn pass_on_numbered(signal: i32, pid: u32) {
    let line = format!("kill -{signal} {pid}");
    let _ = Command::new("/bin/sh").args(["-c", &line]).output();
}
