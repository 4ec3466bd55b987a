//! `leak_scan=1`: the blocks still reachable at exit, for every way to exit.

use crate::leaks::reported;
use crate::normalise;
use crate::program::{Program, Run, folder};
use crate::python::installed::each;
use crate::rules::compare;
use crate::watchdog::finish;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The output of `aclsan leaks --json` for a run's last log.
pub fn leaks(run: &Run) -> Value {
    let log = run.logs.last().expect("a log");
    let mut command = Command::new(artifacts::command());
    let output = command.args(["leaks", "--json"]).arg(log).output();
    let output = output.expect("aclsan runs").stdout;
    let report: Value = serde_json::from_slice(&output).expect("JSON");
    report["leaks"].clone()
}

/// Blocks by class: lost, unknown, still reachable, kept for the process.
pub fn classes(leaks: &Value) -> [u64; 4] {
    let sites = leaks["sites"].as_array().expect("a list");
    ["lost", "unknown", "still reachable", "kept for the process"].map(|class| {
        let alike = sites.iter().filter(|site| site["class"] == class);
        alike.filter_map(|site| site["blocks"].as_u64()).sum()
    })
}

/// Runs `leak_scan_ends.c` under the scan in the scratch folder `test` and ends it this way.
fn ended(test: &str, way: &str, topology: Topology, options: &str) -> Run {
    scanned("leaks/leak_scan_ends.c", test, way, topology, options)
}

pub fn scanned(name: &str, test: &str, way: &str, topology: Topology, options: &str) -> Run {
    let scratch = artifacts::scratch(&format!("leak-scan-{test}-{topology:?}"));
    let program = Program::new(name);
    let built = program.build(&scratch);
    let mut command = program.command(&built, topology);
    watch(command.arg(way), &scratch, options);
    finish(&mut command, &scratch)
}

pub fn watch(command: &mut Command, scratch: &Path, options: &str) {
    let log = scratch.join("%p.aclsan");
    let options = format!("leak_scan=1:quiet=1:log_path='{}':{options}", log.display());
    command.env("LD_PRELOAD", artifacts::preload(&options));
    command.env("ACLSAN_OPTIONS", options);
}

#[test]
fn lost_known_carved_and_kept_blocks_are_distinguished() {
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = reported("leaks", "leaks/leak_reachable.c", topology);
        compare(&folder().join("leaks/leak_reachable.report"), &report).unwrap();
        assert_eq!(code, Some(1));
        let (report, code) = reported("leaks", "leaks/leak_reachable_silent.c", topology);
        assert!(
            report.contains("; 0 bytes in 0 blocks leaked\n"),
            "{report}"
        );
        assert_eq!(code, Some(0));
    }
}

#[test]
fn every_way_to_end_leaves_the_same_blocks_known() {
    // 2 are in a global, 3 are lost; a nested `exit` finds 2 more in a live frame and one more in a register.
    for topology in [Topology::One, Topology::Split] {
        for (way, expected) in [
            ("return", [3, 0, 2, 0]),
            ("fork", [3, 0, 2, 0]),
            ("_exit", [3, 0, 2, 0]),
            ("exit", [3, 0, 2, 2]),
            ("register", [3, 0, 2, 1]),
        ] {
            let run = ended(way, way, topology, "");
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
            assert_eq!(
                run.logs.len(),
                1,
                "{way}: a parent that calls nothing has none"
            );
            let leaks = leaks(&run);
            assert_eq!(classes(&leaks), expected, "{way} {topology:?}: {leaks}");
            assert_eq!(leaks["scans"][0]["outcome"], "whole", "{way}");
        }
    }
}

#[test]
fn a_thread_that_still_runs_keeps_what_its_stack_knows() {
    let run = ended("thread", "thread", Topology::One, "");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let leaks = leaks(&run);
    // The thread's own block is the only one of its site.
    assert_eq!(classes(&leaks), [3, 0, 2, 1], "{leaks}");
    assert!(leaks["scans"][0]["threads"].as_u64() >= Some(1), "{leaks}");
}

