//! Ownership of log segments: each belongs to one thread, or waits in the pool for the next one.

use crate::sync::atomic::{AtomicU32, Ordering::Relaxed};
use crate::sync::{Mutex, rank};

/// Segments without an owner, and numbers for new ones.
pub struct SegmentPool<S> {
    next: AtomicU32,
    free_segments: Mutex<rank::SegmentPool, Vec<S>>,
}

impl<S> Default for SegmentPool<S> {
    fn default() -> Self {
        Self {
            next: AtomicU32::new(0),
            free_segments: Mutex::new(Vec::new()),
        }
    }
}

impl<S> SegmentPool<S> {
    /// Takes a segment that a thread left, if there is one.
    pub fn take(&self) -> Option<S> {
        self.free_segments.lock().pop()
    }

    /// Returns the segment of a thread that ends.
    pub fn give_back(&self, segment: S) {
        self.free_segments.lock().push(segment);
    }

    /// A number that no other segment has.
    pub fn number(&self) -> u32 {
        self.next.fetch_add(1, Relaxed)
    }
}
