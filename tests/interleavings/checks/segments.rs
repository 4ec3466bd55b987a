//! Segments that pass from thread to thread.

use aclsan_tables::segment_pool::SegmentPool;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use crate::in_every_order;

/// A segment. Loom objects to two threads that write at once or without an order between them.
struct Segment {
    number: u32,
    written: UnsafeCell<()>,
}

impl Segment {
    fn new(number: u32) -> Self {
        Self {
            number,
            written: UnsafeCell::new(()),
        }
    }
}

/// The life of a thread: it takes a segment or creates one, writes, and returns it. Returns the segment's number.
fn live(pool: &SegmentPool<Segment>) -> u32 {
    let segment = pool.take().unwrap_or_else(|| Segment::new(pool.number()));
    segment.written.with_mut(|_| ());
    let number = segment.number;
    pool.give_back(segment);
    number
}

#[test]
fn a_segment_has_one_thread_at_a_time_and_none_is_lost() {
    in_every_order(None, || {
        let pool = Arc::new(SegmentPool::<Segment>::default());
        let other = pool.clone();
        let other = thread::spawn(move || [live(&other), live(&other)]);
        let mine = live(&pool);
        let others = other.join().unwrap();
        let mut left: Vec<u32> =
            std::iter::from_fn(|| pool.take().map(|segment| segment.number)).collect();
        left.sort_unstable();
        // One segment for both if they did not overlap, else one each, and never more.
        let begun = others.into_iter().chain([mine]).max().unwrap() + 1;
        assert_eq!(left, (0..begun).collect::<Vec<_>>());
        assert!(begun <= 2);
    });
}
