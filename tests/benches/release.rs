//! Overhead of `libc_free=1` in a program that mostly allocates and releases host memory: `cargo bench -p aclsan-tests --bench release`.

use aclsan_tests::artifacts;

use std::path::Path;
use std::process::Command;

const ROUNDS: usize = 9;
const STEPS: &str = "5000000";

fn main() {
    let scratch = artifacts::scratch("bench-release");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let cc = |out: &str, source: &str, flags: &[&str]| {
        let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
        cc.args(["-O2", "-Wall", "-Werror", "-o"])
            .arg(scratch.join(out))
            .arg(sources.join(source))
            .args(flags);
        assert!(
            cc.status().expect("a C compiler").success(),
            "{source} compiles"
        );
    };
    let folder = format!("-L{}", scratch.display());
    cc("libascendcl.so", "runtime.c", &["-shared", "-fPIC"]);
    cc("host", "host.c", &[&folder, "-lascendcl"]);
    let off = artifacts::preload("");
    let on = artifacts::preload("libc_free=1");
    let ways = [
        ("alone", "apart", "", ""),
        ("libc_free=0", "apart", off.as_str(), "libc_free=0"),
        ("libc_free=1", "apart", on.as_str(), "libc_free=1"),
        (
            "libc_free=1, among blocks",
            "among",
            on.as_str(),
            "libc_free=1",
        ),
    ];
    let mut figures = vec![Vec::new(); ways.len()];
    for _ in 0..ROUNDS {
        for ((_, what, preload, options), figures) in ways.iter().zip(&mut figures) {
            let log = scratch.join("log");
            let options = format!("{options}:mode=record:quiet=1:log_path='{}'", log.display());
            let output = Command::new(scratch.join("host"))
                .args([what, STEPS])
                .env("LD_LIBRARY_PATH", &scratch)
                .env("LD_PRELOAD", preload)
                .env("ACLSAN_OPTIONS", options)
                .output()
                .expect("the workload starts");
            let text = String::from_utf8_lossy(&output.stdout);
            let text = text
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned();
            assert!(output.status.success(), "{text}");
            figures.push(text.parse::<f64>().expect("a number"));
            let _ = std::fs::remove_file(&log);
        }
    }
    println!(
        "\n{STEPS} releases and allocations a run, {ROUNDS} rounds, medians of thread-CPU time"
    );
    let medians: Vec<f64> = figures
        .iter_mut()
        .map(|figures| {
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 2]
        })
        .collect();
    for ((name, ..), median) in ways.iter().zip(&medians) {
        let ratio = median / medians[0];
        println!("{name:28} {median:>7.1} ns {ratio:>6.2}");
    }
}
