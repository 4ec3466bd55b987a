//! `aclsan run` on test programs: its output and exit codes.

use crate::program::Program;
use aclsan_tests::artifacts::{self, Topology};
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Output};

/// A program in its own folder, with a suppressions file.
struct Driven {
    scratch: PathBuf,
    program: PathBuf,
}

impl Driven {
    fn new(name: &str, test: &str) -> Self {
        let scratch = artifacts::scratch(&format!("driven-{test}"));
        let program = Program::new(name).build(&scratch);
        Self { scratch, program }
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.scratch.join(name), text).expect("the folder can be written");
    }

    /// The exit code and the output.
    fn run(&self, options: &[&str]) -> (Option<i32>, String) {
        self.run_with(options, &[])
    }

    /// The same for a program with arguments.
    fn run_with(&self, options: &[&str], arguments: &[&str]) -> (Option<i32>, String) {
        self.run_by(plain(), options, arguments)
    }

    /// The same, for a `command` that ends with the command's own name.
    fn run_by(
        &self,
        command: Command,
        options: &[&str],
        arguments: &[&str],
    ) -> (Option<i32>, String) {
        let mut command = self.completed(command, options, arguments);
        let Output { status, stderr, .. } = command.output().expect("aclsan runs");
        (status.code(), String::from_utf8_lossy(&stderr).into_owned())
    }

    fn completed(&self, mut command: Command, options: &[&str], arguments: &[&str]) -> Command {
        command
            .arg("run")
            .args(options)
            .arg("--")
            .arg(&self.program)
            .args(arguments);
        command.env("LD_LIBRARY_PATH", Topology::One.libraries());
        command.env_remove("LD_PRELOAD");
        command.env("ACLSAN_LIB", artifacts::shim());
        command.current_dir(&self.scratch);
        command
    }
}

/// The command without options from the environment of the tests.
fn plain() -> Command {
    let mut command = Command::new(artifacts::command());
    command.env_remove("ACLSAN_OPTIONS");
    command
}

#[test]
fn run_leaves_out_what_a_suppression_covers_and_says_so() {
    let driven = Driven::new("leaks/leak.c", "suppressions");
    let wants = ["--error-exitcode", "9"];
    let (code, said) = driven.run(&wants);
    assert_eq!(code, Some(9), "{said}");
    assert!(said.contains("ERROR: aclsan: leak: 3 blocks"), "{said}");

    // One of three sites is suppressed: the others still count.
    driven.file("layer.supp", "leak:layer # until they have an owner\n");
    let one = [&wants[..], &["--suppressions", "layer.supp"]].concat();
    let (code, said) = driven.run(&one);
    assert_eq!(code, Some(9), "{said}");
    assert!(!said.contains("leak: 3 blocks"), "{said}");
    assert!(said.contains("leak: 1 block, 4096 bytes"), "{said}");

    driven.file("rest.supp", "leak:pinned\nleak:dvpp\n");
    let all = [&one[..], &["--suppressions", "rest.supp"]].concat();
    let (code, said) = driven.run(&all);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("ERROR: aclsan: leak"), "{said}");

    let (code, said) = driven.run(&["--suppressions", "none.supp"]);
    assert_eq!(code, Some(125), "{said}");
    assert!(said.contains("none.supp"), "{said}");
}

#[test]
fn a_report_that_cannot_be_written_hides_no_finding() {
    let driven = Driven::new("leaks/leak.c", "unwritable");
    let (code, said) = driven.run(&["--error-exitcode", "9", "--report", "no/such/file"]);
    assert_eq!(code, Some(9), "{said}");
    assert!(said.contains("cannot write `no/such/file`"), "{said}");
}

#[test]
fn a_run_whose_log_had_no_room_does_not_look_clean() {
    let driven = Driven::new("odd/changes.c", "room");
    let options = ["--set", "mode=record", "--error-exitcode", "9"];
    let arguments = ["nothing", "later", "100000"];
    let (code, said) = driven.run_with(&options, &arguments);
    assert_eq!(code, Some(0), "{said}");
    // 200,000 events of 6 bytes and more.
    let small = [&options[..], &["--set", "log_mb=1"]].concat();
    let (code, said) = driven.run_with(&small, &arguments);
    assert_eq!(code, Some(9), "{said}");
    assert!(said.contains("events could not be recorded"), "{said}");
}

