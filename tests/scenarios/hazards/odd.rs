//! A runtime with odd answers: the program sees exactly those, and neither the shim nor the log's readers fail on them.

use crate::program::Run;
use crate::soak;
use crate::trial::Trial;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use std::process::Command;

/// Its kinds of answers; see `odd/runtime.c`.
const WAYS: [&str; 15] = [
    "null",
    "untouched",
    "low",
    "high",
    "noncanonical",
    "wild",
    "closed",
    "readonly",
    "same",
    "unaligned",
    "errors",
    "codes",
    "devices",
    "names",
    "sizes",
];

/// The options that touch memory most and least.
const OPTIONS: [&str; 6] = [
    "mode=record",
    "guard=rear",
    "guard=both",
    "guard=page:page_min=1",
    "fill=1:quarantine_mb=64",
    "guard=both:guard_sample=1/2:profile=production:block_sample=0",
];

fn odd(program: &str, test: &str) -> Trial {
    let mut trial = Trial::new(program, test);
    trial.on_runtime("odd/runtime.c");
    trial
}

/// Neither the shim nor the log's readers reported an internal error.
fn is_sound(run: &Run, what: &str) {
    for sign in ["internal error in aclsan", "panicked"] {
        assert!(!run.stderr.contains(sign), "{what}: {}", run.stderr);
    }
    for log in &run.logs {
        let mut report = Command::new(artifacts::command());
        let output = report.arg("report").arg(log).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0..=3)) && !stderr.contains("panicked"),
            "{what}: {}: {stderr}",
            output.status
        );
    }
}

#[test]
fn addresses_sizes_and_codes_that_nobody_has_reach_the_program_as_they_are() {
    let mut trial = odd("odd/calls.c", "answers");
    for (number, way) in WAYS.iter().enumerate() {
        trial.environment("ODD", *way);
        let mut alone = None;
        for options in OPTIONS {
            trial.options(options);
            let alone = alone.get_or_insert_with(|| trial.alone());
            let run = trial.watched();
            let what = format!("{way}, {options}");
            crate::trial::same(alone, &run, &what);
            assert_eq!(run.code, 0, "{what}");
            if OPTIONS[number % OPTIONS.len()] == options {
                is_sound(&run, &what);
            }
            let bug = run.stderr.contains("internal error in aclsan");
            assert!(!bug, "{what}: {}", run.stderr);
        }
    }
}

/// Calls by the program or by the shim, and the number of calls before one blocks: the shim's come before or after.
const STUCK: [(&str, u32); 20] = [
    ("aclrtSetDevice", 0),
    ("aclrtMalloc", 0),
    ("aclrtFree", 0),
    ("aclrtMallocHost", 0),
    ("aclrtFreeHost", 0),
    ("aclrtMemcpy", 0),
    ("aclrtMemcpy", 1),
    ("aclrtMemset", 0),
    ("aclrtMemcpyAsync", 0),
    ("aclrtCreateStream", 0),
    ("aclrtSynchronizeStream", 0),
    ("aclrtDestroyStream", 0),
    ("aclrtCreateEvent", 0),
    ("aclrtProcessReport", 0),
    ("aclrtIpcMemGetExportKey", 0),
    ("aclrtReserveMemAddress", 0),
    ("aclrtGetMemInfo", 0),
    ("aclrtGetSocName", 0),
    ("aclrtGetRunMode", 0),
    ("aclrtGetDevice", 0),
];

#[test]
fn one_call_that_does_not_come_back_stops_no_other_thread() {
    let mut trial = odd("odd/blocked.c", "stuck");
    for (number, (call, passes)) in STUCK.iter().enumerate() {
        trial.arguments([call.to_string(), passes.to_string()]);
        // Queries that only the shim makes occur in every run under the shim and in none without.
        let options = OPTIONS[number % 4];
        let run = trial.options(options).watched();
        let what = format!("{call}, {options}");
        let reported = format!("80 rounds while {call} was stuck, child 7\n81 rounds\n");
        assert_eq!(
            (run.code, run.stdout),
            (0, reported),
            "{what}: {}",
            run.stderr
        );
    }
}

#[test]
fn calls_that_are_left_by_exceptions_or_jumps_leave_nothing_behind() {
    if Command::new("c++").arg("--version").output().is_err() {
        return left_out("there is no C++ compiler");
    }
    let mut trial = odd("odd/leaves.cpp", "leaves");
    for way in ["throw", "jump", "signal"] {
        // The shim's own copies are never the remaining ones here.
        let run = trial.options("mode=record").arguments([way]).same();
        assert_eq!(run.stdout.matches(": left").count(), 14, "{way}");
        let tally = super::tally(&run);
        // One block before; 3 pairs and 3 deeper ones after each of 14 calls; the block's own release remains.
        let made = (tally.count("aclrtMalloc"), tally.count("aclrtFree"));
        assert_eq!(made, (1 + 14 * 6, 14 * 6 + 1), "{way}: {}", run.stderr);
        is_sound(&run, way);
    }
}

