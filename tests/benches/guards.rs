//! Overhead of each guard mode per allocation and release, with one thread and with four: `cargo bench -p aclsan-tests --bench guards`, two minutes.
//!
//! `guards.c` on the simulator, which has the virtual memory that `guard=page` needs; most of its cost is the simulator's own mappings.
//! The same where each block is filled before its release, and what a copy of a guard's length takes, alone and in a batch of sixteen.
//! All variants alternate; figures are medians of thread-CPU time.

use aclsan_tests::artifacts;

use artifacts::Topology;
use std::path::{Path, PathBuf};
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
/// Figures of `guards.c` for copies, in its order.
const COPIES: [&str; 4] = [
    "copy to a device",
    "one of 16 in a batch to it",
    "copy from a device",
    "one of 16 in a batch from it",
];

/// The program, and where it runs.
struct Bench {
    scratch: PathBuf,
    program: PathBuf,
    libraries: PathBuf,
}

fn main() {
    let bench = Bench::build();
    for threads in THREADS {
        bench.compare(threads, "pairs", &WAYS);
        bench.compare(threads, "touched", &WAYS[..3]);
        bench.copies(threads);
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

impl Bench {
    fn build() -> Self {
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
        Self {
            scratch,
            program,
            libraries,
        }
    }

    /// The figures of one run.
    fn run(&self, threads: &str, work: &str, way: &str) -> Vec<f64> {
        let log = self.scratch.join("log");
        let mut command = Command::new(&self.program);
        command
            .args([PAIRS, threads, work])
            .env("LD_LIBRARY_PATH", &self.libraries);
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
        let _ = std::fs::remove_file(&log);
        let figures = text.lines().map(|line| line.parse().expect("a number"));
        figures.collect()
    }

    fn compare(&self, threads: &str, work: &str, ways: &[&str]) {
        let mut figures = vec![Vec::new(); ways.len()];
        for _ in 0..ROUNDS {
            for (way, figures) in ways.iter().zip(&mut figures) {
                figures.push(self.run(threads, work, way)[0]);
            }
        }
        println!(
            "\n{PAIRS} pairs of 1,000 bytes a thread, {work}, {threads} threads, {ROUNDS} rounds, medians"
        );
        let medians: Vec<f64> = figures.into_iter().map(median).collect();
        for (way, median) in ways.iter().zip(&medians) {
            let name = if way.is_empty() { "alone" } else { way };
            println!(
                "{name:28} {median:>9.0} ns {:>9.0} added",
                median - medians[0]
            );
        }
    }

    /// What copies take without the shim.
    fn copies(&self, threads: &str) {
        let runs: Vec<_> = (0..ROUNDS)
            .map(|_| self.run(threads, "copies", ""))
            .collect();
        println!("\n88 bytes, {threads} threads, {ROUNDS} rounds, medians");
        for (at, name) in COPIES.iter().enumerate() {
            let median = median(runs.iter().map(|run| run[at]).collect());
            println!("{name:28} {median:>9.0} ns");
        }
    }
}