#[test]
fn a_run_whose_log_is_gone_does_not_look_clean() {
    let mut driven = Driven::new("process/folder_gone.c", "gone");
    let lists = driven.scratch.join("lists");
    std::fs::create_dir_all(&lists).expect("scratch");
    let program = driven.program.display().to_string();
    let aclsan = artifacts::command().display().to_string();
    driven.program = "sh".into();
    for (script, is_gone) in [
        ("\"$0\" logs", true),
        ("\"$0\" nothing", false),
        ("\"$0\" nothing && mv logs/log.aclsan logs/other", false),
        ("\"$0\" nothing && rm -rf moved && mv logs moved", true),
        ("\"$0\" nothing && : > logs/log.aclsan", true),
        (
            "\"$0\" nothing && rm logs/log.aclsan && \"$0\" nothing",
            true,
        ),
        ("\"$0\" nothing && \"$1\" pack --rm logs/*", false),
        (":", false),
    ] {
        let _ = std::fs::remove_dir_all(driven.scratch.join("logs"));
        let mut command = Command::new(artifacts::command());
        command.env_remove("ACLSAN_OPTIONS").env("TMPDIR", &lists);
        let options = ["--error-exitcode", "9", "-o", "logs/log.aclsan"];
        let arguments = ["-c", script, &program, &aclsan];
        let (code, said) = driven.run_by(command, &options, &arguments);
        assert_eq!(code, Some(if is_gone { 9 } else { 0 }), "{script}: {said}");
        let reported = "logs/log.aclsan`, is gone or cannot be read";
        assert_eq!(said.contains(reported), is_gone, "{script}: {said}");
        let is_unseen = said.contains("no AscendCL call was seen");
        assert_eq!(is_unseen, script == ":", "{script}: {said}");
        let left = std::fs::read_dir(&lists).expect("scratch").count();
        assert_eq!(left, 0, "{script}: the list goes with the run");
    }
    // The list is written elsewhere if its folder is not a folder.
    for unusable in ["", "no-such-folder", "/no/such/folder", "it's"] {
        let mut command = Command::new(artifacts::command());
        command.env_remove("ACLSAN_OPTIONS").env("TMPDIR", unusable);
        let options = ["--error-exitcode", "9", "-o", "logs/log.aclsan"];
        let arguments = ["-c", "\"$0\" logs", &program];
        let (code, said) = driven.run_by(command, &options, &arguments);
        assert_eq!(code, Some(9), "{unusable}: {said}");
    }
}

#[test]
fn the_log_is_found_wherever_its_name_leads() {
    let driven = Driven::new("leaks/leak.c", "places");
    std::fs::create_dir(driven.scratch.join("there")).expect("scratch");
    let command = |variable: &str, value: &str| {
        let mut command = Command::new(artifacts::command());
        command.env_remove("ACLSAN_OPTIONS").env(variable, value);
        command
    };
    let (branch, nothing) = (("REF", "feature/x"), ("UNUSED", ""));
    for ((variable, value), option) in [
        (branch, "--log=ci/%q{REF}-%p.aclsan"),
        (branch, "--log=%q{REF}/%q{ACLSAN_NO_SUCH}/%p.aclsan"),
        (nothing, "--log=logs/%q{ACLSAN_NO_SUCH}/log.aclsan"),
        (nothing, "--set=log_path=new/"),
        (nothing, "--set=log_path=there"),
        (("ACLSAN_OPTIONS", "log_path=newer/"), "--guard=rear"),
    ] {
        let options = ["--error-exitcode", "9", option];
        let (code, said) = driven.run_by(command(variable, value), &options, &[]);
        assert_eq!(code, Some(9), "{option}: {said}");
        assert!(said.contains("aclsan: leak: 3 blocks"), "{option}: {said}");
    }
}

#[test]
fn a_log_without_a_place_goes_to_the_temporary_folder_or_is_said_to_be_lost() {
    let driven = Driven::new("leaks/leak.c", "no-place");
    let mut command = Command::new("sh");
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \"$@\"";
    command.args(["-c", script]).arg(artifacts::command());
    command.env("TMPDIR", &driven.scratch);
    let (code, said) = driven.run_by(command, &["--error-exitcode", "9"], &[]);
    assert_eq!(code, Some(9), "{said}");
    assert!(said.contains("so the log goes to"), "{said}");

    driven.file("file", "no folder");
    let mut command = Command::new(artifacts::command());
    command.env("REF", "file");
    let (_, said) = driven.run_by(command, &["--log=%q{REF}/%p.aclsan"], &[]);
    assert!(said.contains("no log of this run was found"), "{said}");
    assert!(!said.contains("no AscendCL call was seen"), "{said}");
}

