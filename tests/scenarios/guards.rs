//! Guards, fills and the quarantine: how a program sees them, and that they find each bug and nothing else.

use crate::rules::programs;
use crate::tally::Tally;
use crate::trial::{BOTH, Trial};
use aclsan_log::Event;
use aclsan_tests::artifacts::Topology;
use std::collections::BTreeSet;

/// Combinations of memory checks.
const WAYS: [&str; 8] = [
    "guard=rear",
    "guard=both",
    "guard=both:guard_bytes=4096",
    "guard=both:guard_sample=1/3:seed=7:fill=on:quarantine_mb=1",
    "guard=rear:guard_bytes=4096",
    "guard=rear:guard_sample=1/3:seed=7",
    "guard=off:fill=on:quarantine_mb=1",
    "guard=rear:fill=on:quarantine_mb=8",
];

/// First lines of findings.
fn findings(stderr: &str) -> Vec<&str> {
    let lines = stderr.lines().filter(|line| line.contains(": aclsan: "));
    lines.filter(|line| !line.contains("SUMMARY")).collect()
}

#[test]
fn a_program_sees_the_same_memory_whatever_watches_it() {
    for topology in BOTH {
        for way in WAYS {
            let mut trial = Trial::new("guarded/fidelity.c", "guards");
            // Quarantined memory is unavailable for a while, as are 2 MiB before each block of large pages.
            let is_less = way.contains("quarantine_mb") || way.contains("both");
            let arguments: &[&str] = if is_less { &[] } else { &["memory"] };
            trial.on(topology).options(way).arguments(arguments).same();
        }
    }
}

