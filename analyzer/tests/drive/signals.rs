//! Signals to the program and from it.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Stdio};

use nix::libc;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::bench::{Bench, outcome};

/// Waits until the thread that started the program is gone: before that, a signal to us may end us, as it would have before the start.
const READY: &str = "while [ $(ls /proc/$PPID/task | wc -l) -gt 1 ]; do :; done; echo ready";

#[test]
fn a_program_that_a_signal_ends_gives_128_and_its_number() {
    let bench = Bench::new();
    for (signal, code) in [("KILL", 137), ("TERM", 143), ("SEGV", 139), ("ABRT", 134)] {
        let script = format!("kill -{signal} $$");
        let (got, _, err) = outcome(&mut bench.run(&["--", "sh", "-c", &script]));
        assert_eq!(got, code);
        assert!(err.contains(&format!("SIG{signal}")), "{err}");
    }
}

#[test]
fn a_signal_to_us_reaches_the_program_and_its_answer_counts() {
    let bench = Bench::new();
    let timers = "ALRM VTALRM PROF XCPU";
    for signal in format!("TERM INT HUP USR1 IO 40 {timers}").split(' ') {
        // During `read`, a shell would run its trap only after a line.
        let script =
            format!("trap 'kill $!; exit 9' {signal}; sleep 60 >/dev/null 2>&1 & {READY}; wait");
        // A shell cannot trap a signal that was ignored when it started, as SIGINT is in a background job.
        let mut child = started(bench.run(&["--", "env", "--default-signal", "sh", "-c", &script]));
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(9), "{signal}");
    }
}

/// Under `ssh -t` and `docker run -t` we lead the session, and the kernel sends the hangup to the leader only.
#[test]
fn the_program_gets_the_hangup_of_a_terminal_whose_session_we_lead() {
    let bench = Bench::new();
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let terminal = openpt(flags).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let near = File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NOCTTY)
        .open(name.to_str().unwrap());
    let script = format!("trap 'kill $!; exit 9' HUP; sleep 60 >/dev/null 2>&1 & {READY}; wait");
    let command = bench.run(&["--", "sh", "-c", &script]);
    let mut leading = Command::new("setsid");
    leading
        .arg("--ctty")
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(&bench.folder)
        .stdin(near.unwrap());
    let mut child = started(leading);
    drop(terminal);
    assert_eq!(child.wait().unwrap().code(), Some(9));
}

#[test]
fn a_timer_that_was_set_before_us_interrupts_the_program() {
    if Command::new("perl").arg("-v").output().is_err() {
        return;
    }
    let bench = Bench::new();
    let command = bench.run(&[
        "--",
        "sh",
        "-c",
        "trap 'kill $!; exit 9' ALRM; sleep 60 & wait",
    ]);
    let mut timed = Command::new("perl");
    timed
        .args(["-e", "alarm 2; exec @ARGV"])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(&bench.folder)
        .stdout(Stdio::null());
    assert_eq!(timed.status().unwrap().code(), Some(9));
}

#[test]
fn we_stay_until_a_program_that_ignores_a_signal_ends() {
    let bench = Bench::new();
    let script = format!("trap '' TERM; {READY}; read line; exit 6");
    let mut command = bench.run(&["--", "sh", "-c", &script]);
    command.stdin(Stdio::piped());
    let mut child = started(command);
    send("TERM", &child);
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(6));
}

#[test]
fn the_program_starts_with_no_signal_blocked() {
    let bench = Bench::new();
    let (_, out, _) = outcome(&mut bench.run(&["--", "grep", "SigBlk", "/proc/self/status"]));
    assert_eq!(out, "SigBlk:\t0000000000000000\n");
}

#[test]
fn an_exit_code_is_known_where_ended_children_are_ignored() {
    let bench = Bench::new();
    let command = bench.run(&["--", "sh", "-c", "exit 7"]);
    let mut ignoring = Command::new("timeout");
    ignoring
        .args(["60", "env", "--ignore-signal=CHLD"])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(&bench.folder);
    assert_eq!(outcome(&mut ignoring).0, 7);
}

/// Starts a command and waits until its program is ready.
fn started(mut command: Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "ready\n");
    child
}

fn send(signal: &str, child: &Child) {
    let status = Command::new("kill")
        .args([format!("-{signal}"), child.id().to_string()])
        .status();
    assert!(status.unwrap().success());
}
