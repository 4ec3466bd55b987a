//! Overhead of each guard mode per allocation and release, with one thread and with four: `cargo bench -p aclsan-tests --bench guards`, a minute.
//!
//! `guards.c` on the simulator, which has the virtual memory that `guard=page` needs; most of its cost is the simulator's own mappings.
//! All variants alternate; figures are medians of thread-CPU time.

use aclsan_tests::artifacts;

use artifacts::Topology;
use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 7;
const PAIRS: &str = "20000";
const THREADS: [&str; 2] = ["1", "4"];
const WAYS: [&str; 7] = [
    "",
    "guard=off",
    "guard=rear",
    "guard=both",
    "guard=page",
    "guard=rear:fill=on",
    "guard=rear:quarantine_mb=4",
];

fn main() {
    let scratch = artifacts::scratch("bench-guards");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = scratch.join("guards");
    let libraries = Topology::One.libraries();
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.args(["-O2", "-Wall", "-Werror", "-I"])
        .arg(root.join("../shim/abi/include"))
        .arg("-o")
        .arg(&program)
        .arg(root.join("benches/guards.c"))
        .arg("-L")
        .arg(&libraries)
        .args(["-lascendcl", "-pthread"]);
    assert!(
        cc.status().expect("a C compiler").success(),
        "guards.c compiles"
    );
    for threads in THREADS {
        compare(&scratch, &program, &libraries, threads);
    }
}

fn compare(scratch: &Path, program: &Path, libraries: &Path, threads: &str) {
    let mut figures = [const { Vec::new() }; WAYS.len()];
    for _ in 0..ROUNDS {
        for (way, figures) in WAYS.iter().zip(&mut figures) {
            let log = scratch.join("log");
            let mut command = Command::new(program);
            command
                .args([PAIRS, threads])
                .env("LD_LIBRARY_PATH", libraries);
            if !way.is_empty() {
                let options = format!("mode=check:{way}:log_path='{}'", log.display());
                command
                    .env("LD_PRELOAD", artifacts::shim())
                    .env("ACLSAN_OPTIONS", options);
            }
            let output = command.output().expect("the program starts");
            let text = String::from_utf8_lossy(&output.stdout);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{way}: {text}{said}");
            figures.push(text.trim().parse::<f64>().expect("a number"));
            let _ = std::fs::remove_file(&log);
        }
    }
    println!(
        "\n{PAIRS} pairs of 1,000 bytes a thread, {threads} threads, {ROUNDS} rounds, medians"
    );
    let medians = figures.map(|mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    });
    for (way, median) in WAYS.iter().zip(&medians) {
        let name = if way.is_empty() { "alone" } else { way };
        println!(
            "{name:28} {median:>9.0} ns {:>9.0} added",
            median - medians[0]
        );
    }
}
