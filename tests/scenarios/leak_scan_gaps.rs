//! `leak_scan=1`: threads that run during the scan or do not stop, allocators that cannot be walked, and the size and class of lost objects.

use crate::leak_scan::{classes, leaks, scanned, watch};
use crate::program::{Program, Run, folder};
use crate::watchdog::finish;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const THREADS: &str = "leaks/leak_scan_threads.c";

fn report(run: &Run) -> String {
    let mut command = Command::new(artifacts::command());
    let output = command.args(["report", "-v"]).args(&run.logs).output();
    String::from_utf8_lossy(&output.expect("aclsan runs").stdout).into_owned()
}

fn gaps(leaks: &Value) -> &Value {
    &leaks["scans"][0]["gaps"]
}

#[test]
fn a_register_of_another_thread_knows_a_block_and_the_thread_goes_on_as_before() {
    for way in ["computes", "waits", "sleeps"] {
        let run = scanned(THREADS, way, way, Topology::One, "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
        let leaks = leaks(&run);
        // A site's only block that something points to is kept for the process.
        assert_eq!(classes(&leaks), [1, 0, 0, 1], "{way}: {leaks}");
        assert_eq!(gaps(&leaks), &json!([]), "{way}");
    }
}

#[test]
fn with_a_thread_that_cannot_be_stopped_nothing_is_called_lost_and_the_report_says_why() {
    for way in ["blocks", "handles"] {
        let run = scanned(THREADS, way, way, Topology::One, "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
        let leaks = leaks(&run);
        let [lost, unknown, reachable, kept] = classes(&leaks);
        assert!(lost == 0 && unknown >= 1, "{way}: {leaks}");
        assert_eq!(unknown + reachable + kept, 2, "{way}: {leaks}");
        assert_eq!(gaps(&leaks)[0]["what"], "threads", "{way}: {leaks}");
        let report = report(&run);
        assert!(report.contains("could not be stopped"), "{way}: {report}");
        assert!(
            !report.contains("no pointer into the memory"),
            "{way}: {report}"
        );
    }
}

#[test]
fn threads_that_allocate_or_start_others_do_not_keep_the_scan_waiting() {
    for way in ["allocate", "use", "start"] {
        let mut lost = 0;
        for _ in 0..3 {
            let run = scanned(THREADS, way, way, Topology::One, "");
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
            let leaks = leaks(&run);
            assert_eq!(leaks["scans"][0]["outcome"], "whole", "{way}: {leaks}");
            lost += classes(&leaks)[0];
        }
        // Threads that start faster than they can be stopped are a gap. One that is stopped inside the runtime may have the
        // address of a neighbor of its own block in a register: the block then counts as reachable.
        let least = match way {
            "allocate" => 3,
            "use" => 1,
            _ => 0,
        };
        assert!(lost >= least, "{way}: {lost}");
    }
}

#[test]
fn a_lost_object_is_named_by_its_class_or_its_size() {
    for (way, name) in [
        ("template", "of class `net::Layer<float>`, 24 bytes"),
        ("plain", "of 24 bytes"),
    ] {
        let run = scanned("leaks/leak_scan_classes.cpp", way, way, Topology::One, "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{way}");
        let report = report(&run);
        let sentence = format!("lost with an object {name}: only memory from `malloc`");
        assert!(report.contains(&sentence), "{way}: {report}");
    }
    let run = scanned(
        "leaks/leak_scan_classes.cpp",
        "shared",
        "shared",
        Topology::One,
        "",
    );
    let report = report(&run);
    assert!(
        report.contains("lost with an object of class `std::_Sp_counted_ptr_inplace<Shared"),
        "{report}"
    );
}

/// Builds the allocator of `leak_scan_allocator.c` as a library.
fn allocator(scratch: &Path, name: &str, flags: &[&str]) -> String {
    let library = scratch.join(name);
    let mut cc = Command::new("cc");
    cc.args([
        "-shared",
        "-fPIC",
        "-O1",
        "-fno-builtin-malloc",
        "-DLIBRARY",
        "-o",
    ]);
    cc.arg(&library).args(flags);
    let built = cc
        .arg(folder().join("leaks/leak_scan_allocator.c"))
        .status();
    assert!(built.expect("a C compiler").success());
    library.display().to_string()
}

#[test]
fn blocks_that_only_memory_of_another_allocator_knows_are_reachable_and_counted() {
    let scratch = artifacts::scratch("leak-scan-allocators");
    let program = Program::new("leaks/leak_scan_allocated.c");
    let built = program.build(&scratch);
    let counted = |run: &Run, name: &str| {
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
        let leaks = leaks(run);
        assert_eq!(classes(&leaks), [0, 0, 2, 0], "{name}: {leaks}");
        assert_eq!(
            gaps(&leaks),
            &json!([{ "what": name, "count": 2 }]),
            "{leaks}"
        );
        let sentence = format!("found in memory whose objects only {name} knows");
        assert!(report(run).contains(&sentence), "{name}");
    };
    for (file, flags, name) in [
        ("libown.so", &[][..], "another allocator"),
        ("libjemalloc.so.2", &[][..], "jemalloc"),
        ("libfast.so", &["-DKNOWN=mi_malloc"][..], "mimalloc"),
        ("libother.so", &["-DKNOWN=tc_malloc"][..], "tcmalloc"),
    ] {
        let library = allocator(&scratch, file, flags);
        let mut command = program.command(&built, Topology::One);
        watch(&mut command, &scratch, "");
        let preload = artifacts::preload("leak_scan=1");
        command.env("LD_PRELOAD", format!("{preload}:{library}"));
        counted(&finish(&mut command, &scratch), name);
    }
}

#[test]
fn a_heap_that_cannot_be_taken_apart_is_counted() {
    let run = scanned(
        "leaks/leak_scan_objects.c",
        "gap-brk",
        "brk",
        Topology::One,
        "",
    );
    let leaks = leaks(&run);
    assert_eq!(
        gaps(&leaks),
        &json!([{ "what": "glibc", "count": 4 }]),
        "{leaks}"
    );
    assert!(report(&run).contains("in a heap of `malloc` that could not be taken apart"));
}
