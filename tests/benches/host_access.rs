//! Cost of `host_access=trap` per asynchronous copy: `cargo bench -p aclsan-tests --bench host_access`, half a minute.
//!
//! `host_access.c` on the simulator, whose copies run in a thread of its own: thread-CPU time of the thread that queues and waits. All
//! variants alternate; figures are medians.

use aclsan_tests::artifacts;

use artifacts::Topology;
use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 7;
const COPIES: &str = "20000";
/// The option; without it, nothing is preloaded.
const WAYS: [&str; 3] = ["", "host_access=off", "host_access=trap"];
const KINDS: [(&str, &str); 4] = [
    ("apart", "a wait for each copy of a page"),
    ("slices", "a wait for sixteen adjacent pages"),
    ("again", "a wait for sixteen copies to one page"),
    (
        "neighbor",
        "a wait for each, and a store beside the copy before it",
    ),
];

fn main() {
    let scratch = artifacts::scratch("bench-host-access");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = scratch.join("host_access");
    let libraries = Topology::One.libraries();
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.args(["-O2", "-Wall", "-Werror", "-I"])
        .arg(root.join("../shim/abi/include"))
        .arg("-o")
        .arg(&program)
        .arg(root.join("benches/host_access.c"))
        .arg("-L")
        .arg(&libraries)
        .arg("-lascendcl");
    let status = cc.status().expect("a C compiler");
    assert!(status.success(), "host_access.c compiles");
    let mut figures = vec![[const { Vec::new() }; WAYS.len()]; KINDS.len()];
    for _ in 0..ROUNDS {
        for ((kind, _), figures) in KINDS.iter().zip(&mut figures) {
            for (way, figures) in WAYS.iter().zip(figures) {
                figures.push(once(&program, &libraries, &scratch.join("log"), kind, way));
            }
        }
    }
    println!("\n{COPIES} copies a run, {ROUNDS} rounds, medians; nanoseconds of a copy");
    println!("{:56} {:>7} {:>7} {:>7}", "", "alone", "off", "trap");
    for ((_, what), figures) in KINDS.iter().zip(figures) {
        let [alone, off, trap] = figures.map(|mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list[list.len() / 2]
        });
        println!("{what:56} {alone:>7.0} {off:>7.0} {trap:>7.0}");
    }
}

/// Runs the program and returns the nanoseconds that it prints.
fn once(program: &Path, libraries: &Path, log: &Path, kind: &str, way: &str) -> f64 {
    let mut command = Command::new(program);
    command
        .args([kind, COPIES])
        .env("LD_LIBRARY_PATH", libraries);
    if !way.is_empty() {
        let options = format!("mode=check:guard=off:{way}:log_path='{}'", log.display());
        command
            .env("LD_PRELOAD", artifacts::preload(&options))
            .env("ACLSAN_OPTIONS", options);
    }
    let output = command.output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{way}: {text}{said}");
    let _ = std::fs::remove_file(log);
    text.trim().parse().expect("a number")
}
