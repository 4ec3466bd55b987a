//! Overhead of the shim per call: `cargo bench -p aclsan-tests --bench cost [-- [shapes | flat] [ROUNDS]]`, two minutes.
//!
//! With `shapes`, pairs alone, of more blocks and of other stacks, three minutes. With `flat`, of a thousand to ten million blocks, five minutes and 20 GB.
//! Runs one workload (`workload.c`) on a near-zero-cost runtime, with and without the shim, and over malloc under heaptrack. All of these processes
//! live at once and take turns of some ten milliseconds, so that what slows the machine down slows all of them. What the shim adds is the median over
//! the rounds of the difference between two turns of one round, in thread-CPU time.

use aclsan_tests::artifacts;

mod programs;
mod turns;

use programs::{FLAT, MIXED, PLAIN, Program, SHAPES};
use std::path::{Path, PathBuf};
use std::process::Command;
use turns::{Quartiles, Running};

const ROUNDS: usize = 60;
const STEPS: u64 = 20_000;

/// A workload and the tool that watches it.
struct Way {
    name: &'static str,
    program: &'static Program,
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
    /// A library that executes as many instructions as this in each call, and forwards it.
    Nops(u32),
    /// As that, and it reads the clock as often as the shim and writes one word of a table in each call.
    Floor(u32),
    /// Over malloc.
    HostNobody,
    /// Over malloc.
    Heaptrack(PathBuf),
}
use Watcher::{Floor, Heaptrack, HostNobody, Nobody, Nops, Shim};

fn way(
    name: &'static str,
    (program, work): (&'static Program, &'static str),
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
    let words: Vec<String> = std::env::args().collect();
    let rounds = words.iter().find_map(|word| word.parse().ok());
    let has = |name: &str| words.iter().any(|word| word == name);
    let scratch = artifacts::scratch("bench");
    // In the turns before the first round nearly all blocks are replaced, two thirds of ten million: those of the start are smaller.
    let (mut ways, warm_up) = if has("shapes") {
        (ways_of_pairs(&SHAPES, &[1, 4]), 100)
    } else if has("flat") {
        (flat_ways(), 500)
    } else {
        (ways(), 15)
    };
    programs::build(&scratch, ways.iter().map(|way| way.program));
    let mut running: Vec<_> = ways
        .iter()
        .enumerate()
        .map(|(number, way)| {
            let log = scratch.join(format!("log-{number}"));
            Running::start(way.command(&scratch, &log), log)
        })
        .collect();
    for round in 0..warm_up + rounds.unwrap_or(ROUNDS) {
        for (way, process) in ways.iter_mut().zip(&mut running) {
            let (nanoseconds, copies) = process.turn(way.name);
            if round >= warm_up {
                way.nanoseconds.push(nanoseconds);
                way.copies = copies;
            }
        }
    }
    for (way, process) in ways.iter_mut().zip(running) {
        way.log_bytes = process.end();
    }
    table(&ways, warm_up);
}

fn ways() -> Vec<Way> {
    let record = Shim("mode=record:guard=off");
    let production = Shim("profile=production");
    let pairs = (&PLAIN, "pairs");
    let mut ways = vec![way("alone", pairs, 1, Nobody)];
    for (name, options) in [
        ("check, rear guards", "mode=check"),
        ("guards on both sides", "guard=both"),
        ("guards, 1 in 16", "guard_sample=1/16"),
        ("guards of 512", "guard_bytes=512"),
        ("fill alone", "guard=off:fill=on"),
        ("quarantine alone", "guard=off:quarantine_mb=4"),
    ] {
        ways.push(way(name, pairs, 1, Shim(options)));
    }
    for work in ["copies", "waits", "descriptors", "forwards"] {
        let work = (&PLAIN, work);
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
            ways.push(way(name, (&PLAIN, work), 1, Shim(options)));
        }
    }
    ways.extend(ways_of_pairs(std::slice::from_ref(&PLAIN), &[1, 2, 4]));
    ways.extend(ways_of_pairs(&MIXED, &[1, 2, 4]));
    ways
}