#[test]
fn a_program_that_is_killed_is_not_judged_by_what_nobody_looked_for() {
    // A crash makes no leaks of live blocks. Without its report, the log just ends.
    for (options, unknown) in [("", 0), ("handle_signals=0", 5)] {
        let run = ended("abort", "abort", Topology::One, options);
        assert_eq!(run.code, 128 + 6);
        let leaks = leaks(&run);
        assert_eq!(classes(&leaks), [0, unknown, 0, 0], "{options}: {leaks}");
        assert_eq!(leaks["scans"].as_array().map(Vec::len), Some(0));
    }
}

#[test]
fn a_scan_that_was_cut_short_calls_nothing_lost() {
    let run = ended("cut", "return", Topology::One, "leak_scan_ms=0");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let leaks = leaks(&run);
    assert_eq!(leaks["scans"][0]["outcome"], "cut short", "{leaks}");
    let [lost, unknown, ..] = classes(&leaks);
    assert!(lost == 0 && unknown >= 3, "{leaks}");
    let report = Command::new(artifacts::command())
        .args(["leaks", "-v", "--prefix"])
        .args(&run.logs)
        .output();
    let report = normalise::report(&String::from_utf8_lossy(
        &report.expect("aclsan runs").stdout,
    ));
    assert!(report.contains("raise `leak_scan_ms`"), "{report}");
}

