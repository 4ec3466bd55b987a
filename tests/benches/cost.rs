//! Overhead of the shim per call: `cargo bench -p aclsan-tests [-- ROUNDS]`, two minutes.
//!
//! Runs one workload (`workload.c`) on a near-zero-cost runtime, with and without the shim, and over malloc under heaptrack. All of these processes
//! live at once and take turns of some ten milliseconds, so that what slows the machine down slows all of them. What the shim adds is the median over
//! the rounds of the difference between two turns of one round, in thread-CPU time.

use aclsan_tests::artifacts;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const ROUNDS: usize = 60;
const WARM_UP: usize = 15;
const STEPS: u64 = 20_000;

/// A workload and the tool that watches it.
struct Way {
    name: &'static str,
    /// See [`PROGRAMS`].
    program: &'static str,
    work: &'static str,
    threads: u32,
    watcher: Watcher,
    /// Of a step, by round.
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

/// Programs and how they are compiled. `mixed` ones are those whose stacks differ in functions.
const PROGRAMS: [(&str, &[&str]); 3] = [
    ("plain", &[]),
    ("mixed-1k", &["-DMIXED", "-DWAYS=1000", "-DBLOCKS=1000"]),
    ("mixed-100k", &["-DMIXED", "-DWAYS=1000"]),
];

fn way(
    name: &'static str,
    (program, work): (&'static str, &'static str),
    threads: u32,
    watcher: Watcher,
) -> Way {
    Way {
        name,
        program,
        work,
        threads,
        watcher,
        nanoseconds: Vec::new(),
        log_bytes: 0,
        copies: 0.0,
    }
}

fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok());
    let scratch = artifacts::scratch("bench");
    build(&scratch);
    let mut ways = ways();
    let mut running: Vec<_> = ways
        .iter()
        .enumerate()
        .map(|(number, way)| Running::start(way, &scratch, number))
        .collect();
    for round in 0..WARM_UP + rounds.unwrap_or(ROUNDS) {
        for (way, process) in ways.iter_mut().zip(&mut running) {
            let (nanoseconds, copies) = process.turn(way.name);
            if round >= WARM_UP {
                way.nanoseconds.push(nanoseconds);
                way.copies = copies;
            }
        }
    }
    for (way, process) in ways.iter_mut().zip(running) {
        way.log_bytes = process.end();
    }
    table(&ways);
}

fn ways() -> Vec<Way> {
    let record = Shim("mode=record:guard=off");
    let production = Shim("profile=production");
    let pairs = ("plain", "pairs");
    let mut ways = vec![
        way("pair, alone", pairs, 1, Nobody),
        way("pair, record", pairs, 1, record.clone()),
        way("pair, check, rear guards", pairs, 1, Shim("mode=check")),
        way("pair, guards on both sides", pairs, 1, Shim("guard=both")),
        way("pair, guards, 1 in 16", pairs, 1, Shim("guard_sample=1/16")),
        way("pair, guards of 512", pairs, 1, Shim("guard_bytes=512")),
        way("pair, fill alone", pairs, 1, Shim("guard=off:fill=on")),
        way(
            "pair, quarantine alone",
            pairs,
            1,
            Shim("guard=off:quarantine_mb=4"),
        ),
        way("pair, production", pairs, 1, production.clone()),
    ];
    for work in ["copies", "waits", "descriptors", "forwards"] {
        let work = ("plain", work);
        ways.push(way("alone", work, 1, Nobody));
        ways.push(way("record", work, 1, record.clone()));
        ways.push(way("production", work, 1, production.clone()));
    }
    // With `halt_on_error` calls are judged although nothing is printed.
    for work in ["copies", "waits"] {
        for (name, options) in [
            ("judged", "mode=record:guard=off:halt_on_error=1"),
            (
                "judged, no order",
                "mode=record:guard=off:halt_on_error=1:order=0",
            ),
        ] {
            ways.push(way(name, ("plain", work), 1, Shim(options)));
        }
    }
    let heaptrack = heaptrack();
    if heaptrack.is_none() {
        println!("left out: heaptrack, which is not installed");
    }
    for (program, _) in PROGRAMS {
        let work = (program, "pairs");
        for threads in [1, 2, 4] {
            ways.push(way("alone", work, threads, Nobody));
            ways.push(way("record", work, threads, record.clone()));
            ways.push(way("production", work, threads, production.clone()));
            if let Some(library) = &heaptrack {
                ways.push(way("malloc alone", work, threads, HostNobody));
                let watcher = Heaptrack(library.clone());
                ways.push(way("malloc, heaptrack", work, threads, watcher));
            }
        }
    }
    ways
}

/// A process that takes turns.
struct Running {
    process: Child,
    turns: ChildStdin,
    figures: BufReader<ChildStdout>,
    log: PathBuf,
}

