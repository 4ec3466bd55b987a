//! A run that is given so long: what hangs is ended, and the test fails with where its threads stood.

use crate::program::{Run, collected};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Runs `command` to its end and collects what there is, as `finish` does; fails after `seconds`.
pub fn finish_within(seconds: u64, command: &mut Command, place: &Path) -> Run {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let number = child.id();
    let (ended, end) = channel();
    let waiting = thread::spawn(move || {
        let output = child.wait_with_output().expect("its pipes are ours");
        let _ = ended.send(());
        output
    });
    let stood = match end.recv_timeout(Duration::from_secs(seconds)) {
        Ok(()) => String::new(),
        Err(_) => {
            let stood = threads(number);
            let _ = Command::new("kill")
                .args(["-KILL", &number.to_string()])
                .status();
            stood
        }
    };
    let run = collected(waiting.join().expect("it ended"), place);
    assert!(
        stood.is_empty(),
        "after {seconds} s it still ran:\n{stood}\n{}{}",
        run.stdout,
        run.stderr
    );
    run
}

/// Where the threads of a process are: by gdb where there is one, else by what the kernel tells.
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
        return String::from_utf8_lossy(&output.stdout).into_owned();
    }
    let mut told = String::from("(with gdb, here would be their stacks)\n");
    let tasks = std::fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten();
    for task in tasks.flatten() {
        let read = |name| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let waits = (read("wchan"), read("syscall"));
        let _ = writeln!(
            told,
            "thread {}: {} {}",
            task.file_name().display(),
            waits.0.trim(),
            waits.1.trim()
        );
    }
    told
}
