//! The process environment: limits reached, clock jumps, and a changed identity, root or dropped privileges.

use super::tally;
use crate::trial::{Trial, library};
use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use std::process::Command;

#[test]
fn what_errno_was_it_is_after_calls() {
    let run = Trial::new("process/errno.c", "errno").same();
    assert!(run.stderr.contains("double-free"), "{}", run.stderr);
}

/// Options with which the companion is preloaded.
const COMPANION: [&str; 3] = ["libc_free=1", "leak_scan=1", "host_access=trap"];

fn with_companion(program: &str, test: &str) -> Trial {
    let mut trial = Trial::new(program, test);
    trial.behind(artifacts::folder().join("libaclsan_free.so"));
    trial
}

#[test]
fn what_a_thread_can_ask_back_is_the_programs() {
    // Otherwise a thread without an alternate stack has one of the shim's.
    let mut trial = Trial::new("process/thread_state.c", "alone");
    let run = trial.options("handle_signals=0").same();
    assert!(run.stderr.contains("double-free"), "{}", run.stderr);
    assert_eq!(run.stdout.matches("dlerror libdoes_not").count(), 20);
    for options in COMPANION {
        let mut trial = with_companion("process/thread_state.c", "companion");
        trial.options(&format!("{options}:handle_signals=0")).same();
    }
}

#[test]
fn a_load_that_fails_before_the_first_realloc_leaves_the_heap_whole() {
    for options in COMPANION {
        let mut trial = with_companion("process/failed_load.c", "companion");
        let run = trial.options(options).same();
        assert!(run.stdout.ends_with("alive\n"), "{options}: {}", run.stdout);
    }
}

#[test]
fn an_allocator_that_comes_later_gets_back_exactly_what_it_gave() {
    for program in ["process/failed_load.c", "process/thread_state.c"] {
        for options in COMPANION {
            let mut trial = with_companion(program, "own-heap");
            let allocator = library(
                "process/own_heap.c",
                &trial.scratch.join("own_heap.so"),
                &[],
            );
            trial.options(&format!("{options}:handle_signals=0"));
            let run = trial.behind(allocator).same();
            assert_eq!(run.code, 0, "{program}, {options}: {}", run.stderr);
        }
    }
}

#[test]
fn argv_is_not_read_when_the_program_may_have_changed_it() {
    let mut trial = Trial::new("process/argv.c", "argv");
    let run = trial.arguments(["one", "two"]).same();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let log = aclsan_log::Log::open(&run.logs[0]).expect("a log");
    let arguments = &log.properties["arguments"];
    assert!(arguments.ends_with(" one two"), "{arguments}");
}

#[test]
fn memory_that_runs_out_ends_the_record_and_not_the_program() {
    let mut trial = Trial::new("odd/short.c", "short");
    trial.on_runtime("odd/runtime.c").environment("ODD", "same");
    let mut short = 0;
    for limit in ["as", "data"] {
        for more in ["0", "64", "256", "1024", "4096", "65536"] {
            let run = trial.options("mode=record").arguments([limit, more]).same();
            assert_eq!(run.stdout, "begun\n0 wrong\n", "{limit} {more}");
            let said = run
                .stderr
                .matches("out of memory: recording has stopped")
                .count();
            assert!(said <= 1, "{limit} {more}: {}", run.stderr);
            let tally = tally(&run);
            // 1 + 2 * 2048 pairs, minus the counted ones.
            let made = (tally.allocations + tally.releases) as u64;
            assert!(
                made + tally.log.lost.events >= 2 * 4097,
                "{limit} {more}: {}",
                run.stderr
            );
            assert!(
                said == 0 || tally.log.lost.events > 0,
                "{limit} {more}: {}",
                run.stderr
            );
            short += usize::from(tally.log.lost.events > 0);
        }
    }
    assert!(short >= 4, "only {short} runs were short of anything");
}

#[test]
fn blocks_that_were_moved_are_released_when_memory_has_run_out() {
    let mut trial = Trial::new("odd/short.c", "moved");
    trial.on_runtime("odd/runtime.c").environment("ODD", "same");
    for options in ["guard=both", "guard=rear:fill=1:quarantine_mb=1"] {
        let run = trial.options(options).arguments(["as", "0"]).watched();
        let ended = (run.code, &*run.stdout);
        assert_eq!(ended, (0, "begun\n0 wrong\n"), "{options}: {}", run.stderr);
    }
}