fn ways_of_pairs(programs: &'static [Program], threads: &[u32]) -> Vec<Way> {
    let heaptrack = programs::heaptrack();
    if heaptrack.is_none() {
        println!("left out: heaptrack, which is not installed");
    }
    let mut ways = Vec::new();
    for program in programs {
        for &threads in threads {
            let way = |name, watcher| way(name, (program, "pairs"), threads, watcher);
            ways.push(way("alone", Nobody));
            ways.push(way("record", Shim("mode=record:guard=off")));
            ways.push(way("production", Shim("profile=production")));
            if threads == 1 {
                ways.push(way("300 nops", Nops(150)));
                ways.push(way("3,000 nops", Nops(1500)));
            }
            if let Some(library) = &heaptrack {
                ways.push(way("malloc alone", HostNobody));
                ways.push(way("malloc, heaptrack", Heaptrack(library.clone())));
            }
        }
    }
    ways
}

/// The same pairs with more and more blocks live.
fn flat_ways() -> Vec<Way> {
    let watchers = [
        ("alone", Nobody),
        ("record", Shim("mode=record:guard=off")),
        ("nops, clock, table", Floor(1500)),
    ];
    let each = FLAT.iter().flat_map(|program| {
        watchers
            .clone()
            .map(|(name, watcher)| way(name, (program, "pairs"), 1, watcher))
    });
    each.collect()
}

impl Way {
    /// Its process, which writes its log to `log`.
    fn command(&self, scratch: &Path, log: &Path) -> Command {
        let runtime = match self.watcher {
            Nobody | Shim(_) | Nops(_) | Floor(_) => "acl",
            HostNobody | Heaptrack(_) => "host",
        };
        let mut command = Command::new(scratch.join(format!("{runtime}-{}", self.program.name)));
        command.args([self.work, &self.threads.to_string(), &STEPS.to_string()]);
        command
            .arg("turns")
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
            Nops(count) => {
                command.env("LD_PRELOAD", programs::floor(scratch, *count, 0));
            }
            Floor(count) => {
                let library = programs::floor(scratch, *count, self.program.blocks);
                command.env("LD_PRELOAD", library);
            }
            Heaptrack(library) => {
                command
                    .env("LD_PRELOAD", library)
                    .env("DUMP_HEAPTRACK_OUTPUT", log);
            }
        }
        command
    }

    /// Events of the workload: those of its steps, and the initial blocks.
    fn events(&self, warm_up: usize) -> u64 {
        let turns = (warm_up + self.nanoseconds.len()) as u64;
        self.program.blocks + turns * STEPS * if self.work == "pairs" { 2 } else { 1 }
    }

    /// What the watcher adds to each turn of the same work without it; `None` without a watcher.
    fn added(&self, ways: &[Self]) -> Option<Quartiles> {
        let bare = match self.watcher {
            Nobody | HostNobody => return None,
            Shim(_) | Nops(_) | Floor(_) => Nobody,
            Heaptrack(_) => HostNobody,
        };
        let bare = ways
            .iter()
            .find(|other| other.watcher == bare && self.is_same_work(other))?;
        let turns = self.nanoseconds.iter().zip(&bare.nanoseconds);
        Some(Quartiles::of(turns.map(|(with, without)| with - without)))
    }

    fn is_same_work(&self, other: &Self) -> bool {
        let of = |way: &Self| (way.program.name, way.work, way.threads);
        of(self) == of(other)
    }
}

fn table(ways: &[Way], warm_up: usize) {
    println!(
        "\n{} turns of {STEPS} steps each, twenty frames and 100,000 blocks live unless the name says otherwise; ns are thread-CPU time per step, `added` with its quartiles",
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
        let per_event =
            (way.log_bytes > 0).then(|| way.log_bytes as f64 / way.events(warm_up) as f64);
        println!(
            "{:11} {:11} {:26} {:>7} {middle:>7.0} {:>7} {range:>13} {:>6.2} {:>8} {:>12}",
            way.program.name,
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
