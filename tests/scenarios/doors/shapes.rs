//! Small programs that reach the runtime the way memfabric, MindSpore and torch_npu do.

use super::{assert_pairs, tally};
use crate::program::folder;
use crate::trial::{self, ALL, Trial};
use crate::watchdog::finish;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts::{self, Topology};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn a_table_of_looked_up_functions_is_watched() {
    let mut trial = Trial::new("doors/table.c", "table");
    for topology in ALL {
        assert_pairs(&trial.on(topology).same(), 10);
    }
}

#[test]
fn the_runtimes_folder_is_found_by_the_address_of_a_function() {
    let mut trial = Trial::new("doors/folder.c", "folder");
    for topology in ALL {
        assert_pairs(&trial.on(topology).same(), 10);
    }
}

#[test]
fn allocations_through_a_loader_pair_with_releases_by_plain_calls() {
    let mut trial = Trial::new("doors/loader.c", "loader");
    for topology in ALL {
        for form in ["old", "new"] {
            assert_pairs(&trial.on(topology).arguments([form]).same(), 10);
        }
    }
}

#[test]
fn an_address_of_ours_is_reported_as_the_runtimes() {
    let mut trial = Trial::new("doors/whose.c", "whose");
    for topology in ALL {
        let run = trial.on(topology).same();
        let linked = "linked: aclrtMalloc in libascendcl.so, twice the same";
        assert!(run.stdout.starts_with(linked), "{}", run.stdout);
    }
}

#[test]
fn what_is_opened_for_itself_is_watched_and_its_paths_are_its_own() {
    let mut trial = Trial::new("doors/binds.c", "binds");
    let outer = trial.scratch.join("outer");
    let inner = outer.join("inner");
    std::fs::create_dir_all(&inner).expect("scratch");
    trial::library("doors/inner.c", &inner.join("libinner.so"), &[]);
    let runtime = format!("-L{}", Topology::One.libraries().display());
    let flags = [runtime.as_str(), "-lascendcl", "-Wl,-rpath,$ORIGIN/inner"];
    trial::library("doors/bound.c", &outer.join("libbound.so"), &flags);
    for topology in ALL {
        let run = trial.on(topology).options("").same();
        assert!(run.stdout.contains("inner: found"), "{}", run.stdout);
        assert!(
            run.stdout.contains("another namespace: apart"),
            "{}",
            run.stdout
        );
        assert_pairs(&run, 10);
        let warned = run.stderr.matches("opened without RTLD_DEEPBIND").count();
        assert_eq!(warned, 1, "{}", run.stderr);
    }
    // With the flag unchanged, it has its normal effect.
    let run = trial.on(Topology::One).options("keep_deepbind=1").same();
    assert!(!run.stderr.contains("RTLD_DEEPBIND"), "{}", run.stderr);
    assert!(run.logs.is_empty());
}

#[test]
fn a_weak_reference_to_what_the_runtime_lacks_is_an_answer_at_worst() {
    let mut trial = Trial::new("doors/weak.c", "weak");
    for topology in ALL {
        let run = trial.on(topology).same();
        let is_lacking = topology == Topology::Old;
        assert_eq!(
            run.stdout.contains("not found"),
            is_lacking,
            "{}",
            run.stdout
        );
        let said = "`aclrtFreeWithDevSync` was called, but no loaded library defines it";
        assert_eq!(run.stderr.contains(said), is_lacking, "{}", run.stderr);
    }
}

#[test]
fn a_call_that_was_missing_is_found_once_its_library_is_there() {
    let mut trial = Trial::new("doors/late_library.c", "late-library");
    for topology in ALL {
        let run = trial.on(topology).watched();
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.stdout, "before: 200001\nbefore: 200001\nafter: 0\n");
        assert_eq!(tally(&run).pairs(), (1, 1));
    }
}

