//! A library that is loaded into a running program: `aclsan attach`, and its half inside the program.

use crate::program::Program;
use crate::soak;
use crate::tally::Tally;
use crate::trial::{self, ALL, Trial};
use aclsan_log::record::ATTACHED;
use aclsan_log::{EndKind, Event};
use aclsan_tests::artifacts::{self, Topology};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

/// What the program prints.
const ANSWERS: &str = "\
detach: the process is not attached to
attach: option `guard` is not possible in a running process: addresses of blocks would be other than the runtime's, and a detach cannot \
undo that; `rear` is possible
attach: unknown option `nothing`; ACLSAN_OPTIONS=help=1 lists them
attach: done
attach: the process is attached to already: its log is `LOG`
detach: done
attach: done
detach: done
detach: the process is not attached to
attach: done
detach: done
";

#[test]
fn every_call_between_attach_and_detach_is_recorded_once_and_no_other() {
    let mut trial = Trial::new("attach/attaches.c", "itself");
    let plugin = trial.scratch.join("libplugin.so");
    let flags = ["-DROUTINE=routine"];
    let plugin = trial::library("doors/plugin.c", &plugin, &flags);
    trial.arguments([artifacts::shim(), plugin]);
    for topology in ALL {
        let run = trial.on(topology).alone();
        assert_eq!(run.code, 0, "{topology:?}: {}{}", run.stdout, run.stderr);
        assert!(!run.stderr.contains("ERROR"), "{}", run.stderr);
        let first = run.logs[0].display().to_string();
        assert_eq!(run.stdout.replace(&first, "LOG"), ANSWERS, "{topology:?}");
        let second = run.logs[0].with_extension("aclsan.1");
        // Ten pairs, three by pointers and from the plugin, and blocks that are older or live on.
        let wanted = [(run.logs[0].clone(), (14, 14)), (second, (8, 10))];
        for (log, pairs) in wanted {
            let tally = Tally::of(&log);
            assert_eq!(tally.pairs(), pairs, "{topology:?}: {:?}", tally.calls);
            let (end, _) = tally.log.end.as_ref().expect("an end");
            assert_eq!(end.kind, EndKind::Detached);
            assert!(tally.log.properties.contains_key(ATTACHED) && !tally.has_exit);
            let memory = tally
                .log
                .events()
                .filter(|timed| matches!(timed.event, Event::Memory { .. }));
            assert_eq!(memory.count(), 1, "the base line");
        }
    }
}

/// The loader then gives a late library storage for each thread when that first asks: the words of a thread are found in another way.
#[test]
fn a_program_without_room_for_more_static_tls_can_be_attached_to() {
    let mut trial = Trial::new("attach/attaches.c", "itself-dynamic-tls");
    let plugin = trial.scratch.join("libplugin.so");
    let plugin = trial::library("doors/plugin.c", &plugin, &["-DROUTINE=routine"]);
    trial.arguments([artifacts::shim(), plugin]);
    trial.environment("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=0");
    let run = trial.on(Topology::One).alone();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert_eq!(Tally::of(&run.logs[0]).pairs(), (14, 14));
}

