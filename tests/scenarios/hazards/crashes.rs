//! Signals that end the process: the program sees what it would see without us, and the log says what it was.

use crate::program::Run;
use crate::trial::Trial;
use aclsan_log::{EndKind, Log};
use aclsan_tests::artifacts;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The kind of end, the signal, and the functions of its stack, as the report has them.
fn death(log: &Path) -> Option<(String, i64, Vec<String>)> {
    let output = Command::new(artifacts::command())
        .args(["report", "--json"])
        .arg(log)
        .output()
        .expect("aclsan runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let leaked = &report["summary"]["leaked_blocks"];
    let end = &report["processes"][0]["end"];
    let death = end.get("death")?;
    assert_eq!(*leaked, 0, "what is live is no leak");
    let frames = death["stack"]["frames"].as_array().expect("frames");
    let shown = frames.iter().filter(|frame| frame.get("trimmed").is_none());
    let functions = shown.map(|frame| frame["function"].as_str().unwrap_or("?").to_owned());
    let kind = end["kind"].as_str().expect("a kind").to_owned();
    let signal = death["signal"].as_i64().expect("a number");
    Some((kind, signal, functions.collect()))
}

fn log(run: &Run) -> &Path {
    assert_eq!(run.logs.len(), 1, "{}", run.stderr);
    &run.logs[0]
}

#[test]
fn a_crash_of_any_kind_is_recorded_with_its_stack_and_ends_the_process_as_without_us() {
    let mut trial = Trial::new("process/crashes.c", "crashes");
    let ways: [(&str, i32, &[&str]); 14] = [
        ("fault", 11, &["write_to", "fault", "main"]),
        ("call", 11, &["?", "main"]),
        ("overflow", 11, &["recurse", "recurse"]),
        ("overflow of a thread", 11, &["recurse", "recurse"]),
        ("small stack", 11, &["write_to", "fault", "small_stack"]),
        ("abort", 6, &["main"]),
        ("assertion", 6, &["main"]),
        ("heap", 6, &["heap", "main"]),
        ("division", 8, &["main"]),
        ("trap", 5, &["main"]),
        ("instruction", 4, &["main"]),
        ("bus", 7, &["write_to", "bus", "main"]),
        ("threads", 11, &["write_to", "fault", "crash_together"]),
        ("runtime", 11, &[]),
    ];
    for (way, signal, functions) in ways {
        let run = trial.arguments([way]).same();
        assert_eq!(run.code, 128 + signal, "{way}");
        let (kind, seen, stack) = death(log(&run)).expect(way);
        assert_eq!((kind.as_str(), seen), ("signal", signal.into()), "{way}");
        assert!(
            stack.len() >= functions.len() && stack[..functions.len()] == *functions,
            "{way}: {stack:?}"
        );
        let shown = run.stderr.contains("aclsan: the process died by SIG");
        let live = run
            .stderr
            .contains("live at the crash: 1024 bytes in 2 blocks");
        assert!(shown && live, "{way}: {}", run.stderr);
        assert!(
            run.stderr.contains("0 bytes in 0 blocks leaked"),
            "{way}: {}",
            run.stderr
        );
    }
    let run = trial.arguments(["runtime"]).same();
    let (.., stack) = death(log(&run)).expect("an end");
    assert_eq!(stack.last().map(String::as_str), Some("main"), "{stack:?}");
}

/// Under the lock of that memory, at one allocation in two, four, eight …, in a debug build.
#[test]
fn a_fault_inside_our_own_allocator_is_reported_and_ends_the_process_by_its_signal() {
    let mut trial = Trial::new("process/panics.c", "own-memory");
    trial
        .behind(artifacts::folder().join("libaclsan_free.so"))
        .options("leak_scan=1:guard=both:quarantine_mb=1");
    let mut steps = (0..).map(|power| 1_u32 << power);
    let survived = steps.find(|step| {
        trial.environment("ACLSAN_TEST_FAULT_AT_ALLOCATION", step.to_string());
        let run = trial.watched_within(60);
        if run.code == 0 {
            return true;
        }
        assert_eq!(run.code, 128 + 11, "{step}: {}", run.stderr);
        let shown = run.stderr.contains("aclsan: the process died by SIGSEGV");
        assert!(shown, "{step}: {}", run.stderr);
        // The first allocations come before the log.
        for log in &run.logs {
            let (kind, signal, _) = death(log).expect("an end");
            assert_eq!((kind.as_str(), signal), ("signal", 11), "{step}");
        }
        false
    });
    assert!(survived > Some(FEWEST_ALLOCATIONS), "{survived:?}");
}

/// Those of a run of `process/panics.c` in hooks, at least.
const FEWEST_ALLOCATIONS: u32 = 64;

#[test]
fn a_block_that_libc_was_given_is_named_where_libc_aborts() {
    let run = Trial::new("process/crashes.c", "freed")
        .arguments(["freed"])
        .same();
    let wanted = "ERROR: aclsan: libc-free: `free` was given a block of 4096 bytes";
    assert!(run.stderr.contains(wanted), "{}", run.stderr);
    let end = Log::open(log(&run)).expect("a log").end.expect("an end").0;
    assert_ne!(end.freed, 0);
}

#[test]
fn where_no_stack_can_be_walked_the_signal_and_its_place_are_on_record() {
    let run = Trial::new("process/crashes.c", "stack-lost")
        .arguments(["stack lost"])
        .same();
    assert_eq!(run.code, 128 + 11);
    let (_, signal, stack) = death(log(&run)).expect("an end");
    assert_eq!(
        (signal, stack.first().map(String::as_str)),
        (11, Some("lose_stack"))
    );
}

#[test]
fn a_full_stack_is_called_that() {
    let mut trial = Trial::new("process/crashes.c", "full-stack");
    for way in ["overflow", "overflow of a thread"] {
        let run = trial.arguments([way]).watched();
        assert!(
            run.stderr.contains("the stack of the thread is full"),
            "{way}"
        );
        let end = Log::open(log(&run)).expect("a log").end.expect("an end").0;
        assert!(end.is_overflow && end.frames.len() == 64, "{end:?}");
    }
}

#[test]
fn a_child_that_crashes_has_its_crash_in_its_own_log() {
    let run = Trial::new("process/crashes.c", "child")
        .arguments(["child"])
        .same();
    let ends = run.logs.iter().map(|path| {
        let end = Log::open(path).expect("a log").end;
        end.map(|(end, _)| (end.kind, end.signal))
    });
    let mut ends: Vec<_> = ends.collect();
    ends.sort_by_key(Option::is_some);
    assert_eq!(ends, [None, Some((EndKind::Signal, 11))]);
}

#[test]
fn nothing_is_handled_if_the_user_does_not_want_it() {
    let run = Trial::new("process/crashes.c", "unhandled")
        .options("handle_signals=0")
        .arguments(["fault"])
        .same();
    assert!(!run.stderr.contains("died"), "{}", run.stderr);
    assert_eq!(death(log(&run)), None);
}

#[test]
fn a_handler_of_the_programs_is_the_only_one() {
    let mut trial = Trial::new("process/handles.c", "handlers");
    for way in ["before", "after", "goes on", "own stack", "ignored"] {
        let run = trial.arguments([way]).same();
        assert!(!run.stderr.contains("died"), "{way}: {}", run.stderr);
        assert_eq!(death(log(&run)), None, "{way}");
    }
}

#[test]
fn a_handler_that_lets_happen_what_it_found_gets_a_report() {
    let mut trial = Trial::new("process/handles.c", "old-handlers");
    for way in ["restores", "passes on", "probes"] {
        let run = trial.arguments([way]).same();
        assert_eq!(run.code, 128 + 11, "{way}");
        let (kind, signal, _) = death(log(&run)).expect(way);
        assert_eq!((kind.as_str(), signal), ("signal", 11), "{way}");
    }
}

#[test]
fn with_2_a_handler_of_the_programs_runs_after_the_report() {
    let mut trial = Trial::new("process/handles.c", "all-handlers");
    trial.options("handle_signals=2");
    let run = trial.arguments(["before"]).same();
    assert!(run.stderr.contains("died by SIGSEGV"), "{}", run.stderr);
    let (_, signal, stack) = death(log(&run)).expect("an end");
    assert_eq!(
        (signal, &stack[..]),
        (11, &["fault", "main"].map(str::to_owned)[..])
    );
    let run = trial.arguments(["ignored"]).same();
    assert!(!run.stderr.contains("died"), "{}", run.stderr);
}