#[test]
fn other_limits_are_not_ours_to_reach() {
    let mut trial = Trial::new("odd/short.c", "others");
    trial.on_runtime("odd/runtime.c").environment("ODD", "same");
    trial.options("mode=record");
    for (limit, most) in [
        ("stack", "64"),
        ("core", "0"),
        ("nproc", "0"),
        ("memlock", "0"),
    ] {
        let run = trial.arguments([limit, most]).same();
        assert_eq!(tally(&run).pairs(), (4097, 4098), "{limit}: {}", run.stderr);
    }
}

/// Runs a shell script whose `$0` is the program, with or without the shim.
fn scripted(trial: &Trial, script: &str, is_watched: bool) -> (Option<i32>, String, String) {
    let place = trial.place(if is_watched { "watched" } else { "alone" });
    let program = trial.command(&place, is_watched.then(artifacts::shim));
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).arg(program.get_program());
    let mut preloads = None;
    for (name, value) in program.get_envs() {
        let Some(value) = value else { continue };
        match name == "LD_PRELOAD" {
            true => preloads = Some(value.to_owned()),
            false => drop(shell.env(name, value)),
        }
    }
    // For the program only, not for the shell.
    shell.env("PRELOADS", preloads.unwrap_or_default());
    let output = shell.current_dir(&place).output().expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn of_a_limited_address_space_the_program_keeps_what_it_needs() {
    let mut trial = Trial::new("odd/room.c", "room");
    trial
        .on_runtime("odd/runtime.c")
        .options("mode=record:leak_scan=1");
    // 8 GiB; 6 of them are 96 pieces of 64 MiB.
    let script = "ulimit -v 8388608; LD_PRELOAD=\"$PRELOADS\" exec \"$0\"";
    for is_watched in [false, true] {
        let (code, stdout, stderr) = scripted(&trial, script, is_watched);
        assert_eq!((code, &*stdout), (Some(0), "96 pieces\n"), "{stderr}");
    }
}

#[test]
fn clocks_that_jump_leave_a_log_in_order() {
    let mut trial = Trial::new("process/short_threads.c", "clocks");
    trial.on_small_runtime();
    let clocks = library("odd/clocks.c", &trial.scratch.join("clocks.so"), &[]);
    let run = trial.behind(clocks).same();
    let tally = tally(&run);
    assert_eq!(tally.pairs(), (10_000, 10_000), "{}", run.stderr);
    assert!(tally.log.events().map(|timed| timed.ns).is_sorted());
    let mut report = Command::new(artifacts::command());
    let output = report.arg("report").arg(&run.logs[0]).output();
    let output = output.expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 1)) && !stderr.contains("panicked"),
        "{stderr}"
    );
}

#[test]
fn a_time_namespace_is_another_clock_and_no_trouble() {
    let mut trial = Trial::new("process/short_threads.c", "namespace");
    trial.on_small_runtime();
    let script = "unshare -rT --monotonic 1000000 --fork true 2>/dev/null || exit 111
        exec unshare -rT --monotonic 1000000 --fork sh -c 'LD_PRELOAD=\"$PRELOADS\" exec \"$0\"' \"$0\"";
    let (code, _, stderr) = scripted(&trial, script, true);
    if code == Some(111) {
        return left_out("no time namespace may be made here");
    }
    assert_eq!(code, Some(0), "{stderr}");
    assert!(!stderr.contains(" dropped"), "{stderr}");
}

#[test]
fn a_process_that_changes_what_it_is_keeps_its_log() {
    let mut trial = Trial::new("odd/changes.c", "changes");
    trial.on_small_runtime();
    for change in [
        "folder",
        "root",
        "user",
        "capabilities",
        "undumpable",
        "umask",
        "environment",
        "files",
        "few files",
    ] {
        let alone = trial.arguments([change]).alone();
        if alone.code == 111 {
            left_out(format_args!("this user may not change {change}"));
            continue;
        }
        let run = trial.watched();
        crate::trial::same(&alone, &run, change);
        assert_eq!(
            tally(&run).pairs(),
            (12_001, 12_001),
            "{change}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_process_that_changed_before_its_first_call_runs_as_it_would() {
    let mut trial = Trial::new("odd/changes.c", "changed");
    trial.on_small_runtime();
    for change in ["root", "user", "umask", "environment", "files", "few files"] {
        let alone = trial.arguments([change, "first"]).alone();
        if alone.code != 111 {
            crate::trial::same(&alone, &trial.watched(), change);
        }
    }
}

#[test]
fn interruptions_that_nothing_goes_on_after_by_itself_lose_nothing() {
    let mut trial = Trial::new("process/signals.c", "eintr");
    let run = trial.options("mode=record").arguments(["eintr"]).same();
    let tally = tally(&run);
    assert!(tally.allocations >= 20_005 && tally.allocations == tally.releases);
    assert!(!run.stderr.contains(" dropped"), "{}", run.stderr);
}