/// Builds `doors/sanitized.c` in `scratch` with a sanitizer; prints a note and returns `None` if the compiler lacks it.
fn sanitized(kind: &str, scratch: &Path) -> Option<PathBuf> {
    let program = scratch.join("program");
    let mut cc = Command::new("cc");
    cc.current_dir(folder())
        .args([
            "-g",
            &format!("-fsanitize={kind}"),
            "doors/sanitized.c",
            "-o",
        ])
        .arg(&program)
        .arg("-I")
        .arg(artifacts::folder().join("simulator/include"))
        .arg("-L")
        .arg(Topology::One.libraries())
        .arg("-lascendcl");
    let is_built = cc.output().is_ok_and(|compiled| compiled.status.success());
    if !is_built {
        left_out(format_args!("the compiler has no -fsanitize={kind}"));
    }
    is_built.then_some(program)
}

/// Its runtime looks up libc functions, including `dl_iterate_phdr`, before it has resolved any of its own.
#[test]
fn a_program_with_thread_sanitizer_starts_and_is_watched() {
    let scratch = artifacts::scratch("doors-thread-sanitizer");
    let Some(program) = sanitized("thread", &scratch) else {
        return;
    };
    // The simulator maps its memory in ranges that ThreadSanitizer does not allow.
    let runtime = trial::small_runtime(&scratch);
    let suppressions = scratch.join("suppressions");
    std::fs::write(&suppressions, "called_from_lib:libaclsan.so\n").expect("scratch");
    let run = |mistake: &str, is_watched: bool| {
        // It ends the program if addresses are randomized further than it supports.
        let mut command = Command::new("setarch");
        command.arg("-R").arg("env");
        if is_watched {
            command.arg(format!("LD_PRELOAD={}", artifacts::shim().display()));
        }
        command
            .arg(&program)
            .arg(mistake)
            .current_dir(&scratch)
            .env("LD_LIBRARY_PATH", &runtime)
            .env(
                "TSAN_OPTIONS",
                format!("suppressions={}", suppressions.display()),
            );
        finish(&mut command, &scratch)
    };
    let alone = run("none", false);
    if alone.code != 0 {
        return left_out(format_args!(
            "ThreadSanitizer does not run here: {}",
            alone.stderr
        ));
    }
    let watched = run("none", true);
    trial::same(&alone, &watched, "ThreadSanitizer");
    assert_pairs(&watched, 10);
    let device = run("device", true);
    let said = "aclsan: double-free";
    assert!(device.stderr.contains(said), "{}", device.stderr);
    let host = run("host", true);
    let said = "ThreadSanitizer: heap-use-after-free";
    assert!(host.stderr.contains(said), "{}", host.stderr);
}

/// `aclsan run` preloads AddressSanitizer's runtime before ours, and each finds its own kind of bug.
#[test]
fn a_program_with_address_sanitizer_is_watched() {
    let scratch = artifacts::scratch("doors-sanitized");
    let Some(program) = sanitized("address", &scratch) else {
        return;
    };
    let run = |mistake: &str| {
        let mut command = Command::new(artifacts::command());
        command
            .args(["run", "--simulate", "--no-report", "--"])
            .arg(&program)
            .arg(mistake)
            .current_dir(&scratch)
            .env("ASAN_OPTIONS", "detect_leaks=0");
        finish(&mut command, &scratch)
    };
    let clean = run("none");
    assert_eq!(
        (clean.code, clean.stdout.as_str()),
        (0, "10 pairs, 0 failed\n")
    );
    assert_pairs(&clean, 10);
    let device = run("device");
    assert_eq!(device.code, 0, "{}", device.stderr);
    assert!(
        device.stderr.contains("aclsan: double-free"),
        "{}",
        device.stderr
    );
    let host = run("host");
    assert_ne!(host.code, 0);
    assert!(
        host.stderr
            .contains("AddressSanitizer: heap-use-after-free"),
        "{}",
        host.stderr
    );
}
