use super::*;
use aclsan_rules::evidence::finding::Earlier;

#[test]
fn a_second_release_is_found_with_both_stacks() {
    let mut story = Story::new();
    let again = story.synth.site("aclrtFree", 0, 0, &[0x201, 0x10]);
    let block = story.allocate(0x1000, 64);
    story.release(block);
    story.at(500).event(Event::ReleaseAt {
        site: again,
        address: 0x1000,
        mapping: Mapping::Unknown,
    });
    let replay = story.end();
    assert_eq!(rules(&replay), [("double-free", 1)]);
    let found = only(&replay, "double-free");
    assert_eq!(
        (found.finding.here, found.finding.address),
        (again, Some(0x1000))
    );
    assert_eq!(
        found.finding.earlier,
        [
            (Earlier::Released, story.free),
            (Earlier::Allocated, story.malloc)
        ]
    );
    assert_eq!((found.thread, found.count.first_ns), (THREAD, 500));
}

#[test]
fn equal_findings_are_counted_and_others_kept_apart() {
    let mut story = Story::new();
    let elsewhere = story.synth.site("aclrtFree", 0, 0, &[0x999]);
    for turn in 0..5_u64 {
        let block = story.at(turn * 10).allocate(0x1000, 64);
        story.release(block).at(turn * 10 + 5).release_at(0x1000);
    }
    story.event(Event::ReleaseAt {
        site: elsewhere,
        address: 0x1000,
        mapping: Mapping::Unknown,
    });
    let replay = story.end();
    assert_eq!(rules(&replay), [("double-free", 5), ("double-free", 1)]);
    let count = replay.findings[0].count;
    assert_eq!((count.first_ns, count.last_ns), (5, 45));
}

#[test]
fn an_address_that_was_allocated_again_is_a_first_release() {
    let mut story = Story::new();
    let first = story.allocate(0x1000, 64);
    story.release(first);
    let second = story.allocate(0x1000, 64);
    let replay = story.release(second).end();
    assert_eq!(rules(&replay), []);
}

#[test]
fn a_refused_release_leaves_a_leak() {
    let mut story = Story::new();
    let block = story.allocate(0x1000, 64);
    let replay = story.release(block).refused(0x1000, 507_899).end();
    assert_eq!(rules(&replay), [("release-failed", 1), ("leak", 1)]);
    assert_eq!(replay.leaks[0].0.bytes, 64);
    assert_eq!(replay.families[0].live, 64);
    assert_eq!(replay.families[0].releases, 0);
}

#[test]
fn a_refusal_on_another_thread_is_about_that_threads_release() {
    let mut story = Story::new();
    let (mine, other) = (story.allocate(0x1000, 64), story.allocate(0x2000, 32));
    story.release(mine);
    let (site, block) = (story.free, other);
    story.synth.event(8, Event::Release { block, site });
    story.refused(0x1000, 507_899);
    let replay = story.end();
    assert_eq!(replay.leaks.len(), 1);
    assert_eq!(replay.leaks[0].0.bytes, 64);
}

#[test]
fn a_pointer_that_nobody_saw_is_counted_and_no_finding() {
    let mut story = Story::new();
    story.release_at(0xabc0).release_at(0xdef0).release_at(0);
    let site = story.free;
    story.event(Event::ReleaseAt {
        site,
        address: 0x7ffd_0000,
        mapping: Mapping::Stack,
    });
    let replay = story.end();
    // Null and the stack are findings, not pointers of unknown origin.
    assert_eq!(rules(&replay), [("free-null", 1), ("invalid-free", 1)]);
    assert_eq!(
        replay.unknown.into_iter().collect::<Vec<_>>(),
        [(story.free, (2, 0xabc0))]
    );
}

#[test]
fn a_block_allocated_over_another_shows_an_unseen_release_and_no_leak() {
    let mut story = Story::new();
    story.allocate(0x1000, 64);
    let second = story.allocate(0x1000, 32);
    let replay = story.release(second).end();
    assert_eq!(rules(&replay), []);
    assert_eq!((replay.unseen_releases, replay.families[0].live), (1, 0));
}

#[test]
fn a_release_of_a_block_that_is_not_defined_is_counted() {
    let mut story = Story::new();
    let replay = story.release(BlockId::new(900, 3)).end();
    assert_eq!((rules(&replay), replay.unmatched_releases), (vec![], 1));
}

#[test]
fn events_that_don_t_fit_their_site_are_not_judged() {
    let mut story = Story::new();
    let unheard = story.synth.site("aclrtMallocFromTheFuture", 0, 0, &[1]);
    let (malloc, free) = (story.malloc, story.free);
    story.synth.allocation(THREAD, unheard, 0x9000, 64);
    story.synth.allocation(THREAD, free, 0x9100, 64);
    story.synth.allocation(THREAD, CallSiteId(0), 0x9200, 64);
    story.synth.allocation(THREAD, CallSiteId(77), 0x9300, 64);
    let block = story.allocate(0x1000, 64);
    story.event(Event::Release {
        block,
        site: malloc,
    });
    let replay = story.end();
    assert_eq!((rules(&replay), replay.unknown_functions), (vec![], 5));
    assert_eq!(replay.families[0].allocations, 1);
}