impl Running {
    fn start(way: &Way, scratch: &Path, number: usize) -> Self {
        let runtime = match way.watcher {
            Nobody | Shim(_) => "acl",
            HostNobody | Heaptrack(_) => "host",
        };
        let log = scratch.join(format!("log-{number}"));
        let mut command = Command::new(scratch.join(format!("{runtime}-{}", way.program)));
        command.args([way.work, &way.threads.to_string(), &STEPS.to_string()]);
        command
            .arg("turns")
            .env("LD_LIBRARY_PATH", scratch)
            .env_remove("LD_PRELOAD");
        match &way.watcher {
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
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::null()).spawn().expect("it starts");
        Self {
            turns: process.stdin.take().expect("it is piped"),
            figures: BufReader::new(process.stdout.take().expect("it is piped")),
            process,
            log,
        }
    }

    /// Nanoseconds of a step, and copies in one.
    fn turn(&mut self, name: &str) -> (f64, f64) {
        self.turns.write_all(b"\n").expect("it waits for its turn");
        let mut line = String::new();
        self.figures.read_line(&mut line).expect("it answers");
        let mut words = line.split_whitespace().map(|word| word.parse().ok());
        let figures = words.next().flatten().zip(words.next().flatten());
        figures.unwrap_or_else(|| panic!("{name} failed: {:?} {line}", self.process.try_wait()))
    }

    /// The length of its log.
    fn end(mut self) -> u64 {
        drop(self.turns);
        let status = self.process.wait().expect("it ends");
        assert!(status.success(), "it failed: {status}");
        let length = std::fs::metadata(&self.log).map_or(0, |meta| meta.len());
        let _ = std::fs::remove_file(&self.log);
        length
    }
}

impl Way {
    /// Events of the workload: those of its steps, and the initial blocks.
    fn events(&self) -> u64 {
        let blocks = if self.program == "mixed-1k" {
            1000
        } else {
            100_000
        };
        let turns = (WARM_UP + self.nanoseconds.len()) as u64;
        blocks + turns * STEPS * if self.work == "pairs" { 2 } else { 1 }
    }

    /// What the watcher adds to each turn of the same work without it; `None` without a watcher.
    fn added(&self, ways: &[Self]) -> Option<Quartiles> {
        let bare = match self.watcher {
            Nobody | HostNobody => return None,
            Shim(_) => Nobody,
            Heaptrack(_) => HostNobody,
        };
        let bare = ways
            .iter()
            .find(|other| other.watcher == bare && self.is_same_work(other))?;
        let turns = self.nanoseconds.iter().zip(&bare.nanoseconds);
        Some(Quartiles::of(turns.map(|(with, without)| with - without)))
    }

    fn is_same_work(&self, other: &Self) -> bool {
        (self.program, self.work, self.threads) == (other.program, other.work, other.threads)
    }
}

struct Quartiles {
    low: f64,
    median: f64,
    high: f64,
}

impl Quartiles {
    fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<_> = figures.collect();
        figures.sort_by(f64::total_cmp);
        let at = |quarters: usize| figures[(figures.len() - 1) * quarters / 4];
        Self {
            low: at(1),
            median: at(2),
            high: at(3),
        }
    }
}

fn table(ways: &[Way]) {
    println!(
        "\n{} turns of {STEPS} steps each, twenty frames, 1,024 stacks (1,000 mixed ones), 100,000 blocks live (1,000 with mixed-1k); ns are thread-CPU time per step, `added` with its quartiles",
        ways[0].nanoseconds.len()
    );
    println!(
        "{:11} {:11} {:26} {:>7} {:>7} {:>7} {:>13} {:>6} {:>8} {:>12}",
        "", "", "", "threads", "median", "added", "", "copies", "B/event", "of heaptrack"
    );
    for way in ways {
        let middle = Quartiles::of(way.nanoseconds.iter().copied()).median;
        let added = way.added(ways);
        let peer = ways
            .iter()
            .find(|peer| matches!(peer.watcher, Heaptrack(_)) && way.is_same_work(peer))
            .filter(|_| matches!(way.watcher, Shim(_)))
            .and_then(|peer| peer.added(ways));
        let ratio = peer
            .zip(added.as_ref())
            .map(|(peer, ours)| ours.median / peer.median);
        let cell = |number: Option<f64>, digits| {
            number.map_or_else(String::new, |number| format!("{number:.digits$}"))
        };
        let range = added.as_ref().map_or_else(String::new, |added| {
            format!("{:.0}..{:.0}", added.low, added.high)
        });
        let per_event = (way.log_bytes > 0).then(|| way.log_bytes as f64 / way.events() as f64);
        println!(
            "{:11} {:11} {:26} {:>7} {middle:>7.0} {:>7} {range:>13} {:>6.2} {:>8} {:>12}",
            way.program,
            way.work,
            way.name,
            way.threads,
            cell(added.map(|added| added.median), 0),
            way.copies,
            cell(per_event, 1),
            cell(ratio, 2),
        );
    }
}

/// Builds the runtime, and the workloads on it and on malloc.
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
    for (name, flags) in PROGRAMS {
        let linked = [flags, &[&folder, "-lascendcl"]].concat();
        cc(&format!("acl-{name}"), "workload.c", &linked);
        cc(
            &format!("host-{name}"),
            "workload.c",
            &[flags, &["-DHOST"]].concat(),
        );
    }
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
