//! Guards, fills and the quarantine: what a program sees of them, and that they find a mistake and nothing else.

use crate::artifacts::Topology;
use crate::tally::Tally;
use crate::trial::{BOTH, Trial};
use aclsan_log::Event;

/// Ways to look after memory.
const WAYS: [&str; 5] = [
    "guard=rear",
    "guard=rear:guard_bytes=4096",
    "guard=rear:guard_sample=1/3:seed=7",
    "guard=off:fill=on:quarantine_mb=1",
    "guard=rear:fill=on:quarantine_mb=8",
];

/// Lines that begin a finding.
fn findings(stderr: &str) -> Vec<&str> {
    let lines = stderr.lines().filter(|line| line.contains(": aclsan: "));
    lines.filter(|line| !line.contains("SUMMARY")).collect()
}

#[test]
fn a_program_sees_the_same_memory_whatever_watches_it() {
    for topology in BOTH {
        for way in WAYS {
            let mut trial = Trial::new("guarded/fidelity.c", "guards");
            let holds = way.contains("quarantine_mb");
            let arguments: &[&str] = if holds { &[] } else { &["memory"] };
            trial.on(topology).options(way).arguments(arguments).same();
        }
    }
}

#[test]
fn random_programs_without_a_mistake_are_silent() {
    let mut trial = Trial::new("guarded/random.c", "silent");
    for (seed, way) in (1..).zip(WAYS) {
        for topology in BOTH {
            let blocks = "2000";
            trial.on(topology).options(way);
            let run = trial.arguments([&seed.to_string(), blocks, "0"]).watched();
            assert_eq!(run.code, 0, "{way}, seed {seed}: {}", run.stderr);
            assert_eq!(findings(&run.stderr), [""; 0], "{way}, seed {seed}");
        }
    }
}

#[test]
fn a_random_mistake_is_found_and_nothing_else() {
    let mut trial = Trial::new("guarded/random.c", "mistaken");
    for seed in 1..=20 {
        let run = trial
            .options("guard=rear:guard_bytes=64")
            .arguments([&seed.to_string(), "300", "1"])
            .watched();
        let (size, behind) = run.stdout.trim().split_once(' ').expect("size and place");
        let unit = if size == "1" { "byte" } else { "bytes" };
        let from = match behind {
            "0" => "from its end on".to_owned(),
            "1" => "from 1 byte behind its end on".to_owned(),
            _ => format!("from {behind} bytes behind its end on"),
        };
        let wanted = format!("1 byte overwritten behind a block of {size} {unit}, {from}");
        let found = findings(&run.stderr);
        assert_eq!(found.len(), 1, "seed {seed}, {wanted}: {found:?}");
        assert!(
            found[0].ends_with(&wanted),
            "seed {seed}: {found:?}, not {wanted}"
        );
    }
}

#[test]
fn overruns_of_every_length_are_found_by_every_writer() {
    let mut trial = Trial::new("guarded/overruns.c", "lengths");
    let run = trial.options("guard_bytes=4096").watched();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let tally = Tally::of(&run.logs[0]);
    let mut extents: Vec<(u64, u64)> = tally
        .log
        .events()
        .filter_map(|timed| match timed.event {
            Event::Damage { offset, extent, .. } => Some((offset, extent)),
            _ => None,
        })
        .collect();
    extents.sort_unstable();
    // By a kernel that writes, by one that copies, by the host: three of each length.
    let lengths = [1, 31, 32, 33, 511, 512, 4096];
    let wanted: Vec<(u64, u64)> = lengths
        .iter()
        .flat_map(|&length| [(512, length); 3])
        .collect();
    assert_eq!(extents, wanted);
}

#[test]
fn what_is_held_back_is_let_go_when_memory_is_short() {
    let mut trial = Trial::new("guarded/quarantine_short.c", "short");
    for topology in BOTH {
        trial.on(topology).options("quarantine_mb=64:guard=off");
        let run = trial.same();
        assert_eq!(
            (run.code, findings(&run.stderr).len()),
            (0, 0),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn guards_are_looked_at_when_a_program_just_ends() {
    let run = Trial::new("guarded/overrun_at_exit.c", "exit")
        .on(Topology::Split)
        .same();
    let found = findings(&run.stderr);
    assert_eq!(found.len(), 2, "{}", run.stderr);
    assert!(
        found
            .iter()
            .all(|line| line.contains("guard-overrun: `exit` found"))
    );
}

#[test]
fn a_release_that_is_refused_late_is_reported() {
    let run = Trial::new("guarded/held_refused.c", "refused")
        .options("quarantine_mb=4")
        .watched();
    let found = findings(&run.stderr);
    assert_eq!((run.code, found.len()), (0, 1), "{}", run.stderr);
    assert!(found[0].contains("release-failed: `aclrtFree` failed with"));
}
