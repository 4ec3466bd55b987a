//! Which races share a missing edge.

use super::*;
use crate::evidence::gap::GapId;
use crate::evidence::operation::Memset;
use aclsan_log::Mapping;

const ON: u64 = handle(0);
const OTHER: u64 = handle(1);
const EVENT: u64 = 0xe1;

/// The gap that a fill of block 0 on `stream` shows, if it races.
fn fill(detector: &mut RaceDetector, stream: u64) -> Option<GapId> {
    let block = block(0);
    let set = Memset {
        to: block.address,
        room: SIZE,
        count: SIZE,
        mapping: Mapping::Unknown,
    };
    let place = AddressInfo::Live(block, 0);
    let found = detector.set(&call("aclrtMemsetAsync", 1), &set, &place, stream, THREAD);
    found.first().map(|finding| finding.gap.unwrap())
}

#[test]
fn what_one_edge_would_have_ordered_shares_a_gap() {
    let mut detector = with_streams();
    assert_eq!(fill(&mut detector, ON), None);
    let first = fill(&mut detector, OTHER);
    assert!(first.is_some());
    assert_eq!(fill(&mut detector, OTHER), first);
}

#[test]
fn work_that_was_queued_before_the_first_race_showed_is_in_its_gap() {
    let mut detector = with_streams();
    fill(&mut detector, ON);
    fill(&mut detector, ON);
    let first = fill(&mut detector, OTHER);
    assert_eq!(fill(&mut detector, OTHER), first);
}

#[test]
fn later_work_and_the_other_direction_are_gaps_of_their_own() {
    let mut detector = with_streams();
    fill(&mut detector, ON);
    let there = fill(&mut detector, OTHER);
    let back = fill(&mut detector, ON);
    let again = fill(&mut detector, OTHER);
    let all = [there, back, again].map(Option::unwrap);
    assert_eq!(HashSet::from(all).len(), 3);
}

#[test]
fn a_wait_closes_the_gap() {
    let mut detector = with_streams();
    fill(&mut detector, ON);
    let first = fill(&mut detector, OTHER);
    detector.record(EVENT, ON, 0);
    detector.wait(OTHER, EVENT, 0);
    assert_eq!(fill(&mut detector, OTHER), None);
    detector.record(EVENT, OTHER, 0);
    detector.wait(ON, EVENT, 0);
    assert_eq!(fill(&mut detector, ON), None);
    let next = fill(&mut detector, OTHER);
    assert!(next.is_some() && next != first);
}