#[test]
fn memory_is_taken_by_what_is_held_before_blocks_and_by_nothing_else() {
    let mut trial = Trial::new("guarded/taken.c", "taken");
    let mut taken = |options: &str| -> Vec<[u64; 3]> {
        let run = trial.options(options).watched();
        let words = run.stdout.split_whitespace();
        let numbers: Vec<u64> = words.map(|word| word.parse().expect("a number")).collect();
        numbers.as_chunks().0.to_vec()
    };
    let (alone, rear, both) = (taken("guard=off"), taken("guard=rear"), taken("guard=both"));
    assert_eq!(alone.len(), 8 * 6); // sizes and policies of the program
    for ((alone, rear), both) in alone.iter().zip(&rear).zip(&both) {
        let &[size, policy, bytes] = alone;
        // HUGE_ONLY for devices and for peers; other blocks that may have large pages, if above 1 MiB with 32 of padding. Small pages are
        // allocated 2 MiB at a time and have room to spare: for 2097152 + 32 + 64 as for 2097152 + 32.
        let is_normal_only = matches!(policy, 2 | 5);
        let is_huge = matches!(policy, 1 | 4) || (!is_normal_only && size + 32 > 1 << 20);
        let held = if is_huge { 2 << 20 } else { 0 };
        assert_eq!(*rear, [size, policy, bytes]);
        assert_eq!(*both, [size, policy, bytes + held]);
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

/// Runs the random program with one bug of a kind and checks that nothing else is found.
fn one_mistake(options: &str, kind: &str, seeds: std::ops::RangeInclusive<u32>) {
    let mut trial = Trial::new("guarded/random.c", &format!("mistaken-{}", options.len()));
    for seed in seeds {
        let run = trial
            .options(options)
            .arguments([&seed.to_string(), "300", kind])
            .watched();
        let (size, away) = run.stdout.trim().split_once(' ').expect("size and place");
        let counted = |count: &str| match count {
            "1" => "1 byte".to_owned(),
            _ => format!("{count} bytes"),
        };
        let (side, from) = match (kind, away) {
            ("2", _) => (
                "before",
                format!("starting {} before its start", counted(away)),
            ),
            (_, "0") => ("past the end of", "starting at its end".to_owned()),
            _ => (
                "past the end of",
                format!("starting {} past its end", counted(away)),
            ),
        };
        let wanted = format!(
            "1 byte overwritten {side} a block of {}, {from}",
            counted(size)
        );
        let found = findings(&run.stderr);
        assert_eq!(found.len(), 1, "seed {seed}, {wanted}: {found:?}");
        assert!(
            found[0].ends_with(&wanted),
            "seed {seed}: {found:?}, not {wanted}"
        );
    }
}

#[test]
fn a_random_mistake_is_found_and_nothing_else() {
    one_mistake("guard=rear:guard_bytes=64", "1", 1..=20);
    one_mistake("guard=both:guard_bytes=64", "1", 1..=10);
    one_mistake("guard=both:guard_bytes=128", "2", 1..=20);
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
    // By a writing kernel, a copying kernel and the host: three of each length.
    let lengths = [1, 31, 32, 33, 511, 512, 4096];
    let wanted: Vec<(u64, u64)> = lengths
        .iter()
        .flat_map(|&length| [(512, length); 3])
        .collect();
    assert_eq!(extents, wanted);
}

/// The findings of a run of `zones.c`: first and last offset from the block's start, and the rules that reported.
type Zones = (Vec<(i64, u64)>, BTreeSet<String>);

fn zones(trial: &mut Trial, options: &str, who: (u32, u32), pairs: &[String]) -> Zones {
    let who = [who.0.to_string(), who.1.to_string()];
    let arguments = who.into_iter().chain(pairs.iter().cloned());
    let run = trial.options(options).arguments(arguments).watched();
    assert_eq!(run.code, 0, "{options}: {}", run.stderr);
    let tally = Tally::of(&run.logs[0]);
    let damage = tally.log.events().filter_map(|timed| match timed.event {
        Event::Damage { offset, extent, .. } => Some((offset as i64, extent)),
        _ => None,
    });
    let rule = |line: &str| line.split(": ").nth(2).map(str::to_owned);
    let rules = findings(&run.stderr).into_iter().filter_map(rule);
    (damage.collect(), rules.collect())
}

/// Lengths of the writes past an edge.
const LENGTHS: [u64; 7] = [1, 31, 32, 33, 511, 512, 4096];

#[test]
fn every_zone_side_family_and_writer_is_found_and_its_inside_is_silent() {
    let mut trial = Trial::new("guarded/zones.c", "zones");
    let pairs = |side: &str| -> Vec<String> {
        let pair = |length: &u64| [side.to_owned(), length.to_string()];
        LENGTHS.iter().flat_map(pair).collect()
    };
    let texts = |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.into()).collect() };
    let rules =
        |names: &[&str]| -> BTreeSet<String> { names.iter().map(|&name| name.into()).collect() };
    let edges = texts(&["i", "0", "i", "0"]);
    let none: Zones = Default::default();
    // Device, media, device media, small and large pages, by kernels, copying kernels and copies; pinned memory by the host.
    let families = [0, 1, 3, 4, 5].into_iter();
    let device = families.flat_map(|family| [0, 1, 3].map(|writer| (family, writer)));
    for who in device.chain([(2, 2)]) {
        // Whole pages: 65536 bytes, with 32 of padding on the device.
        let is_pinned = who.0 == 2;
        let size = if is_pinned { 65536 } else { 65504 };
        let behind = LENGTHS.map(|length| (size, length)).to_vec();
        let before = LENGTHS.map(|length| (-(length as i64), length)).to_vec();
        let rear_rules = match is_pinned {
            true => rules(&["guard-overrun"]),
            false => rules(&["guard-overrun", "slack-write"]), // of the first 32
        };
        for options in ["guard=rear:guard_bytes=4096", "guard=both:guard_bytes=4096"] {
            let what = format!("{options}, family and writer {who:?}");
            let mut run = |pairs: &[String]| zones(&mut trial, options, who, pairs);
            assert_eq!(
                run(&pairs("r")),
                (behind.clone(), rear_rules.clone()),
                "{what}"
            );
            let slack = (vec![(1000, 4)], rules(&["slack-write"]));
            assert_eq!(run(&texts(&["s", "4"])), slack, "{what}");
            assert_eq!(run(&edges), none, "{what}");
            if options.contains("both") {
                let front = (before.clone(), rules(&["guard-underrun"]));
                assert_eq!(run(&pairs("f")), front, "{what}");
            }
        }
        // Runtime copies into the next block are detected without a guard between.
        let over = if who.1 == 3 {
            vec![]
        } else {
            [pairs("r"), pairs("f")].concat()
        };
        let all = [over, edges.clone()].concat();
        assert_eq!(zones(&mut trial, "guard=off", who, &all), none, "{who:?}");
    }
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

#[test]
fn a_signal_that_the_program_handles_stays_its_own() {
    let run = Trial::new("guarded/own_signal.c", "own")
        .options("snapshot_signal=USR1")
        .same();
    assert_eq!(run.stdout, "1\n");
    let said = run
        .stderr
        .lines()
        .find(|line| line.contains("snapshot_signal"));
    assert!(said.expect("a sentence").contains("handles signal 10"));
}

/// Programs that release, share and register memory by every call that takes a block's start: each sees the same results and reports with
/// guards before its blocks as without.
#[test]
fn a_program_never_learns_of_what_lies_before_its_blocks() {
    for area in ["releases", "sharing"] {
        let names = programs(area).into_iter();
        // These need another preloaded library.
        for name in names.filter(|name| !name.contains("libc_free")) {
            let mut trial = Trial::new(&name, "before");
            let mut reported = |options: &str| -> Vec<String> {
                let run = trial.options(options).same();
                let lines = findings(&run.stderr).into_iter();
                let sentences = lines.filter_map(|line| line.split_once("== "));
                sentences.map(|(_, sentence)| sentence.into()).collect()
            };
            assert_eq!(reported("guard=both"), reported("guard=rear"), "{name}");
        }
    }
}
