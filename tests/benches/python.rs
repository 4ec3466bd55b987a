//! Overhead of Python stacks per call: `cargo bench -p aclsan-tests --bench python`, a minute at most.
//!
//! `pairs.py` through ctypes, ten Python frames deep, on a near-zero-cost runtime, for each Python named in
//! the arguments, or `python3`. All variants alternate; figures are medians of thread-CPU time.

use aclsan_tests::artifacts;

use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 7;
const STEPS: u64 = 200_000;
const WAYS: [&str; 3] = ["", "python=off", "python=auto"];

fn main() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let scratch = artifacts::scratch("bench-python");
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.args(["-O2", "-shared", "-fPIC", "-o"])
        .arg(scratch.join("libascendcl.so"));
    cc.arg(sources.join("runtime.c"));
    assert!(cc.status().expect("a C compiler").success());
    let named = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'));
    let mut pythons: Vec<String> = named.collect();
    if pythons.is_empty() {
        pythons.push("python3".into());
    }
    println!("{STEPS} pairs a run, {ROUNDS} rounds; ns of thread-CPU time a pair, mode record");
    println!(
        "{:40} {:>7} {:>12} {:>12} {:>7}",
        "", "alone", WAYS[1], WAYS[2], "added"
    );
    for python in pythons {
        let mut figures = [const { Vec::new() }; WAYS.len()];
        for _ in 0..ROUNDS {
            for (way, figures) in WAYS.iter().zip(&mut figures) {
                figures.extend(run(&python, way, &sources.join("pairs.py"), &scratch));
            }
        }
        let [alone, off, auto] = figures.map(|mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list.get(list.len() / 2).copied().unwrap_or(f64::NAN)
        });
        println!(
            "{python:40} {alone:>7.0} {off:>12.0} {auto:>12.0} {:>7.0}",
            auto - off
        );
    }
}

/// One run; `None` if this Python cannot be started.
fn run(python: &str, way: &str, script: &Path, scratch: &Path) -> Option<f64> {
    let log = scratch.join("log");
    let mut command = Command::new(python);
    command.arg(script).arg(STEPS.to_string());
    command
        .env("LD_LIBRARY_PATH", scratch)
        .env_remove("LD_PRELOAD");
    if !way.is_empty() {
        let options = format!("mode=record:quiet=1:log_path='{}':{way}", log.display());
        command
            .env("LD_PRELOAD", artifacts::shim())
            .env("ACLSAN_OPTIONS", options);
    }
    let output = command.output().ok()?;
    let _ = std::fs::remove_file(&log);
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}
