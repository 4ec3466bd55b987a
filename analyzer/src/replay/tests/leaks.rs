use super::*;
use aclsan_log::{ScanGap, ScanOutcome};
use aclsan_rules::evidence::reachability::Reachability;
use aclsan_rules::evidence::rule::Severity;
use std::collections::BTreeSet;

#[test]
fn blocks_that_nobody_released_are_leaks_of_their_site() {
    let mut story = Story::new();
    let other = story.synth.site("acldvppMalloc", 0, 1, &[0x500]);
    story.at(10).allocate(0x1000, 100);
    story.at(20);
    let released = story.allocate(0x2000, 1000);
    story.at(30).allocate(0x3000, 28);
    story.at(40).release(released);
    story.at(50).synth.allocation(9, other, 0x4000, 4096);
    let replay = story.at(100).end();

    assert_eq!(rules(&replay), [("leak", 1), ("leak", 1)]);
    let [(first, Some(0)), (second, Some(1))] = replay.leaks.as_slice() else {
        panic!("{:?}", replay.leaks);
    };
    // 100 + 28 bytes from one site; the released 1000 do not count.
    assert_eq!((first.blocks, first.bytes, first.largest), (2, 128, 100));
    assert_eq!((first.first.since_ns, first.youngest_ns), (10, 30));
    assert_eq!(first.first.thread, THREAD);
    assert_eq!((second.blocks, second.bytes), (1, 4096));
    assert_eq!((second.first.thread, second.first.block.device), (9, 1));
    assert_eq!(second.reset, None);
    assert_eq!(replay.findings[0].finding.severity, Severity::Error);
}

/// Their addresses are resolved together before the report is built.
#[test]
fn the_places_that_a_report_shows_are_known_whatever_is_wanted() {
    let mut story = Story::new();
    let leaking = story.synth.site("aclrtMalloc", 0, 0, &[0x500]);
    let block = story.allocate(0x1000, 100);
    story.release(block).release_at(0x1000); // twice
    story.synth.allocation(THREAD, leaking, 0x2000, 10);
    let quiet = story.synth.site("aclrtMalloc", 0, 0, &[0x600]);
    let block = story.synth.allocation(THREAD, quiet, 0x3000, 10);
    story.release(block).event(Event::Exit);
    let shown = |wanted| replay(&story.synth.log(), wanted, false, |_| {}).shown();
    let of_findings = BTreeSet::from([leaking, story.malloc, story.free]);
    assert_eq!(shown(ReportScope::Leaks), of_findings);
    let all = of_findings.into_iter().chain([quiet]).collect();
    assert_eq!(shown(ReportScope::All(None)), all);
}

#[test]
fn everything_released_is_silent() {
    let mut story = Story::new();
    let block = story.allocate(0x1000, 100);
    let replay = story.release(block).end();
    assert!(replay.findings.is_empty() && replay.leaks.is_empty());
}

#[test]
fn sites_that_differ_in_policy_only_are_one_place() {
    let mut story = Story::new();
    let same = story.synth.site("aclrtMalloc", 2, 0, &[0x100, 0x10]);
    let other = story.synth.site("aclrtMalloc", 0, 0, &[0x101, 0x10]);
    story.allocate(0x1000, 1);
    for (site, address) in [(same, 0x2000), (other, 0x3000)] {
        story.synth.allocation(THREAD, site, address, 10);
    }
    let replay = story.end();
    let sums: Vec<_> = replay.leaks.iter().map(|(group, _)| group.bytes).collect();
    assert_eq!(sums, [11, 10]);
}

#[test]
fn without_an_end_a_leak_is_no_error() {
    let mut story = Story::new();
    story.allocate(0x1000, 100);
    let killed = story.cut();
    assert!(!killed.is_complete);
    let finding = &only(&killed, "leak").finding;
    assert_eq!(finding.severity, Severity::Warning);
    assert!(finding.details.last().unwrap().contains("killed"));

    story.event(Event::Dropped { count: 3 });
    let lossy = story.end();
    assert_eq!(lossy.dropped, 3);
    assert_eq!(only(&lossy, "leak").finding.severity, Severity::Warning);
}

#[test]
fn finalising_is_an_end_too() {
    let mut story = Story::new();
    let finalize = story.synth.site("aclFinalize", 0, -1, &[0x600]);
    story.allocate(0x1000, 100);
    let replay = story.call(finalize, 0).cut();
    assert!(replay.is_complete);
    assert_eq!(only(&replay, "leak").finding.severity, Severity::Error);
}

fn scan(outcome: ScanOutcome) -> Event {
    Event::Scan {
        outcome,
        bytes: 4096,
        ns: 1,
        threads: 0,
    }
}

