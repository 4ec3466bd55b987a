//! Interpreters that start late, fork or exit.

use super::{Leaks, Script, each};
use crate::tally::Tally;
use crate::trial::{Trial, small_runtime};
use crate::watchdog::{finish, finish_within};
use aclsan_left_out::left_out;
use std::cell::Cell;
use std::path::Path;

#[test]
fn children_of_both_kinds_have_python_stacks_of_their_own() {
    each(|python| {
        let script = Script::new("children.py", python, "children");
        let run = script.same(python);
        assert_eq!(run.stdout, "fork 0\nspawn 0\n", "{}", run.stderr);
        let logs: Vec<Leaks> = run
            .logs
            .iter()
            .map(|log| Leaks::of(log, &script.path))
            .collect();
        assert_eq!(logs.len(), 4, "{}: {}", python.version, run.stderr);
        for size in 3001..=3003 {
            let of = logs.iter().find(|leaks| leaks.has(size));
            let names = of.unwrap_or_else(|| panic!("{size}")).names(size);
            assert!(
                names.starts_with("allocate in_child"),
                "{}: {names}",
                python.version
            );
        }
    });
}

/// The parent's threads keep allocating, on a runtime that is usable in a child; each run has two minutes.
#[test]
fn children_of_pools_and_servers_and_threads_have_logs_of_their_own() {
    let has_run = Cell::new(false);
    each(|python| {
        // One interpreter is enough, and 3.8 cannot report how a child ended.
        if python.version.starts_with("3.8") || has_run.replace(true) {
            return;
        }
        for (kind, reported) in [
            ("fork", "60\n"),
            ("spawn", "60\n"),
            ("forkserver", "60\n"),
            ("thread", "[3, 3]\n"),
        ] {
            let script = Script::new("pools.py", python, kind);
            let mut command = script.command(&python.path, Some("mode=record"));
            command.env("LD_LIBRARY_PATH", small_runtime(&script.place));
            let run = finish_within(120, command.arg(kind), &script.place);
            assert_eq!(
                (run.code, &*run.stdout),
                (0, reported),
                "{kind}: {}",
                run.stderr
            );
            let tallies: Vec<Tally> = run.logs.iter().map(|log| Tally::of(log)).collect();
            // The parent's log has the threads' calls; the children's logs have the requested calls.
            let longest = tallies.iter().map(|tally| tally.allocations).max();
            let children: Vec<_> = tallies
                .iter()
                .filter(|tally| Some(tally.allocations) != longest)
                .collect();
            assert!(
                tallies
                    .iter()
                    .all(|tally| tally.allocations == tally.releases),
                "{kind}"
            );
            let done: usize = children.iter().map(|tally| tally.allocations).sum();
            assert_eq!(
                done,
                60,
                "{kind} on {}: {} logs",
                python.version,
                run.logs.len()
            );
        }
    });
}

#[test]
fn an_interpreter_that_a_program_opens_privately_is_read() {
    each(|python| {
        let Some((library, home)) = python.library() else {
            return left_out(format_args!("Python {} has no libpython", python.version));
        };
        let name = format!("embedded-{}", python.version);
        let mut trial = Trial::new("python/embedded.c", &name);
        trial.environment("PYTHONHOME", home);
        let run = trial.arguments([library]).same();
        assert_eq!(run.stdout, "0 0\n0 0\n", "{}", run.stderr);
        let leaks = Leaks::of(&run.logs[0], Path::new("<string>"));
        let names = [6001, 6002, 6102, 6003, 6103, 6202].map(|size| leaks.names(size));
        let expected = ["", "outer <module>", "", "outer <module>", "", ""];
        assert_eq!(names, expected, "{}", python.version);
    });
}

#[test]
fn calls_while_the_interpreter_ends_do_no_harm() {
    each(|python| {
        let script = Script::new("ending.py", python, "ending");
        for _ in 0..3 {
            let run = finish(&mut script.command(&python.path, Some("")), &script.place);
            assert_eq!(
                (run.code, run.stdout.as_str()),
                (0, "ending\n"),
                "{}: {}",
                python.version,
                run.stderr
            );
        }
    });
}

/// faulthandler restores what it found and raises the signal again: ours if it came later, the kernel's if it came first.
#[test]
fn a_crash_shows_python_functions_and_leaves_faulthandler_alone() {
    each(|python| {
        for (way, is_reported) in [("without", true), ("late", true), ("early", false)] {
            let script = Script::new("crashing.py", python, way);
            let mut command = script.command(&python.path, Some("symbols=1"));
            let run = finish(command.arg(way), &script.place);
            assert_eq!(run.code, 128 + 11, "{}: {way}", python.version);
            let handled = run.stdout.contains("Segmentation fault");
            assert_eq!(handled, way != "without", "{way}: {}", run.stdout);
            let is_told = run.stderr.contains("the process died by SIGSEGV");
            assert_eq!(is_told, is_reported, "{way}: {}", run.stderr);
            let stack = "crash crashing.py:18 ← ";
            let has_stack = run.stderr.contains(stack);
            assert_eq!(has_stack, is_reported, "{way}: {}", run.stderr);
        }
    });
}