/// A program that runs, and answers lines.
struct Running {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Running {
    fn start(name: &str, scratch: &Path, arguments: &[PathBuf]) -> Self {
        let program = Program::new(name);
        let binary = program.build(scratch);
        let mut command = program.command(&binary, Topology::One);
        command
            .args(arguments)
            .current_dir(scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let mut running = Self {
            child,
            to: to.expect("a pipe"),
            from: BufReader::new(from.expect("a pipe")),
        };
        running.ask(""); // It is in `main`.
        running
    }

    /// Sends a line and returns the answer.
    fn ask(&mut self, line: &str) -> String {
        writeln!(self.to, "{line}").expect("it reads");
        let mut answer = String::new();
        self.from.read_line(&mut answer).expect("it answers");
        answer.trim_end().to_owned()
    }

    /// The three numbers that it answers.
    fn numbers(&mut self) -> [usize; 3] {
        let answer = self.ask("");
        let numbers = answer
            .split(' ')
            .map(|text| text.parse().expect("a number"));
        let numbers: Vec<usize> = numbers.collect();
        numbers.try_into().expect("three numbers")
    }

    /// Numbers of allocations that were begun and that are done, and whose contents were right.
    fn counts(&mut self) -> (usize, usize) {
        let [begun, done, wrong] = self.numbers();
        assert_eq!(wrong, 0);
        (begun, done)
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    /// Ends the input, and waits for the end.
    fn end(self) {
        let Self { mut child, to, .. } = self;
        drop(to);
        let status = child.wait().expect("it ends");
        assert!(status.success(), "{status}");
    }
}

fn aclsan(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(artifacts::command());
    command.args(arguments).current_dir(folder);
    command.env("ACLSAN_LIB", artifacts::shim());
    command.output().expect("the command starts")
}

/// Runs a command that succeeds; returns what it prints.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = aclsan(folder, arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

/// What a command says that fails.
fn fail(folder: &Path, arguments: &[&str]) -> String {
    let output = aclsan(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr)
        .trim_end()
        .to_owned()
}

/// Allocations between an attach and a detach, at least.
const CALLS: usize = 100;

#[test]
fn a_busy_program_survives_attaches_and_detaches_and_every_call_between_is_on_record() {
    let scratch = artifacts::scratch("attach-rounds");
    let plugin = scratch.join("libplugin.so");
    let plugin = trial::library("doors/plugin.c", &plugin, &["-DROUTINE=routine"]);
    let mut program = Running::start("attach/busy.c", &scratch, &[plugin]);
    let pid = program.pid();
    for round in 0..soak::times(30, 1000) {
        let before = program.counts();
        let log = succeed(&scratch, &["attach", &pid, "-o", "round.aclsan"]);
        let attached = program.counts();
        let mut working = program.counts();
        while working.1 < attached.0 + CALLS {
            working = program.counts();
        }
        assert_eq!(log, succeed(&scratch, &["detach", &pid]));
        let after = program.counts();
        let tally = Tally::of(Path::new(&log));
        let (most, least) = (after.0 - before.1, working.1 - attached.0);
        let all = tally.allocations;
        assert!(
            (least..=most).contains(&all),
            "{round}: {all}, not {least} to {most}"
        );
        assert_eq!(
            tally.log.end.as_ref().map(|end| end.0.kind),
            Some(EndKind::Detached)
        );
        std::fs::remove_file(&log).expect("a log");
    }
    program.end();
}

#[test]
fn signals_of_any_number_reach_the_thread_that_loads_the_library() {
    let scratch = artifacts::scratch("attach-signals");
    let mut program = Running::start("attach/signals.c", &scratch, &[]);
    let pid = program.pid();
    for _ in 0..soak::times(10, 1000) {
        let before = program.numbers();
        let log = succeed(&scratch, &["attach", &pid, "-o", "signals.aclsan"]);
        assert_eq!(log, succeed(&scratch, &["detach", &pid]));
        std::fs::remove_file(&log).expect("a log");
        // Both threads go on: none waits for a signal that is lost.
        let mut after = program.numbers();
        while after[1] < before[0] || after[2] <= before[2] {
            after = program.numbers();
        }
    }
    program.end();
}

#[test]
fn a_load_that_waits_for_another_threads_is_waited_for() {
    let scratch = artifacts::scratch("attach-slow");
    let library = scratch.join("libslow.so");
    let library = trial::library("attach/slow_library.c", &library, &[]);
    let pipe = scratch.join("released");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo starts").success());
    let program = Running::start("attach/slow.c", &scratch, &[library]);
    let pid = program.pid();
    let mut attach = Command::new(artifacts::command());
    attach
        .args(["attach", &pid, "-o", "slow.aclsan"])
        .current_dir(&scratch)
        .env("ACLSAN_LIB", artifacts::shim())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut attach = attach.spawn().expect("the command starts");
    let mut said = String::new();
    let mut stderr = BufReader::new(attach.stderr.take().expect("a pipe"));
    stderr.read_line(&mut said).expect("it says why it waits");
    assert!(said.contains("still loads the library"), "{said}");
    std::fs::OpenOptions::new()
        .write(true)
        .open(&pipe)
        .expect("the constructor reads");
    assert!(attach.wait().expect("it ends").success());
    succeed(&scratch, &["detach", &pid]);
    program.end();
}

#[test]
fn processes_that_cannot_be_attached_to_are_refused_with_the_reason() {
    let scratch = artifacts::scratch("attach-refusals");
    let plugin = scratch.join("libplugin.so");
    let plugin = trial::library("doors/plugin.c", &plugin, &["-DROUTINE=routine"]);
    let mut program = Running::start("attach/busy.c", &scratch, &[plugin]);
    let pid = program.pid();
    let says = |arguments: &[&str]| fail(&scratch, arguments).replace(&pid, "PID");
    let log = scratch.join("refused.aclsan").display().to_string();
    assert_eq!(
        says(&["detach", &pid]),
        "aclsan: process PID is not attached to"
    );
    assert_eq!(
        says(&["attach", &pid, "--set", "guard=page"]),
        "aclsan: process PID: option `guard` is not possible in a running process: addresses of blocks would be other than the runtime's, \
         and a detach cannot undo that; `rear` is possible"
    );
    assert_eq!(
        says(&["attach", &pid, "-o", "/dev/null/x.aclsan"]),
        "aclsan: process PID: the process cannot write a log at `/dev/null/x.aclsan`; set `log_path` to a folder that it can write"
    );
    succeed(&scratch, &["attach", &pid, "-o", &log]);
    assert_eq!(
        says(&["attach", &pid]),
        format!("aclsan: process PID: the process is attached to already: its log is `{log}`")
    );
    program.counts();
    let output = succeed(&scratch, &["leaks", "--allow-empty", &log]);
    assert!(!output.contains("never released"), "{output}");
    program.end();
    assert_eq!(says(&["attach", &pid]), "aclsan: there is no process PID");
}

#[test]
fn a_program_that_only_computes_is_refused_and_computes_on() {
    refused("attach/computes.c", "all of them compute");
}

#[test]
fn a_thread_that_changes_the_user_is_left_alone() {
    refused("attach/changes_user.c", "it is inside `setuid`");
}

/// Attaching to the program is refused, and says why; the program runs on.
fn refused(source: &str, why: &str) {
    let scratch = artifacts::scratch(&source.replace('/', "-"));
    let program = Program::new(source);
    let mut command = program.command(&program.build(&scratch), Topology::One);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let mut from = BufReader::new(child.stdout.take().expect("a pipe"));
    from.read_line(&mut line).expect("it computes from here on");
    let pid = child.id().to_string();
    let said = fail(&scratch, &["attach", &pid, "--timeout", "1"]);
    let is_running = child.try_wait().expect("a child").is_none();
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    assert_eq!(
        said,
        format!(
            "aclsan: no thread of process {pid} came to a safe point within 1 second ({why}); try again, or give it \
             longer with --timeout"
        )
    );
    assert!(is_running);
}

#[test]
fn a_statically_linked_program_is_refused() {
    let scratch = artifacts::scratch("attach-static");
    let source = scratch.join("waits.c");
    std::fs::write(
        &source,
        "#include <unistd.h>\nint main(void) { char c; return (int)read(0, &c, 1); }\n",
    )
    .expect("scratch");
    let binary = scratch.join("waits");
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    let status = cc
        .arg("-static")
        .arg("-o")
        .arg(&binary)
        .arg(&source)
        .status();
    if !status.expect("a C compiler").success() {
        return; // There is no static libc here.
    }
    let mut command = Command::new(&binary);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    let pid = child.id().to_string();
    let said = fail(&scratch, &["attach", &pid]);
    drop(child.stdin.take());
    child.wait().expect("it ends");
    let wanted = format!(
        "aclsan: the program of process {pid} is statically linked: no library can be loaded into it"
    );
    assert_eq!(said, wanted);
}

#[test]
fn pointers_that_a_program_has_fetched_before_are_named() {
    let scratch = artifacts::scratch("attach-pointers");
    let mut program = Running::start("attach/fetches.c", &scratch, &[]);
    let pid = program.pid();
    let output = aclsan(&scratch, &["doctor", "--pid", &pid]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    for (name, place) in [("aclrtFree", "[heap]"), ("aclrtMalloc", "program")] {
        let line = format!(
            "  - the program has fetched pointers to `{name}`, and calls through them are not seen after `aclsan attach`; \
             start it with `aclsan run` to see them; they are in `{place}`"
        );
        assert!(said.lines().any(|found| found == line), "{said}");
    }
    assert_eq!(said.matches("has fetched").count(), 2, "{said}");
    let log = succeed(&scratch, &["attach", &pid, "-o", "fetches.aclsan"]);
    program.ask("");
    succeed(&scratch, &["detach", &pid]);
    assert_eq!(
        Tally::of(Path::new(&log)).pairs(),
        (1, 1),
        "only the bound calls"
    );
    program.end();
}
