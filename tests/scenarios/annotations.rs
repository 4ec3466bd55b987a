//! Annotations that programs make: they change nothing for the program and appear in reports.

mod categories; // what memory is for
mod mstx; // mstx heaps, regions and marks, alone and beside other tools

use crate::program::{Run, folder};
use crate::trial::{self, BOTH, Trial};
use crate::watchdog::finish;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The JSON output of `verb` for a run's only log.
fn reported(run: &Run, verb: &str) -> Value {
    let [log] = run.logs.as_slice() else {
        panic!("{} logs\n{}", run.logs.len(), run.stderr)
    };
    let mut command = Command::new(artifacts::command());
    let output = command.args([verb, "--json"]).arg(log).output();
    let output = output.expect("aclsan runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A member of every element of a list.
fn all<'a>(list: &'a Value, member: &str) -> Vec<&'a Value> {
    let list = list.as_array().expect("a list");
    list.iter().map(|element| &element[member]).collect()
}

/// The pool of that name.
fn pool<'a>(report: &'a Value, name: &str) -> &'a Value {
    let pools = report["annotations"]["pools"].as_array().expect("a list");
    let mut named = pools.iter().filter(|pool| pool["name"] == name);
    let pool = named
        .next()
        .unwrap_or_else(|| panic!("{name} in {pools:?}"));
    assert!(named.next().is_none(), "{name} appears twice");
    pool
}

fn numbers(pool: &Value) -> [u64; 5] {
    [
        "allocations",
        "releases",
        "dropped",
        "live_blocks",
        "live_bytes",
    ]
    .map(|member| pool[member].as_u64().expect("a number"))
}

#[test]
fn pools_epochs_and_names_of_a_c_program_are_reported() {
    let mut trial = Trial::new("annotations/pools.c", "pools");
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert!(
            run.stderr.contains(": 6 errors, 0 warnings, 0 notes; "),
            "{}",
            run.stderr
        );
        let report = reported(&run, "report");
        let named = pool(&report, "activations");
        assert_eq!(numbers(named), [9, 6, 0, 3, 192]);
        assert_eq!(
            (&named["bytes"], &named["device"]),
            (&(1 << 20).into(), &0.into())
        );
        assert_eq!(
            (&named["peak_bytes"], &named["overlaps"], &named["outside"]),
            (&3000.into(), &1.into(), &1.into())
        );
        assert_eq!(named["sites"].as_array().unwrap().len(), 3);
        assert_eq!(numbers(pool(&report, "short-lived")), [1, 0, 1, 0, 0]);
        let annotations = &report["annotations"];
        assert_eq!(
            all(&annotations["epochs"], "name"),
            ["step 0", "step 1", "step 2"]
        );
        assert_eq!(all(&annotations["epochs"], "live_bytes"), [1 << 20; 3]);
        let [first, second, last] = annotations["epochs"].as_array().unwrap().as_slice() else {
            panic!("three epochs")
        };
        assert_eq!(
            (&first["end_ns"], &last["end_ns"]),
            (&second["begin_ns"], &Value::Null)
        );
        assert_eq!(all(&annotations["snapshots"], "blocks"), [1]);
    }
}

