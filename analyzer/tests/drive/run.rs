//! `aclsan run`: exit codes, streams, and what it says when it cannot help.

use std::io::Write;
use std::process::Stdio;

use crate::bench::{Bench, outcome};

#[test]
fn a_missing_program_gives_127() {
    let bench = Bench::new();
    let (code, _, err) = outcome(&mut bench.run(&["--", "no-such-program"]));
    assert_eq!(code, 127);
    assert!(
        err.contains("`no-such-program` was not found in any folder of PATH"),
        "{err}"
    );
    let (code, _, err) = outcome(&mut bench.run(&["--", "./no-such-program"]));
    assert_eq!(code, 127);
    assert!(
        err.contains("there is no file `./no-such-program`"),
        "{err}"
    );
}

#[test]
fn verbose_reports_what_is_run_and_where_logs_go_on_standard_error_only() {
    let bench = Bench::new();
    let said = "the shim is `";
    let (code, out, err) = outcome(&mut bench.run(&["-v", "--", "true"]));
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(err.contains(said) && err.contains("logs go to `"), "{err}");
    let (_, _, err) = outcome(&mut bench.run(&["--", "true"]));
    assert!(!err.contains(said), "{err}");
}

#[test]
fn a_file_that_is_no_program_gives_126() {
    let bench = Bench::new();
    bench.write("notes.txt", "text");
    let (code, _, err) = outcome(&mut bench.run(&["--", "./notes.txt"]));
    assert_eq!(code, 126);
    assert!(err.contains("chmod +x"), "{err}");
    bench.script("neither", "\u{1}\u{2}\u{3}\u{0}");
    let (code, _, err) = outcome(&mut bench.run(&["--", "./neither"]));
    assert_eq!(code, 126, "{err}");
    let (code, _, err) = outcome(&mut bench.run(&["--", "/"]));
    assert_eq!(code, 126);
    assert!(err.contains("it is a folder"), "{err}");
}

#[test]
fn a_script_without_its_interpreter_gives_127() {
    let bench = Bench::new();
    bench.script("tool", "#!/no/such/interpreter -x\n");
    let (code, _, err) = outcome(&mut bench.run(&["--", "./tool"]));
    assert_eq!(code, 127);
    assert!(
        err.contains("`/no/such/interpreter`, which is not there"),
        "{err}"
    );
}

#[test]
fn the_exit_code_is_the_program_s_own() {
    let bench = Bench::new();
    for own in [0, 1, 2, 7, 255] {
        let script = format!("exit {own}");
        let (code, _, _) = outcome(&mut bench.run(&["--", "sh", "-c", &script]));
        assert_eq!(code, own);
    }
    let (code, _, _) =
        outcome(&mut bench.run(&["--error-exitcode", "9", "--", "sh", "-c", "exit 3"]));
    assert_eq!(code, 3);
    let (code, _, _) = outcome(&mut bench.run(&["--error-exitcode", "9", "--", "true"]));
    assert_eq!(code, 0);
}

#[test]
fn no_room_for_a_thread_is_our_failure() {
    let bench = Bench::new();
    let mut command = bench.run(&["--", "true"]);
    // A stack larger than any address space.
    command.env("RUST_MIN_STACK", "140737488355328");
    let (code, _, err) = outcome(&mut command);
    assert_eq!(code, 125, "{err}");
    assert!(err.contains("could not be started: Resource"), "{err}");
    assert!(err.contains("raise `ulimit -u`"), "{err}");
}

#[test]
fn streams_and_arguments_are_the_program_s() {
    let bench = Bench::new();
    let mut command = bench.run(&[
        "sh",
        "-c",
        "cat; printf '%s|' \"$0\" \"$@\"",
        "--a",
        "--log",
        "b c",
    ]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"from stdin\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "from stdin\n--a|--log|b c|"
    );
}

#[test]
fn the_program_keeps_its_own_name() {
    let bench = Bench::new();
    bench.script("tool", "#!/bin/sh\nexec cat /proc/$$/cmdline\n");
    let (_, out, _) = outcome(&mut bench.run(&["--", "cat", "/proc/self/cmdline"]));
    assert_eq!(out, "cat\0/proc/self/cmdline\0");
}

#[test]
fn an_unknown_option_runs_nothing_and_gives_125() {
    let bench = Bench::new();
    let (code, out, err) = outcome(&mut bench.run(&["--gaurd", "rear", "--", "echo", "ran"]));
    assert_eq!((code, out.as_str()), (125, ""));
    assert!(err.contains("--guard"), "{err}");
    let (code, out, _) = outcome(&mut bench.run(&["--guard", "left", "--", "echo", "ran"]));
    assert_eq!((code, out.as_str()), (125, ""));
    let (code, _, _) = outcome(&mut bench.run(&[]));
    assert_eq!(code, 125);
    let (code, out, _) = outcome(&mut bench.aclsan(&["run", "--help"]));
    assert_eq!(code, 0);
    assert!(out.contains("--error-exitcode") && out.contains("--log-file"));
}

#[test]
fn a_program_without_ascendcl_calls_is_reported_and_leaves_no_log() {
    let bench = Bench::new();
    let (code, _, err) = outcome(&mut bench.run(&["--", "sh", "-c", "exit 4"]));
    assert_eq!(code, 4);
    assert!(err.contains("no AscendCL call was seen"), "{err}");
    assert!(err.contains("aclsan doctor -- "), "{err}");
    let (_, _, err) = outcome(&mut bench.run(&["--quiet", "--", "true"]));
    assert_eq!(err, "");
}

#[test]
fn a_log_that_could_not_be_written_stops_the_run_before_it_starts() {
    let bench = Bench::new();
    bench.write("file", "");
    let (code, out, err) = outcome(&mut bench.run(&["-o", "file/logs/", "--", "echo", "ran"]));
    assert_eq!((code, out.as_str()), (125, ""));
    assert!(
        err.contains("logs cannot be written to") && err.contains("-o PATH"),
        "{err}"
    );
}

#[test]
fn a_folder_for_logs_is_made() {
    let bench = Bench::new();
    let (code, _, _) = outcome(&mut bench.run(&["-o", "deep/er/logs", "--", "true"]));
    assert_eq!(code, 0);
    assert!(bench.path("deep/er/logs").is_dir());
}

#[test]
fn a_missing_simulator_is_our_failure() {
    let bench = Bench::new();
    let mut command = bench.run(&["--simulate", "--", "echo", "ran"]);
    command.env("ACLSAN_SIMULATOR", bench.path("nowhere"));
    let (code, out, err) = outcome(&mut command);
    assert_eq!((code, out.as_str()), (125, ""));
    assert!(err.contains("the simulator was not found"), "{err}");
}

#[test]
fn a_static_program_runs_with_a_warning() {
    let bench = Bench::new();
    if !bench.compile("static", "int main(void) { return 5; }", &["-static"]) {
        return; // no static libc here
    }
    let (code, _, err) = outcome(&mut bench.run(&["--", "./static"]));
    assert_eq!(code, 5);
    assert!(
        err.contains("nothing of `./static` will be seen: it is linked statically"),
        "{err}"
    );
    assert!(!err.contains("doctor"), "the reason is known: {err}");
}