fn pointer(block: BlockId) -> Event {
    Event::Pointer {
        block,
        at: 0x9000,
        mapping: Mapping::Heap,
    }
}

fn holds(replay: &Replay) -> Vec<(Reachability, u64)> {
    let groups = replay.leaks.iter();
    groups
        .map(|(group, _)| (group.hold, group.blocks))
        .collect()
}

#[test]
fn blocks_of_one_place_are_distinguished_by_what_holds_them() {
    let mut story = Story::new();
    let known = [0x1000, 0x2000].map(|address| story.allocate(address, 100));
    story.allocate(0x3000, 7);
    for block in known {
        story.event(pointer(block));
    }
    let replay = story.event(scan(ScanOutcome::Whole)).end();
    assert_eq!(rules(&replay), [("leak-reachable", 1), ("leak", 1)]);
    assert_eq!(
        holds(&replay),
        [(Reachability::Reachable, 2), (Reachability::Lost, 1)]
    );
    // Two of three blocks of the site: no cache, although nothing was released.
    let severities = replay.findings.iter().map(|found| found.finding.severity);
    let severities: Vec<_> = severities.collect();
    assert_eq!(severities, [Severity::Warning, Severity::Error]);
}

#[test]
fn what_was_made_once_or_before_the_first_epoch_and_is_kept_is_a_note() {
    let mut story = Story::new();
    let once = story.allocate(0x1000, 100);
    let replay = story
        .event(pointer(once))
        .event(scan(ScanOutcome::Whole))
        .end();
    assert_eq!(holds(&replay), [(Reachability::Cache, 1)]);
    assert_eq!(replay.findings[0].finding.severity, Severity::Note);

    // Allocated again and again, although only one is left: no cache.
    let mut story = Story::new();
    let other = story.allocate(0x2000, 100);
    let kept = story.release(other).allocate(0x3000, 100);
    let replay = story
        .event(pointer(kept))
        .event(scan(ScanOutcome::Whole))
        .end();
    assert_eq!(holds(&replay), [(Reachability::Reachable, 1)]);
}

#[test]
fn a_scan_that_was_cut_short_and_blocks_that_came_after_it_stay_unknown() {
    let mut story = Story::new();
    let known = story.allocate(0x1000, 100);
    story.allocate(0x2000, 100);
    let cut = story
        .event(pointer(known))
        .event(scan(ScanOutcome::Cut))
        .cut();
    assert_eq!(
        holds(&cut),
        [(Reachability::Reachable, 1), (Reachability::Unknown, 1)]
    );

    // The last scan counts; it found no pointer to the first, and the third came later.
    story.event(scan(ScanOutcome::Whole));
    story.allocate(0x3000, 100);
    let replay = story.end();
    assert_eq!(
        holds(&replay),
        [(Reachability::Lost, 2), (Reachability::Unknown, 1)]
    );
}

#[test]
fn with_a_thread_that_could_not_be_stopped_nothing_is_lost() {
    let mut story = Story::new();
    let [known, held] = [0x1000, 0x2000].map(|address| story.allocate(address, 100));
    story.allocate(0x3000, 100);
    let lost_object = Event::Pointer {
        block: held,
        at: 0x9000,
        mapping: Mapping::LostObject,
    };
    story.event(pointer(known)).event(lost_object);
    for count in [1, 2] {
        let what = ScanGap::Threads;
        story.event(Event::Gap { what, count });
    }
    let replay = story.event(scan(ScanOutcome::Whole)).end();
    let expected = [(Reachability::Reachable, 1), (Reachability::Unknown, 2)];
    assert_eq!(holds(&replay), expected);
    assert_eq!(replay.scan.unwrap().gaps[ScanGap::Threads as usize], 3);

    // The gaps of an earlier scan are not those of the last.
    let mut story = Story::new();
    story.allocate(0x1000, 100);
    story.event(Event::Gap {
        what: ScanGap::Threads,
        count: 1,
    });
    story.event(scan(ScanOutcome::Whole));
    let replay = story.event(scan(ScanOutcome::Whole)).end();
    assert_eq!(holds(&replay), [(Reachability::Lost, 1)]);
}

#[test]
fn blocks_that_the_final_reset_dropped_are_looked_for_as_well() {
    let mut story = Story::new();
    story.set_device(0).allocate(0x1000, 100);
    let replay = story.reset_device(0).event(scan(ScanOutcome::Whole)).end();
    assert_eq!(holds(&replay), [(Reachability::Lost, 1)]);
    assert!(replay.leaks[0].0.reset.is_some());
}
