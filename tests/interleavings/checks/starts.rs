//! Starts of live blocks.

use aclsan_tables::live::start_index::StartIndex;
use aclsan_tables::sync::atomic::{AtomicBool, Ordering};
use loom::sync::Arc;
use loom::thread;

use crate::in_every_order;

/// Two in one word, one in a different part.
const FIRST: u64 = 0x1000;
const SECOND: u64 = 0x1010;
const ELSEWHERE: u64 = 0x1_1000;

fn found(starts: &StartIndex, inside: u64) -> Option<u64> {
    starts.predecessor(inside, 0)
}

fn within(starts: &StartIndex) -> Vec<u64> {
    let mut all = Vec::new();
    starts.range(FIRST, SECOND + 16, |start| all.push(start));
    all
}

#[test]
fn each_of_two_threads_finds_its_own_block_at_once() {
    in_every_order(Some(3), || {
        let starts = Arc::new(StartIndex::default());
        let other = starts.clone();
        let other = thread::spawn(move || {
            other.insert(SECOND, 0, |_| {});
            assert_eq!(found(&other, SECOND + 8), Some(SECOND));
        });
        starts.insert(FIRST, 0, |_| {});
        assert_eq!(found(&starts, FIRST + 8), Some(FIRST));
        other.join().unwrap();
        assert_eq!(within(&starts), [FIRST, SECOND]);
    });
}

#[test]
fn a_thread_that_learns_of_a_block_finds_it() {
    in_every_order(Some(3), || {
        let starts = Arc::new(StartIndex::default());
        let reported = Arc::new(AtomicBool::new(false));
        let (other, tell) = (starts.clone(), reported.clone());
        let other = thread::spawn(move || {
            other.insert(FIRST, 0, |_| {});
            tell.store(true, Ordering::Release);
        });
        starts.insert(SECOND, 0, |_| {});
        if reported.load(Ordering::Acquire) {
            assert_eq!(found(&starts, FIRST + 8), Some(FIRST));
        }
        assert_eq!(found(&starts, SECOND + 8), Some(SECOND));
        other.join().unwrap();
    });
}

#[test]
fn a_block_that_ends_takes_no_neighbour_away() {
    in_every_order(None, || {
        let starts = Arc::new(StartIndex::default());
        starts.insert(FIRST, 0, |_| {});
        let other = starts.clone();
        let other = thread::spawn(move || other.remove(FIRST));
        starts.insert(SECOND, 0, |_| {});
        assert_eq!(found(&starts, SECOND + 8), Some(SECOND));
        other.join().unwrap();
        assert_eq!(within(&starts), [SECOND]);
        starts.insert(FIRST, 0, |_| {});
        assert_eq!(within(&starts), [FIRST, SECOND]);
    });
}

#[test]
fn parts_and_regions_that_two_threads_create_at_once_are_one() {
    in_every_order(None, || {
        let starts = Arc::new(StartIndex::default());
        let other = starts.clone();
        let other = thread::spawn(move || other.insert(ELSEWHERE, 0, |_| {}));
        starts.insert(ELSEWHERE + 16, 0, |_| {});
        other.join().unwrap();
        assert_eq!(found(&starts, ELSEWHERE + 8), Some(ELSEWHERE));
        assert_eq!(found(&starts, ELSEWHERE + 24), Some(ELSEWHERE + 16));
    });
}
