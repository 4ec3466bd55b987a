//! Memory growth with live blocks and distinct stacks: `cargo bench -p aclsan-tests --bench growth`, two minutes
//! and 4 GB of memory. Fails if a live block or a stack takes more memory than `README.md` states, which a busy machine does not change.
//!
//! The workload of `cost.rs`, compiled for other numbers of blocks and stacks. Memory is the peak resident size of the whole process
//! minus that without the shim.

use aclsan_tests::artifacts;

use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 5;
const STEPS: &str = "400000";

/// Blocks, stacks.
const SIZES: [(u32, u32); 6] = [
    (1_000, 1_024),
    (10_000, 1_024),
    (100_000, 1_024),
    (1_000_000, 1_024),
    (1_000, 16_384),
    (10_000_000, 1_024),
];
/// From this number of blocks on, there is a single round.
const ONCE: u32 = 10_000_000;
/// Maximum bytes per live block, wherever the table last doubled, and per distinct stack of twenty frames.
const MOST: [f64; 2] = [80.0, 330.0];
/// Maximum bytes of a thousand blocks and the fixed part.
const BASE: f64 = 4e6;

fn main() {
    let scratch = artifacts::scratch("bench-growth");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let cc = |out: &str, source: &str, flags: &[&str]| {
        let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
        cc.args(["-O2", "-fomit-frame-pointer", "-pthread", "-o"])
            .arg(scratch.join(out))
            .arg(sources.join(source))
            .args(flags);
        let status = cc.status().expect("a C compiler");
        assert!(status.success(), "{source} compiles");
    };
    let folder = format!("-L{}", scratch.display());
    cc("libascendcl.so", "runtime.c", &["-shared", "-fPIC"]);
    for (blocks, ways) in SIZES {
        let (blocks_flag, ways_flag) = (format!("-DBLOCKS={blocks}"), format!("-DWAYS={ways}"));
        let flags = [&*blocks_flag, &*ways_flag, &*folder, "-lascendcl"];
        cc(&format!("acl-{blocks}-{ways}"), "workload.c", &flags);
    }
    let mut figures = vec![[Vec::new(), Vec::new()]; SIZES.len()];
    for round in 0..ROUNDS {
        for ((blocks, ways), figures) in SIZES.iter().zip(&mut figures) {
            if *blocks == ONCE && round > 0 {
                continue;
            }
            let program = format!("acl-{blocks}-{ways}");
            for (watched, figures) in [false, true].into_iter().zip(figures) {
                figures.push(run(&scratch, &program, watched));
            }
        }
    }
    println!(
        "\n{STEPS} pairs a run, {ROUNDS} rounds, medians; added to a pair, and to what is resident"
    );
    let mut added = Vec::new();
    for ((blocks, ways), figures) in SIZES.iter().zip(&figures) {
        let [alone, watched] = figures.each_ref().map(|runs| median(runs));
        let (time, memory) = (watched.0 - alone.0, (watched.1 - alone.1) * 1024.0);
        added.push((time, memory));
        // A thousand blocks measure the fixed part.
        print!(
            "{blocks:>9} blocks {ways:>7} stacks {time:>7.0} ns {:>9.0} KiB",
            memory / 1024.0
        );
        if *blocks > 10_000 {
            let per_block = (memory - added[0].1) / f64::from(blocks - 1_000);
            print!(" {per_block:>5.0} bytes per live block");
            assert!(per_block <= MOST[0], "{per_block}");
        }
        println!();
    }
    assert!(added[0].1 <= BASE, "{}", added[0].1);
    // Each pair makes two sites per path.
    let per_stack = (added[4].1 - added[0].1) / f64::from(2 * (16_384 - 1_024));
    println!("{per_stack:.0} bytes per distinct stack of twenty frames");
    println!(
        "10^7 live blocks against 10^4: {:.2} times the time",
        added[5].0 / added[1].0
    );
    assert!(per_stack <= MOST[1], "{per_stack}");
}

/// Nanoseconds per step, resident KiB.
fn run(scratch: &Path, program: &str, is_watched: bool) -> (f64, f64) {
    let log = scratch.join("log");
    let mut command = Command::new(scratch.join(program));
    command
        .args(["pairs", "1", STEPS])
        .env("LD_LIBRARY_PATH", scratch)
        .env_remove("LD_PRELOAD");
    if is_watched {
        let options = format!("mode=record:guard=off:quiet=1:log_path='{}'", log.display());
        command
            .env("LD_PRELOAD", artifacts::shim())
            .env("ACLSAN_OPTIONS", options);
    }
    let output = command.output().expect("the workload starts");
    let _ = std::fs::remove_file(log);
    let number = |text: Vec<u8>| {
        let text = String::from_utf8_lossy(&text);
        text.split_whitespace()
            .next()
            .and_then(|word| word.parse::<f64>().ok())
    };
    let time = number(output.stdout).expect("the workload prints its time");
    let memory = number(output.stderr).expect("the workload prints its memory");
    (time, memory)
}

fn median(runs: &[(f64, f64)]) -> (f64, f64) {
    let middle = |which: fn(&(f64, f64)) -> f64| {
        let mut sorted: Vec<f64> = runs.iter().map(which).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    };
    (middle(|run| run.0), middle(|run| run.1))
}
