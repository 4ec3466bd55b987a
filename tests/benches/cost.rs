//! Overhead of the shim per call: `cargo bench -p aclsan-tests`, half a minute.
//!
//! Runs one workload (`workload.c`) on a near-zero-cost runtime, with and without the shim, and over malloc under heaptrack. All
//! variants alternate within one run; figures are medians of thread-CPU time. Other load on the machine adds noise: differences
//! below about 50 ns are meaningless.

use aclsan_tests::artifacts;

use std::path::{Path, PathBuf};
use std::process::Command;

const ROUNDS: usize = 7;
const STEPS: u64 = 400_000;

/// A workload and the tool that watches it.
struct Way {
    name: &'static str,
    work: &'static str,
    threads: u32,
    watcher: Watcher,
    nanoseconds: Vec<f64>,
    log_bytes: u64,
    copies: f64,
}

#[derive(Clone, PartialEq)]
enum Watcher {
    Nobody,
    Shim(&'static str),
    /// Over malloc.
    HostNobody,
    /// Over malloc.
    Heaptrack(PathBuf),
}
use Watcher::{Heaptrack, HostNobody, Nobody, Shim};

fn way(name: &'static str, work: &'static str, threads: u32, watcher: Watcher) -> Way {
    Way {
        name,
        work,
        threads,
        watcher,
        nanoseconds: Vec::new(),
        log_bytes: 0,
        copies: 0.0,
    }
}

fn main() {
    let scratch = artifacts::scratch("bench");
    build(&scratch);
    let record = Shim("mode=record:guard=off");
    let mut ways = vec![
        way("pair, alone", "pairs", 1, Nobody),
        way("pair, record", "pairs", 1, record.clone()),
        way("pair, check, rear guards", "pairs", 1, Shim("mode=check")),
        way("pair, guards on both sides", "pairs", 1, Shim("guard=both")),
        way(
            "pair, guards, 1 in 16",
            "pairs",
            1,
            Shim("guard_sample=1/16"),
        ),
        way("pair, guards of 512", "pairs", 1, Shim("guard_bytes=512")),
        way("pair, fill alone", "pairs", 1, Shim("guard=off:fill=on")),
        way(
            "pair, quarantine alone",
            "pairs",
            1,
            Shim("guard=off:quarantine_mb=4"),
        ),
        way("pair, alone", "pairs", 4, Nobody),
        way("pair, record", "pairs", 4, record.clone()),
        way("pair, production", "pairs", 1, Shim("profile=production")),
        way("copy, alone", "copies", 1, Nobody),
        way("copy, record", "copies", 1, record.clone()),
        way("copy, production", "copies", 1, Shim("profile=production")),
        way("descriptor, alone", "descriptors", 1, Nobody),
        way("descriptor, record", "descriptors", 1, record.clone()),
        way("not recorded, alone", "forwards", 1, Nobody),
        way("not recorded", "forwards", 1, record),
    ];
    // With `halt_on_error` calls are judged although nothing is printed.
    for work in ["pairs", "copies", "waits"] {
        for threads in [1, 4] {
            ways.push(way("bare", work, threads, Nobody));
            for (name, options) in [
                ("judged", "mode=record:guard=off:halt_on_error=1"),
                (
                    "judged, no order",
                    "mode=record:guard=off:halt_on_error=1:order=0",
                ),
            ] {
                ways.push(way(name, work, threads, Shim(options)));
            }
        }
    }
    match heaptrack() {
        Some(library) => {
            for threads in [1, 4] {
                ways.push(way("pair, malloc alone", "pairs", threads, HostNobody));
                let watcher = Heaptrack(library.clone());
                ways.push(way("pair, malloc, heaptrack", "pairs", threads, watcher));
            }
        }
        None => println!("left out: heaptrack, which is not installed"),
    }
    for _ in 0..ROUNDS {
        ways.iter_mut().for_each(|way| way.run(&scratch));
    }
    table(&ways);
}

impl Way {
    fn run(&mut self, scratch: &Path) {
        let program = match self.watcher {
            Nobody | Shim(_) => "acl",
            HostNobody | Heaptrack(_) => "host",
        };
        let log = scratch.join("log");
        let mut command = Command::new(scratch.join(program));
        command.args([self.work, &self.threads.to_string(), &STEPS.to_string()]);
        command
            .env("LD_LIBRARY_PATH", scratch)
            .env_remove("LD_PRELOAD");
        match &self.watcher {
            Nobody | HostNobody => {}
            Shim(options) => {
                let options = format!("{options}:quiet=1:log_path='{}'", log.display());
                command
                    .env("LD_PRELOAD", artifacts::shim())
                    .env("ACLSAN_OPTIONS", options);
            }
            Heaptrack(library) => {
                command
                    .env("LD_PRELOAD", library)
                    .env("DUMP_HEAPTRACK_OUTPUT", &log);
            }
        }
        let output = command.output().expect("the workload starts");
        let text = String::from_utf8_lossy(&output.stdout);
        let mut words = text.split_whitespace().map(|word| word.parse().ok());
        let mut word = || words.next().flatten().filter(|_| output.status.success());
        let (nanoseconds, copies) = (word(), word());
        self.copies = copies.unwrap_or_default();
        self.nanoseconds.push(
            nanoseconds.unwrap_or_else(|| panic!("{} failed: {} {text}", self.name, output.status)),
        );
        self.log_bytes = std::fs::metadata(&log).map_or(0, |meta| meta.len());
        let _ = std::fs::remove_file(&log);
    }

