//! `guard=page`: blocks that end at an unmapped page, how a program sees them, and when ordinary blocks are used instead.

use crate::tally::Tally;
use crate::trial::{BOTH, Trial};
use aclsan_log::Event;
use aclsan_rules::api::profile::HUGE_PAGE;

/// First lines of findings.
fn findings(stderr: &str) -> Vec<&str> {
    let lines = stderr.lines().filter(|line| line.contains(": aclsan: "));
    lines.filter(|line| !line.contains("SUMMARY")).collect()
}

/// Messages about the option.
fn said(stderr: &str) -> Vec<&str> {
    let lines = stderr.lines();
    lines
        .filter_map(|line| line.split_once("guard=page: ").map(|(_, rest)| rest))
        .collect()
}

#[test]
fn overruns_of_every_length_are_found_in_the_pattern_or_by_the_page() {
    let mut trial = Trial::new("guarded/page_overruns.c", "lengths");
    let run = trial.options("guard=page").watched();
    assert_eq!(run.code, 0, "{}", run.stderr);
    // After 512 bytes, rounded to 512 + 32 = 544, there are 1024 - 512 = 512 bytes before the page; after 992, rounded to 1024, 32 bytes;
    // after 1000, rounded to 1024 + 32 = 1056, 1536 - 1000 = 536 bytes. An overrun damages as many of them as it is long.
    let rooms = [(512, 512), (992, 32), (1000, 536)];
    let lengths = [0, 1, 31, 32, 33, 511, 512, 4096];
    let each = || {
        rooms
            .into_iter()
            .flat_map(|room| lengths.map(|length| (room, length)))
    };
    let printed: String = each()
        .map(|((size, room), length)| {
            let status = if length > room { 507_015 } else { 0 };
            format!("{size} {length} {status}\n")
        })
        .collect();
    assert_eq!(run.stdout, printed);
    let tally = Tally::of(&run.logs[0]);
    let damage = |event| match event {
        Event::Damage { offset, extent, .. } => Some((offset, extent)),
        _ => None,
    };
    let events = tally.log.events();
    let found: Vec<(u64, u64)> = events.filter_map(|timed| damage(timed.event)).collect();
    let wanted: Vec<(u64, u64)> = each()
        .filter(|&(_, length)| length > 0)
        .map(|((size, room), length)| (size, length.min(room)))
        .collect();
    assert_eq!(found, wanted);
    // Those, and one earlier.
    let guard_pages = tally.log.events();
    let taken = guard_pages.filter_map(|timed| match timed.event {
        Event::Fence { taken, .. } => Some(taken),
        _ => None,
    });
    assert_eq!(taken.collect::<Vec<_>>(), [HUGE_PAGE; 25]);
    // Deduplicated when printed: 4096 past each of the three, and 33, 511, 512 past 992.
    let faults = findings(&run.stderr);
    let faults = faults.iter().filter(|line| line.contains("page-fault"));
    assert_eq!(faults.count(), 1, "{}", run.stderr);
}

#[test]
fn a_program_sees_the_same_memory() {
    for topology in BOTH {
        for (program, argument) in [
            ("guarded/fidelity.c", ""),
            ("guards/address_range_silent.c", ""),
            ("guards/capture_silent.c", ""),
            ("guarded/quarantine_short.c", ""),
        ] {
            let mut trial = Trial::new(program, "guard-pages");
            trial.on(topology).options("guard=page:quarantine_mb=0");
            let run = trial
                .arguments(Some(argument).filter(|a| !a.is_empty()))
                .same();
            let ours = ["guard-overrun", "slack-write", "page-fault"];
            let found = findings(&run.stderr);
            assert!(
                !found
                    .iter()
                    .any(|line| ours.iter().any(|rule| line.contains(rule))),
                "{program}: {found:?}"
            );
        }
    }
}

#[test]
fn random_programs_without_a_mistake_are_silent() {
    let mut trial = Trial::new("guarded/random.c", "guard-pages");
    let ways = [
        "guard=page",
        "guard=page:guard_sample=1/3:seed=7",
        "guard=page:page_min=1000:page_max=4096:quarantine_mb=1:fill=on",
    ];
    for (seed, way) in (1..).zip(ways) {
        for topology in BOTH {
            trial.on(topology).options(way);
            let run = trial.arguments([&seed.to_string(), "300", "0"]).watched();
            assert_eq!(run.code, 0, "{way}: {}", run.stderr);
            assert_eq!(findings(&run.stderr), [""; 0], "{way}");
        }
    }
}

#[test]
fn what_blocks_took_is_given_back() {
    for topology in BOTH {
        let mut trial = Trial::new("guarded/returned.c", "guard-pages");
        let run = trial.on(topology).options("guard=page").watched();
        // Allocations and releases; a second release, one inside a block and a host release are refused with 107000.
        let round = "1 1 107000\n107000 107000 0\n";
        let printed = format!("{round}{round}1\n");
        assert_eq!((run.code, run.stdout), (0, printed), "{}", run.stderr);
        assert_eq!(said(&run.stderr), [""; 0]);
    }
}

#[test]
fn blocks_beyond_the_bounds_get_rear_guards() {
    // 24 blocks of 512, 992 and 1000 bytes and one of 64; 8 are in the range.
    let mut trial = Trial::new("guarded/page_overruns.c", "bounds");
    let run = trial
        .options("guard=page:page_min=600:page_max=999")
        .watched();
    let tally = Tally::of(&run.logs[0]);
    let count = |is_meant: fn(&Event) -> bool| {
        let events = tally.log.events();
        events.filter(|timed| is_meant(&timed.event)).count()
    };
    assert_eq!(count(|event| matches!(event, Event::Fence { .. })), 8);
    assert_eq!(count(|event| matches!(event, Event::Guard { .. })), 17);
    // A single page is not enough for a guard page.
    let run = trial.options("guard=page:page_mb=1").watched();
    assert_eq!(said(&run.stderr).len(), 1, "{}", run.stderr);
    assert!(said(&run.stderr)[0].contains("`page_mb` allows"));
    assert!(run.stderr.contains("guard-overrun"), "{}", run.stderr);
}

#[test]
fn memory_that_is_short_is_left_to_the_program() {
    // Guarded 2 MiB blocks until only 16 MiB, an eighth of 128, would be left; ordinary blocks after that.
    let mut trial = Trial::new("guarded/quarantine_short.c", "guard-pages-short");
    let run = trial.options("guard=page:quarantine_mb=0").same();
    assert!(
        said(&run.stderr)
            .iter()
            .all(|line| line.contains("an eighth")),
        "{}",
        run.stderr
    );
}

#[test]
fn an_export_ends_it_and_says_so() {
    for topology in BOTH {
        let mut trial = Trial::new("guarded/exported.c", "guard-pages");
        let run = trial.on(topology).options("guard=page").watched();
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (0, "1\n"),
            "{}",
            run.stderr
        );
        assert_eq!(said(&run.stderr).len(), 1, "{}", run.stderr);
        assert!(said(&run.stderr)[0].contains("cannot be exported"));
    }
}

#[test]
fn a_runtime_without_virtual_memory_is_said_once() {
    let mut trial = Trial::new("process/limits.c", "guard-pages");
    trial.on_small_runtime();
    let run = trial.options("guard=page:soc=Ascend910B3").watched();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(
        said(&run.stderr),
        ["this runtime has no virtual memory management; all blocks get rear guards"]
    );
}
