//! Instructions that the shim adds per call and that a report takes per event, with a ceiling: `cargo bench -p aclsan-tests --bench
//! instructions`, a minute.
//!
//! Counted by valgrind's callgrind, so a busy machine changes nothing: the difference between a long and a short run, with the shim and
//! without. Fails if a count is more than 10 % above `instructions.txt`. After a change that is worth its instructions, or
//! that saves some, `SNAPSHOTS=overwrite` rewrites the file, and the difference is part of the change. Another compiler may need another file;
//! `rust-version` names the compiler.

use aclsan_tests::artifacts;

use aclsan_tests::synthetic_log;
use snapbox::assert::{Action, DEFAULT_ACTION_ENV};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Steps of the short and the long run. The short one already sees all 1,024 stacks.
const STEPS: [u64; 2] = [20_000, 40_000];
/// Tolerated percentage above the ceiling.
const SLACK: u64 = 10;

/// Name, workload, options.
const WAYS: [(&str, &str, &str); 6] = [
    ("allocation and release", "pairs", "mode=record:guard=off"),
    (
        "allocation and release, profile=production",
        "pairs",
        "profile=production",
    ),
    ("copy", "copies", "mode=record:guard=off"),
    ("wait for a stream", "waits", "mode=record:guard=off"),
    (
        "descriptor of a tensor",
        "descriptors",
        "mode=record:guard=off",
    ),
    (
        "call that is not recorded",
        "forwards",
        "mode=record:guard=off",
    ),
];

fn main() -> ExitCode {
    let found = Command::new("valgrind").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("left out: there is no valgrind here to count instructions");
        return ExitCode::SUCCESS;
    }
    let scratch = artifacts::scratch("bench-instructions");
    build(&scratch);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions.txt");
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    let mut fresh = String::new();
    let mut failed = false;
    let calls = WAYS.map(|(name, work, options)| {
        let added = per_step(&scratch, work, Some(options)) - per_step(&scratch, work, None);
        (name, added)
    });
    let event = ("event of a log, `leaks --by site`", per_event(&scratch));
    for (name, added) in calls.into_iter().chain([event]) {
        let _ = writeln!(fresh, "{added} {name}");
        let ceiling = ceiling(&known, name);
        let verdict = match ceiling {
            Some(ceiling) if added * 100 <= ceiling * (100 + SLACK) => "",
            Some(_) => ": more than 10 % above; SNAPSHOTS=overwrite accepts it",
            None => ": has no ceiling; SNAPSHOTS=overwrite writes one",
        };
        failed |= !verdict.is_empty();
        let ceiling = ceiling.map_or_else(|| "none".into(), |number| number.to_string());
        println!("{added:>6} instructions, ceiling {ceiling}: {name}{verdict}");
    }
    if Action::with_env_var(DEFAULT_ACTION_ENV) == Some(Action::Overwrite) {
        std::fs::write(&file, fresh).expect("the ceilings can be written");
        return ExitCode::SUCCESS;
    }
    ExitCode::from(u8::from(failed))
}

/// Parses lines of a number and a name.
fn ceiling(known: &str, name: &str) -> Option<u64> {
    let line = known
        .lines()
        .find_map(|line| line.split_once(' ').filter(|line| line.1 == name));
    line?.0.parse().ok()
}

/// Events of the short and the long log. The short one already has most of the peak number of live blocks.
const EVENTS: [u64; 2] = [400_000, 600_000];

/// Instructions of the leak table per event, rounded down.
fn per_event(scratch: &Path) -> u64 {
    let [short, long] = EVENTS.map(|events| {
        let log = scratch.join("rank.aclsan");
        synthetic_log::log(&log, 0, events, synthetic_log::Rooms::Same)
            .expect("the log is written");
        let mut command = Command::new("valgrind");
        let out = scratch.join("callgrind.out");
        command
            .args(["--tool=callgrind", "-q"])
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(artifacts::command())
            .args(["leaks", "--by", "site"])
            .arg(log);
        let output = command.output().expect("valgrind starts");
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        total(&out)
    });
    (long - short) / (EVENTS[1] - EVENTS[0])
}

/// The instruction count that callgrind recorded.
fn total(out: &Path) -> u64 {
    let text = std::fs::read_to_string(out).expect("callgrind wrote its counts");
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total = total.expect("callgrind's file has totals");
    total.trim().parse().expect("totals are a number")
}

/// The part of them that records slow allocations. Under valgrind a fast allocation can count as slow; how many do
/// depends on the machine.
fn inside_slow(out: &Path) -> u64 {
    let text = std::fs::read_to_string(out).expect("callgrind wrote its counts");
    let (mut number, mut is_called, mut sum) = (None, false, 0);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let function = line.strip_prefix('c').unwrap_or(line).strip_prefix("fn=");
        if let Some(function) = function {
            // callgrind writes a name only where its number first occurs.
            let (this, name) = function.split_once(' ').unwrap_or((function, ""));
            if name.starts_with("aclsan::heap::allocate::slow") {
                number = Some(this);
            }
            is_called = line.starts_with('c') && number == Some(this);
        } else if line.starts_with("calls=") {
            let cost = lines.next().and_then(|line| line.split(' ').nth(1));
            let cost = cost.and_then(|cost| cost.parse::<u64>().ok());
            sum += cost.filter(|_| is_called).unwrap_or(0);
        }
    }
    sum
}

/// Where callgrind writes the counts of the short and the long run.
fn counts(scratch: &Path, work: &str, options: &str) -> [PathBuf; 2] {
    STEPS.map(|steps| scratch.join(format!("{work}-{options}-{steps}.callgrind")))
}

/// Instructions per step, rounded down.
fn per_step(scratch: &Path, work: &str, options: Option<&str>) -> u64 {
    let [short, long] = counts(scratch, work, options.unwrap_or("alone"));
    let [short, long] = [(STEPS[0], short), (STEPS[1], long)].map(|(steps, out)| {
        let log = scratch.join("log");
        let mut command = Command::new("valgrind");
        command
            .args(["--tool=callgrind", "-q"])
            .arg(format!("--callgrind-out-file={}", out.display()))
            .arg(scratch.join("acl"))
            .args([work, "1", &steps.to_string()])
            .env("LD_LIBRARY_PATH", scratch)
            .env_remove("LD_PRELOAD");
        if let Some(options) = options {
            let options = format!("{options}:quiet=1:log_path='{}'", log.display());
            command
                .env("LD_PRELOAD", artifacts::shim())
                .env("ACLSAN_OPTIONS", options);
        }
        let output = command.output().expect("valgrind starts");
        assert!(
            output.status.success(),
            "{work}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let _ = std::fs::remove_file(log);
        total(&out) - inside_slow(&out)
    });
    (long - short) / (STEPS[1] - STEPS[0])
}

/// Ten frames and few blocks.
fn build(scratch: &Path) {
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
    let few = ["-DBLOCKS=1000", "-DFRAMES=7", &folder, "-lascendcl"];
    cc("acl", "workload.c", &few);
}
