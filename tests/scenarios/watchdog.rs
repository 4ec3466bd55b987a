//! A run with a time limit: a hung run is killed with all its children, and the test fails with the stacks of their threads.

use crate::program::{Run, collected};
use aclsan_tests::artifacts;
use std::fmt::Write as _;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// The default time limit in seconds, far longer than any run takes.
const USUAL: u64 = 600;

/// Waits for the end, including that of children that hold its output, and collects the results.
pub fn finish(command: &mut Command, place: &Path) -> Run {
    finish_within(USUAL, command, place)
}

/// As [`finish`] does; fails after `seconds`.
pub fn finish_within(seconds: u64, command: &mut Command, place: &Path) -> Run {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.process_group(0).spawn();
    let child = child.expect("the program starts");
    let group = child.id();
    let (ended, end) = channel();
    thread::spawn(move || ended.send(child.wait_with_output().expect("its pipes are ours")));
    if let Ok(output) = end.recv_timeout(Duration::from_secs(seconds)) {
        return collected(output, place);
    }
    let stood: String = members(group).into_iter().map(threads).collect();
    let all = format!("-{group}");
    let _ = Command::new("kill").args(["-KILL", "--", &all]).status();
    // A child that left the group may still hold the pipes.
    let run = end.recv_timeout(Duration::from_secs(10));
    let (stdout, stderr) = run.map_or_else(
        |_| Default::default(),
        |output| {
            let run = collected(output, place);
            (run.stdout, run.stderr)
        },
    );
    panic!("after {seconds} s it still ran:\n{stood}\nand had said:\n{stdout}{stderr}")
}

/// The processes of a group.
fn members(group: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_member = |process: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // After the name in parentheses: state, parent, group.
        let behind = stat.rsplit_once(')').map_or("", |(_, behind)| behind);
        behind.split_whitespace().nth(2) == Some(&*group.to_string())
    };
    numbers.filter(is_member).collect()
}

/// The stacks of a process's threads: from gdb if installed, otherwise from the kernel.
fn threads(process: u32) -> String {
    let mut gdb = Command::new("gdb");
    gdb.args([
        "-batch",
        "-nx",
        "-p",
        &process.to_string(),
        "-ex",
        "thread apply all backtrace",
    ]);
    if let Ok(output) = gdb.stdin(Stdio::null()).output() {
        let stacks = String::from_utf8_lossy(&output.stdout);
        return format!("process {process}:\n{stacks}\n");
    }
    let mut reported = format!("process {process} (with gdb, here would be stacks):\n");
    let tasks = std::fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten();
    for task in tasks.flatten() {
        let read = |name| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let waits = (read("wchan"), read("syscall"));
        let _ = writeln!(
            reported,
            "thread {}: {} {}",
            task.file_name().display(),
            waits.0.trim(),
            waits.1.trim()
        );
    }
    reported
}

/// The output is complete once nobody holds the pipe.
#[test]
#[should_panic(expected = "and had said:\nbegun\n")]
fn what_hangs_is_ended_with_the_child_that_holds_its_output() {
    let place = artifacts::scratch("watchdog");
    let mut shell = Command::new("sh");
    finish_within(
        1,
        shell.args(["-c", "echo begun; sleep 1000 & wait"]),
        &place,
    );
}