    /// Median, minimum and maximum.
    fn figures(&self) -> (f64, f64, f64) {
        let mut sorted = self.nanoseconds.clone();
        sorted.sort_by(f64::total_cmp);
        (
            sorted[sorted.len() / 2],
            sorted[0],
            sorted[sorted.len() - 1],
        )
    }

    fn median(&self) -> f64 {
        self.figures().0
    }

    /// Events of the workload: those of its steps, and the initial blocks.
    fn events(&self) -> u64 {
        100_000 + STEPS * if self.work == "pairs" { 2 } else { 1 }
    }
}

fn table(ways: &[Way]) {
    println!(
        "\n{STEPS} steps a run, {ROUNDS} rounds, twenty frames, 1,024 stacks, 100,000 blocks live; ns are thread-CPU time per step"
    );
    println!(
        "{:26} {:>7} {:>8} {:>15} {:>7} {:>7} {:>8} {:>13}",
        "", "threads", "median", "range", "added", "copies", "B/event", "of heaptrack"
    );
    let same = |a: &Way, b: &Way| a.work == b.work && a.threads == b.threads;
    let added = |way: &Way| {
        let bare = match way.watcher {
            Nobody | HostNobody => return None,
            Shim(_) => Nobody,
            Heaptrack(_) => HostNobody,
        };
        let bare = ways
            .iter()
            .find(|other| other.watcher == bare && same(way, other))?;
        Some(way.median() - bare.median())
    };
    for way in ways {
        let (middle, least, most) = way.figures();
        let peer = ways
            .iter()
            .find(|peer| matches!(peer.watcher, Heaptrack(_)) && same(way, peer));
        let ratio = peer
            .and_then(added)
            .zip(added(way))
            .filter(|_| matches!(way.watcher, Shim(_)));
        let range = format!("{least:.0}..{most:.0}");
        let cell = |number: Option<f64>, digits| {
            number.map_or_else(String::new, |n| format!("{n:.digits$}"))
        };
        let per_event = (way.log_bytes > 0).then(|| way.log_bytes as f64 / way.events() as f64);
        println!(
            "{:26} {:>7} {middle:>8.0} {range:>15} {:>7} {:>7.2} {:>8} {:>13}",
            way.name,
            way.threads,
            cell(added(way), 0),
            way.copies,
            cell(per_event, 1),
            cell(ratio.map(|(peer, ours)| ours / peer), 2),
        );
    }
}

/// Builds the runtime, and the workload on it and on malloc.
fn build(scratch: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let cc = |out: &str, source: &str, flags: &[&str]| {
        let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
        cc.args([
            "-O2",
            "-fomit-frame-pointer",
            "-pthread",
            "-Wall",
            "-Werror",
            "-o",
        ]);
        cc.arg(scratch.join(out))
            .arg(sources.join(source))
            .args(flags);
        let status = cc.status().expect("a C compiler");
        assert!(status.success(), "{source} compiles");
    };
    let folder = format!("-L{}", scratch.display());
    cc("libascendcl.so", "runtime.c", &["-shared", "-fPIC"]);
    cc("acl", "workload.c", &[&folder, "-lascendcl"]);
    cc("host", "workload.c", &["-DHOST"]);
}

/// heaptrack's library, located from its command.
fn heaptrack() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let command = std::env::split_paths(&path).map(|folder| folder.join("heaptrack"));
    let prefix = command
        .filter(|command| command.is_file())
        .find_map(|command| Some(command.canonicalize().ok()?.parent()?.parent()?.to_owned()))?;
    let libraries = ["lib", "lib64"].map(|name| prefix.join(name));
    let nested = libraries
        .iter()
        .flat_map(std::fs::read_dir)
        .flatten()
        .flatten();
    let folders: Vec<_> = nested
        .map(|entry| entry.path())
        .chain(libraries.clone())
        .collect();
    let named = folders
        .iter()
        .map(|folder| folder.join("heaptrack/libheaptrack_preload.so"));
    named
        .chain(
            folders
                .iter()
                .map(|folder| folder.join("libheaptrack_preload.so")),
        )
        .find(|file| file.is_file())
}