#[test]
fn what_follows_from_an_ignored_finding_is_neither_printed_nor_halted_at() {
    let mut trial = Trial::new("annotations/ignored_overrun.c", "halted");
    let run = trial.options("halt_on_error=1").same();
    assert!(!run.stderr.contains("guard-overrun"), "{}", run.stderr);
    assert!(
        run.stderr.contains(" 0 errors, 0 warnings,"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_a_thread_ignores_is_no_leak_and_no_finding() {
    let run = Trial::new("annotations/pools.c", "ignored").same();
    // Three parts of the pool and the named block, but not the 5000-byte one.
    let leaked = 3 * 64 + 77;
    let summary = format!("0 notes; {leaked} bytes in 4 blocks leaked");
    assert!(run.stderr.contains(&summary), "{}", run.stderr);
    let report = reported(&run, "leaks");
    let ignored = &report["annotations"]["ignored"];
    assert_eq!(
        (&ignored["blocks"], &ignored["bytes"], &ignored["findings"]),
        (&1.into(), &5000.into(), &1.into())
    );
    assert_eq!(report["leaks"]["bytes"], leaked);
    let names = all(&report["leaks"]["sites"], "names");
    assert_eq!(
        names,
        [
            &serde_json::json!(["weights"]),
            &serde_json::json!(["activations"]),
            &serde_json::json!(["activations"]),
            &serde_json::json!(["activations"])
        ]
    );
    let text = Command::new(artifacts::command())
        .args(["leaks", "-v", "--prefix"])
        .args(&run.logs)
        .output();
    let text = String::from_utf8(text.expect("aclsan runs").stdout).unwrap();
    for line in [
        "named `weights`",
        "Pools reported by the program",
        "`activations`: 1 sub-block exceeded the pool",
        "step 1",
        "Ignored, as the program asked: 5000 bytes in 1 block never released, 1 finding",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
}

#[test]
fn without_position_independent_code_the_shim_is_found_too() {
    let scratch = artifacts::scratch("annotations-fixed");
    let program = scratch.join("program");
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.current_dir(folder())
        .args(["-g", "-O1", "-Wall", "-Werror", "-fno-pie", "-no-pie"]);
    cc.arg("-o").arg(&program).arg("annotations/pools.c");
    for include in ["simulator/include", "include"] {
        cc.arg("-I").arg(artifacts::folder().join(include));
    }
    let runtime = Topology::One.libraries();
    cc.arg("-L")
        .arg(&runtime)
        .args(["-lascendcl", "-lacl_dvpp", "-lacl_dvpp_mpi", "-ldl"]);
    assert!(cc.status().expect("a C compiler").success());
    let run = |shim: Option<PathBuf>| {
        let mut command = Command::new(&program);
        command
            .env("LD_LIBRARY_PATH", &runtime)
            .env("LD_PRELOAD", shim.unwrap_or_default());
        let log = scratch.join("%p.aclsan");
        command.env("ACLSAN_OPTIONS", format!("log_path='{}'", log.display()));
        finish(&mut command, &scratch)
    };
    let (alone, watched) = (run(None), run(Some(artifacts::shim())));
    trial::same(&alone, &watched, "pools, without PIE");
    assert_eq!(
        numbers(pool(&reported(&watched, "report"), "activations")),
        [9, 6, 0, 3, 192]
    );
}

#[test]
fn a_program_can_have_its_guards_looked_at() {
    let mut trial = Trial::new("annotations/guarded.c", "guarded");
    let run = trial.options("mode=check:guard=rear").same();
    assert!(run.stderr.contains("slack-write"), "{}", run.stderr);
    assert_eq!(all(&reported(&run, "report")["findings"], "count"), [1]);
}

#[test]
fn scopes_of_cpp_end_what_they_began() {
    let run = Trial::new("annotations/pools.cpp", "cpp").same();
    let report = reported(&run, "report");
    assert_eq!(numbers(pool(&report, "arena")), [2, 1, 1, 0, 0]);
    assert_eq!(report["annotations"]["ignored"]["bytes"], 500);
    assert_eq!(report["summary"]["leaked_blocks"], 0);
}

#[test]
fn what_happens_while_recording_is_stopped_is_no_finding_then_or_later() {
    let mut trial = Trial::new("annotations/stopped.c", "stopped");
    for options in [
        "mode=record",
        "mode=check:guard=both:quarantine_mb=1:fill=on",
        "mode=check:guard=page",
    ] {
        for topology in BOTH {
            let run = trial.on(topology).options(options).same();
            assert_eq!(run.code, 0, "{}", run.stderr);
            assert!(
                run.stderr
                    .contains(": 2 errors, 0 warnings, 0 notes; 77 bytes in 1 block"),
                "{options}\n{}",
                run.stderr
            );
            let report = reported(&run, "report");
            let rules = all(&report["findings"], "rule");
            assert_eq!(rules, ["double-free", "leak"], "{options}");
            assert_eq!(report["leaks"]["bytes"], 77);
            assert_eq!(
                all(&report["annotations"]["epochs"], "name"),
                ["recording: stop", "recording: start"]
            );
        }
    }
}

/// A Python program in `annotations`, with and without the shim; the run with it. `None` without Python.
fn annotated_python(name: &str, options: &str) -> Option<Run> {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        left_out("there is no python3");
        return None;
    }
    let run = |way: &str, shim: Option<PathBuf>| {
        let place = artifacts::scratch(&format!("annotations-python-{name}-{way}"));
        let mut command = Command::new("python3");
        command
            .arg("-B")
            .arg(folder().join("annotations").join(name));
        command.env("PYTHONPATH", artifacts::folder().join("include"));
        command.env("LD_LIBRARY_PATH", Topology::One.libraries());
        command.env("LD_PRELOAD", shim.unwrap_or_default());
        let log = place.join("%p.aclsan");
        let options = format!("log_path='{}':{options}", log.display());
        command.env("ACLSAN_OPTIONS", options);
        finish(&mut command, &place)
    };
    let (alone, watched) = (run("alone", None), run("watched", Some(artifacts::shim())));
    assert_eq!(alone.code, 0, "{}", alone.stderr);
    trial::same(&alone, &watched, name);
    Some(watched)
}

#[test]
fn python_reports_the_same_and_runs_without_the_shim() {
    let Some(watched) = annotated_python("pools.py", "") else {
        return;
    };
    assert_eq!(watched.stdout, "0 changed\n");
    let report = reported(&watched, "report");
    assert_eq!(numbers(pool(&report, "tensors")), [3, 2, 1, 0, 0]);
    assert_eq!(numbers(pool(&report, "kept")), [1, 0, 1, 0, 0]);
    assert_eq!(
        all(&report["annotations"]["epochs"], "name"),
        ["step 0", "step 1"]
    );
    assert_eq!(report["summary"]["leaked_blocks"], 0);
}

#[test]
fn python_that_starts_paused_records_only_the_step_that_it_asks_for() {
    let Some(watched) = annotated_python("paused.py", "start=paused:mode=record") else {
        return;
    };
    let report = reported(&watched, "report");
    assert_eq!(report["leaks"]["bytes"], 128, "{}", watched.stderr);
    let summary = ": 2 errors, 0 warnings, 0 notes; 128 bytes in 2 blocks";
    assert!(watched.stderr.contains(summary), "{}", watched.stderr);
    let epochs = all(&report["annotations"]["epochs"], "name");
    let (start, stop) = ("recording: start", "recording: stop");
    assert_eq!(epochs, [start, stop, start, stop, start, stop, start]);
}

/// A Python program with a caching allocator, and what `aclsan check` says of its log.
fn trained(name: &str, arguments: &[&str]) -> Option<(Run, Option<i32>)> {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        left_out("there is no python3");
        return None;
    }
    let place = artifacts::scratch(&format!("annotations-caching-{name}"));
    let mut command = Command::new("python3");
    command
        .arg("-B")
        .arg(folder().join("annotations/caching.py"));
    command.args(arguments);
    command.env("PYTHONPATH", artifacts::folder().join("include"));
    command.env("LD_LIBRARY_PATH", Topology::One.libraries());
    command.env("LD_PRELOAD", artifacts::shim());
    let log = place.join("%p.aclsan");
    command.env("ACLSAN_OPTIONS", format!("log_path='{}'", log.display()));
    let run = finish(&mut command, &place);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "True\n"),
        "{}",
        run.stderr
    );
    let mut check = Command::new(artifacts::command());
    let check = check.arg("check").args(&run.logs).output();
    let code = check.expect("aclsan runs").status.code();
    Some((run, code))
}

#[test]
fn an_ordinary_training_script_passes_although_its_cache_is_never_emptied() {
    let Some((run, code)) = trained("ordinary", &[]) else {
        return;
    };
    assert_eq!(code, Some(0));
    assert!(
        run.stderr.contains(" 0 errors, 0 warnings, 1 note"),
        "{}",
        run.stderr
    );
    let report = reported(&run, "report");
    assert_eq!(all(&report["findings"], "rule"), ["cache-not-returned"]);
    assert_eq!(report["summary"]["leaked_bytes"], 0);
}

#[test]
fn tensors_that_are_kept_from_step_to_step_grow_at_the_place_that_made_them() {
    let Some((run, code)) = trained("kept", &["keep"]) else {
        return;
    };
    assert_eq!(code, Some(0), "growth is a warning");
    let report = reported(&run, "report");
    let rules = all(&report["findings"], "rule");
    assert_eq!(
        rules,
        ["leak-growing", "cache-not-returned"],
        "{}",
        run.stderr
    );
    let growing = &report["findings"][0];
    let details = growing["details"].to_string();
    assert!(
        details.contains("sub-blocks of pool `ptaCaching`"),
        "{details}"
    );
}