#[test]
fn a_block_that_a_lost_object_knows_is_lost_with_it() {
    for way in [
        "small", "chain", "cycle", "large", "aligned", "thread", "inside", "key", "frame",
    ] {
        let test = format!("object-{way}");
        let run = scanned("leaks/leak_scan_objects.c", &test, way, Topology::One, "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
        let leaks = leaks(&run);
        // The stack of a thread that has ended is kept for the next, with what it left there.
        let leftovers = match way {
            "thread" => classes(&leaks)[2].saturating_sub(2).min(1),
            _ => 0,
        };
        let expected = [2 - leftovers, 0, 2 + leftovers, 0];
        assert_eq!(classes(&leaks), expected, "{way}: {leaks}");
        let output = Command::new(artifacts::command())
            .arg("report")
            .args(&run.logs)
            .output()
            .expect("aclsan runs");
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(
            report.contains("only memory from `malloc` that nothing points to"),
            "{way}: {report}"
        );
    }
    // Where chunks end is not known any more: all of the heap counts.
    let run = scanned(
        "leaks/leak_scan_objects.c",
        "object-brk",
        "brk",
        Topology::One,
        "",
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let leaks = leaks(&run);
    assert_eq!(classes(&leaks), [0, 0, 4, 0], "{leaks}");
}

#[test]
fn memory_that_is_hard_to_look_through_is_looked_through_or_left() {
    // One block is reachable, one lost. With released pages two more are lost. Unreadable and file-backed memory holds no pointers.
    for (way, expected) in [
        ("reserved", [1, 0, 1]),
        ("given back", [3, 0, 1]),
        ("sealed", [1, 0, 1]),
        ("unreadable", [2, 0, 0]),
        ("file", [2, 0, 0]),
        ("limited", [1, 0, 1]),
        ("filtered", [1, 0, 1]),
        ("threads", [1, 0, 1]),
        ("main leaves", [1, 0, 1]),
    ] {
        let test = way.replace(' ', "-");
        let run = scanned("leaks/leak_scan_places.c", &test, way, Topology::One, "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
        let leaks = leaks(&run);
        let [lost, unknown, reachable, kept] = classes(&leaks);
        assert_eq!(
            [lost, unknown, reachable + kept],
            expected,
            "{way}: {leaks}"
        );
        let scan = &leaks["scans"][0];
        assert_eq!(scan["outcome"], "whole", "{way}");
        // 64 GiB of reserved address space are not read.
        assert!(scan["bytes"].as_u64() < Some(1 << 30), "{way}: {scan}");
    }
}

#[test]
fn a_limit_of_time_is_kept_to_with_much_to_read() {
    let run = scanned(
        "leaks/leak_scan_places.c",
        "time",
        "full",
        Topology::One,
        "leak_scan_ms=10",
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let scan = &leaks(&run)["scans"][0];
    assert_eq!(scan["outcome"], "cut short", "{scan}");
    // At most one more piece of a mebibyte, plus the setup before reading.
    assert!(scan["ns"].as_u64() < Some(1_000_000_000), "{scan}");
}

#[test]
fn what_a_library_knows_is_known_unless_it_is_one_of_cann() {
    let scratch = artifacts::scratch("leak-scan-libraries");
    let source = folder().join("leaks/leak_scan_library.c");
    // A site's only block that a global or a reachable object points to counts as kept for the process. A library of CANN may keep an object of the
    // program's for it, so what that object knows is not lost.
    for (name, expected) in [
        ("libhccl_tools.so", [1, 0, 0, 2]),
        ("libge_mine.so.1", [1, 0, 0, 2]),
        ("libhccl.so", [2, 0, 0, 1]),
        ("libge_executor.so.9.1", [2, 0, 0, 1]),
    ] {
        let library = scratch.join(name);
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-DLIBRARY", "-o"]);
        let built = cc.arg(&library).arg(&source).status();
        assert!(built.expect("a C compiler").success());
        let way = library.to_string_lossy();
        let run = scanned("leaks/leak_scan_library.c", name, &way, Topology::One, "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        let leaks = leaks(&run);
        assert_eq!(classes(&leaks), expected, "{name}: {leaks}");
    }
}

#[test]
fn without_the_option_nobody_looks() {
    let run = Program::new("leaks/leak.c").run(Topology::One, "quiet=1:leak_scan=0");
    let leaks = leaks(&run);
    assert_eq!(classes(&leaks), [0, 5, 0, 0], "{leaks}");
    assert_eq!(leaks["classes"].as_array().map(Vec::len), Some(0));
}

#[test]
fn python_objects_are_memory_like_any_other() {
    each(|python| {
        let scratch = artifacts::scratch(&format!("leak-scan-python-{}", python.version));
        let mut command = Command::new(&python.path);
        command.arg(folder().join("leaks/leak_scan.py"));
        command.env("LD_LIBRARY_PATH", Topology::One.libraries());
        watch(&mut command, &scratch, "");
        let run = finish(&mut command, &scratch);
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (0, ""),
            "{}",
            python.version
        );
        let leaks = leaks(&run);
        assert_eq!(classes(&leaks), [3, 0, 2, 0], "{}: {leaks}", python.version);
    });
}

#[test]
fn what_leak_sanitizer_distinguishes_is_distinguished_for_device_memory() {
    // A single block of its site that is known is kept for the process.
    const KNOWN: [u64; 4] = [0, 0, 0, 1];
    const LOST: [u64; 4] = [1, 0, 0, 0];
    for (way, expected) in [
        ("self", LOST),
        ("variable", KNOWN),
        ("keys", KNOWN),
        ("context", KNOWN),
        ("frame", LOST),
        ("destructor", [0; 4]),
        ("initialized", KNOWN),
        ("zeroed", KNOWN),
        ("mapped", KNOWN),
        ("array", KNOWN),
        ("unaligned", LOST),
        ("thread's variable", KNOWN),
        ("vector", KNOWN),
        ("guard", KNOWN),
        ("argument", KNOWN),
        ("detached", LOST),
    ] {
        let test = way.replace(['\'', ' '], "-");
        let run = scanned("leaks/leak_scan_cases.c", &test, way, Topology::One, "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
        let leaks = leaks(&run);
        assert_eq!(classes(&leaks), expected, "{way}: {leaks}");
    }
}