#[test]
fn a_call_of_the_shims_own_is_no_place_for_a_cancellation_or_an_exception() {
    if Command::new("c++").arg("--version").output().is_err() {
        return left_out("there is no C++ compiler");
    }
    let mut trial = odd("odd/own_calls.cpp", "own-calls");
    for (way, ends) in [("cancel", "cancelled"), ("throw", "ended")] {
        trial.arguments([way]);
        for options in OPTIONS {
            let run = trial.options(options).watched();
            let wanted = format!("all are released, 0 exceptions under way\n{ends}\n");
            assert_eq!((run.code, run.stdout), (0, wanted), "{way}, {options}");
            let calls = run
                .stderr
                .lines()
                .find_map(|line| line.strip_prefix("own calls: "));
            let calls: u32 = calls.and_then(|number| number.parse().ok()).unwrap_or(0);
            assert!(calls > 0, "{way}, {options}: {}", run.stderr);
        }
    }
}

#[test]
fn a_thread_that_is_cancelled_amid_a_release_leaves_no_lock_and_the_block_goes_back_once() {
    let mut trial = odd("odd/cancelled_release.c", "cancelled-release");
    let run = trial.options("guard=page:page_min=1").watched();
    let wanted = "released: 0\ncancelled\nreleased: 0\n".repeat(8);
    assert_eq!((run.code, &run.stdout), (0, &wanted), "{}", run.stderr);
    let counts = "cancelled in 8, unmapped 16, freed 16\n";
    assert!(run.stderr.contains(counts), "{}", run.stderr);
    assert_eq!(super::tally(&run).pairs(), (16, 16));
    is_sound(&run, "cancelled");
}

#[test]
fn failures_of_calls_that_the_shim_adds_are_not_the_programs_last_error() {
    for (options, fails) in [
        ("guard=page:page_min=1", "aclrtMallocPhysical@1"),
        ("guard=page:page_min=1", "aclrtReserveMemAddress@2"),
        ("guard=rear", "aclrtMemcpy@1=107000"),
        ("guard=rear", "aclrtMalloc@1"),
        ("quarantine_mb=1", "aclrtMalloc@2"),
    ] {
        let mut trial = Trial::new("guarded/last_error.c", "last-error");
        let alone = trial.alone();
        trial.environment("ACLSIM_FAIL", fails);
        let run = trial.options(options).watched();
        assert_eq!(
            run.stdout, alone.stdout,
            "{options}, {fails}: {}",
            run.stderr
        );
        assert_eq!(run.code, 0, "{options}, {fails}");
    }
}

#[test]
fn what_the_runtime_calls_inside_itself_is_not_on_record() {
    let mut trial = odd("odd/nested.c", "nested");
    for options in OPTIONS {
        let run = trial.options(options).same();
        let tally = super::tally(&run);
        let made = ["aclrtMalloc", "aclrtMemset", "aclrtFree"].map(|call| tally.count(call));
        assert_eq!(made, [100; 3], "{options}");
        is_sound(&run, options);
    }
}

#[test]
fn a_runtime_that_is_closed_too_often_goes_on() {
    let mut trial = Trial::new("odd/unloads.c", "unloads");
    let library = crate::trial::library("odd/runtime.c", &trial.scratch.join("apart.so"), &[]);
    let run = trial.options("mode=record").arguments([library]).same();
    // 3 rounds of 10.
    assert_eq!(super::tally(&run).pairs(), (30, 30), "{}", run.stderr);
}

/// Locks that a run of `process/panics.c` takes, at least: each is a step at which a debug build can be made to panic.
const FEWEST_STEPS: u32 = 500;

/// Each seventh of them; each with `SOAK=1`. What a hook has done by then stays done, and what it has not done is done by the runtime alone: no block is released twice or kept in use.
#[test]
fn a_panic_at_any_step_of_a_hook_ends_the_record_and_not_the_program() {
    for (place, options) in [
        ("guards", "guard=both:quarantine_mb=1:fill=on"),
        ("pages", "guard=page:page_min=1:host_access=trap"),
    ] {
        let mut trial = Trial::new("process/panics.c", place);
        trial.options(options);
        let alone = trial.alone();
        assert_eq!(
            (alone.code, alone.stdout.as_str()),
            (0, "0 bytes are wrong\n")
        );
        let stride = soak::times(7, 1) as u32;
        let mut step = 0;
        loop {
            step += stride;
            trial.environment("ACLSAN_TEST_PANIC_AT_LOCK", step.to_string());
            trial.environment("RUST_BACKTRACE", "0"); // Naming the frames would take most of the time.
            let run = trial.watched();
            let what = format!("{options}, step {step}: {}", run.stderr);
            assert_eq!((run.code, &run.stdout), (0, &alone.stdout), "{what}");
            if !run.stderr.contains("internal error in aclsan") {
                break;
            }
        }
        assert!(step > FEWEST_STEPS, "{options}: {step} steps");
    }
}
