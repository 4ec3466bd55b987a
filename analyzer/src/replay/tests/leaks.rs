use super::*;
use aclsan_rules::Severity;

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
    // 100 + 28 bytes from one place; the released 1000 are none.
    assert_eq!((first.blocks, first.bytes, first.largest), (2, 128, 100));
    assert_eq!((first.first.since_ns, first.youngest_ns), (10, 30));
    assert_eq!(first.first.thread, THREAD);
    assert_eq!((second.blocks, second.bytes), (1, 4096));
    assert_eq!((second.first.thread, second.first.block.device), (9, 1));
    assert_eq!(second.reset, None);
    assert_eq!(replay.findings[0].finding.severity, Severity::Error);
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