#[test]
fn run_preloads_what_a_scan_needs() {
    let driven = Driven::new("leaks/leak_reachable.c", "scan");
    let (code, said) = driven.run(&["--set", "leak_scan=1", "--error-exitcode", "9"]);
    assert_eq!(code, Some(9), "{said}");
    assert!(!said.contains("needs libaclsan_free.so"), "{said}");
    for line in [
        "lost: 4288 bytes in 4 blocks", // 3 * 64 + 4096
        "still reachable: 13.9 KiB in 5 blocks",
        "kept for the process: 5000 bytes in 1 block",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

/// The program makes its standard error nonblocking, and the command shares it. The reader takes one byte at a time.
#[test]
fn run_preloads_what_protected_memory_needs_and_doctor_tries_a_page() {
    let driven = Driven::new("order/host_access_in_flight.c", "host-access");
    let (_, said) = driven.run(&["--set", "host_access=trap"]);
    assert!(
        said.contains("host-access-in-flight: `write` read"),
        "{said}"
    );
    assert!(!said.contains("needs libaclsan_free.so"), "{said}");
    let (_, said) = driven.run(&["--set", "host_access=trap", "--set", "order=0"]);
    assert!(said.contains("nothing is trapped"), "{said}");
    let doctor = Command::new(artifacts::command())
        .args(["doctor", "-v", "--simulate", "--"])
        .arg(&driven.program)
        .output()
        .expect("aclsan runs");
    let said = String::from_utf8_lossy(&doctor.stdout);
    assert!(said.contains("a page of it can be protected"), "{said}");
}

#[test]
fn run_reports_all_where_standard_error_does_not_block() {
    let driven = Driven::new("odd/places.c", "nonblocking");
    let mut command = driven.completed(plain(), &["--error-exitcode", "9"], &[]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut child = command.stderr(writer).spawn().expect("aclsan runs");
    drop(command);
    let bytes = BufReader::with_capacity(1, reader).bytes();
    let said: Result<Vec<u8>, _> = bytes.collect();
    let said = String::from_utf8(said.expect("ours")).expect("text");
    assert_eq!(child.wait().expect("ours").code(), Some(9), "{said}");
    assert_eq!(said.matches("ERROR: aclsan: leak: ").count(), 40, "{said}");
    assert!(said.contains("SUMMARY: aclsan: 40 errors, "), "{said}");
}

/// The report that `run` writes as JSON.
fn json(driven: &Driven, options: &[&str], arguments: &[&str]) -> (String, serde_json::Value) {
    let (_, said) = driven.run_with(&[options, &["--json", "run.json"]].concat(), arguments);
    let text = std::fs::read_to_string(driven.scratch.join("run.json")).expect("a report");
    (said, serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn a_run_that_dies_tells_first_how_and_nothing_that_was_live_leaked() {
    let driven = Driven::new("process/crashes.c", "crash");
    let (said, report) = json(&driven, &[], &["fault"]);
    let first = "aclsan: the process died by SIGSEGV: nothing is mapped at 0x10\n  in write_to ";
    assert!(said.starts_with(first), "{said}");
    for line in [
        "  last calls:",
        "before  aclrtMallocHost  pinned rt.h:",
        "  live then: 1024 bytes in 2 blocks, no leak",
        "; 0 bytes in 0 blocks leaked",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let end = &report["processes"][0]["end"];
    assert_eq!(end["kind"], "signal");
    assert_eq!(end["death"]["name"], "SIGSEGV");
    assert_eq!(end["death"]["calls"].as_array().map(Vec::len), Some(5));
}

#[test]
fn a_program_that_is_killed_is_told_apart_from_one_that_leaves() {
    let driven = Driven::new("process/ends.c", "killed");
    let (said, report) = json(&driven, &["-o", "killed.aclsan"], &["kill"]);
    assert!(
        said.starts_with("aclsan: the process was ended by SIGKILL: "),
        "{said}"
    );
    assert_eq!(report["processes"][0]["end"]["kind"], "killed");
    assert_eq!(report["leaks"]["blocks"], 0);
    // The log says so by itself from then on.
    for (verb, rest) in [("check", "Check passed"), ("leaks", "0 blocks leaked")] {
        let output = plain()
            .current_dir(&driven.scratch)
            .args([verb, "killed.aclsan"])
            .output()
            .expect("aclsan runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.contains("ended by SIGKILL") && text.contains(rest),
            "{verb}: {text}"
        );
        assert_eq!(output.status.code(), Some(0), "{verb}: {text}");
    }
    let (said, report) = json(&driven, &[], &["_exit"]);
    assert!(!said.contains("ended by"), "{said}");
    assert_eq!(report["processes"][0]["end"]["kind"], "unknown");
    assert_eq!(report["leaks"]["blocks"], 600);
}

#[test]
fn what_is_live_where_an_error_ends_the_run_is_no_leak() {
    let driven = Driven::new("releases/double_free.c", "halts");
    for how in ["exit", "abort", "trap"] {
        let halt = format!("halt_on_error={how}");
        let (said, report) = json(&driven, &["--set", &halt], &[]);
        assert!(
            said.contains("was ended at its first error"),
            "{how}: {said}"
        );
        assert!(!said.contains("aclsan: leak"), "{how}: {said}");
        assert_eq!(report["processes"][0]["end"]["kind"], "halt", "{how}");
        assert_eq!(report["leaks"]["blocks"], 0, "{how}");
    }
}
