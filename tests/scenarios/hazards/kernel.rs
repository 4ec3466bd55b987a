//! A repeated call makes no system call.

use super::tally;
use crate::program::{Run, folder};
use crate::watchdog::finish;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Exit codes of the program: it made a system call; it could not forbid them.
const FOUND: i32 = 3;
const UNFIT: i32 = 77;

/// The program runs this number of rounds repeatedly, the last time without system calls; of four rounds, one copies and waits.
const ROUNDS: usize = 400;
/// How often it does before that. A stack is a kind of its own: where one in four is taken, all have been after this number of rounds, and the log is still in
/// its first segment.
const TIMES: usize = 1;
const TIMES_SAMPLED: usize = 4;
/// All blocks are recorded, but one stack in four.
const STACKS_SAMPLED: &str = "profile=production:block_sample=0:stack_sample=1/4";
/// Most blocks are not recorded with it.
const SAMPLED: &str = "profile=production";

#[test]
fn a_call_of_a_kind_that_was_met_before_makes_no_system_call() {
    let scratch = artifacts::scratch("no-system-call");
    let program = build(&scratch);
    for options in [
        "mode=record",
        "mode=record:order=0:python=off:stack_depth=4",
        "mode=check",
        "guard=both",
        "fill=1",
        STACKS_SAMPLED,
        SAMPLED,
        "quiet=1",
    ] {
        let times = match options == STACKS_SAMPLED {
            true => TIMES_SAMPLED,
            false => TIMES,
        };
        let rounds = (times + 1) * ROUNDS;
        let run = run(&scratch, &program, options, &[&times.to_string()]);
        if run.code == UNFIT {
            left_out("system calls cannot be forbidden here");
            return;
        }
        assert_eq!(run.code, 0, "{options}: {}", run.stderr);
        let tally = tally(&run);
        if options != SAMPLED {
            assert_eq!(tally.pairs(), (32 + rounds, rounds), "{options}");
        }
        assert_eq!(tally.count("aclrtMemcpy"), rounds / 4, "{options}");
        assert_eq!(
            tally.count("aclrtSynchronizeStream"),
            rounds / 4,
            "{options}"
        );
        for log in run.logs {
            std::fs::remove_file(log).expect("the log can be removed");
        }
    }
    let asks = run(&scratch, &program, "mode=record", &["1", "asks"]);
    assert_eq!(asks.code, FOUND, "{}", asks.stderr);
    assert!(asks.stderr.contains("system call "), "{}", asks.stderr);
}

fn run(scratch: &Path, program: &Path, options: &str, arguments: &[&str]) -> Run {
    let options = format!(
        "{options}:log_path='{}'",
        scratch.join("%p.aclsan").display()
    );
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("LD_LIBRARY_PATH", scratch)
        // The heap caches as little as possible, so that any growth asks the kernel for memory.
        .env("MALLOC_TOP_PAD_", "0")
        .env("LD_PRELOAD", artifacts::shim())
        .env("ACLSAN_OPTIONS", options);
    finish(&mut command, scratch)
}

/// The program on a runtime that makes no system calls.
fn build(scratch: &Path) -> PathBuf {
    let runtime = folder().join("../benches/runtime.c");
    let program = scratch.join("program");
    let library = format!("-L{}", scratch.display());
    let cc = |out: &Path, source: &Path, flags: &[&str]| {
        let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
        cc.args(["-O1", "-Wall", "-Werror"]).arg("-o").arg(out);
        cc.arg(source).args(flags);
        let status = cc.status().expect("a C compiler");
        assert!(status.success(), "{} compiles", source.display());
    };
    cc(
        &scratch.join("libascendcl.so"),
        &runtime,
        &["-shared", "-fPIC"],
    );
    let source = folder().join("process/no_system_call.c");
    cc(&program, &source, &[&library, "-lascendcl"]);
    program
}
