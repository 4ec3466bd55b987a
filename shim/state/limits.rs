//! What a limit left out: each limit is a row, counted where it is reached and printed at the end. Loss is data.
//!
//! `hazards/limits.md` lists all limits, also those that only cost time, or whose loss shows elsewhere.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

macro_rules! limits {
    ($($name:ident: $what:literal),* $(,)?) => {
        /// What can be left out.
        #[derive(Clone, Copy)]
        pub enum Limit { $(#[doc = $what] $name),* }
        const SENTENCES: &[&str] = &[$($what),*];
    };
}

limits! {
    Names: "names that the program gave were too many to record",
    IgnoredBlocks: "blocks to ignore were too many to remember, and may be reported",
    CopyDescriptors: "copy descriptors were too many to follow: copies by them are not judged",
    Batches: "batches of copies were too long to judge",
    Regions: "memory regions in one call were too many to record",
    PlannedOperators: "planned operators were too many to follow: who planned them is not known",
    CachedPlans: "plans out of a cache were too many to remember: what their operators use is not judged until they are planned again",
    Indices: "indices were not checked: during a capture, on a stream that cannot be waited for, too long, or of too many operators",
    Redzones: "redzones were too many to compare at once",
    HostBlocks: "blocks of host memory could not be protected",
    HostCopies: "copies were too many to watch the host memory that they use",
}

static COUNTS: [AtomicU64; SENTENCES.len()] = [const { AtomicU64::new(0) }; SENTENCES.len()];

impl Limit {
    /// It left out `more`.
    #[cold]
    pub fn leave_out(self, more: u64) {
        COUNTS[self as usize].fetch_add(more, Relaxed);
    }
}

/// A sentence for each limit that left something out since the last call.
pub fn take_sentences() -> Vec<String> {
    let counted = COUNTS
        .iter()
        .map(|count| count.swap(0, Relaxed))
        .zip(SENTENCES);
    let counted = counted.filter(|(count, _)| *count > 0);
    counted
        .map(|(count, what)| format!("limit reached: {count} {what}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_told_once() {
        Limit::Batches.leave_out(1);
        Limit::Batches.leave_out(2);
        let lines = || {
            take_sentences()
                .into_iter()
                .filter(|line| line.contains("batches"))
        }; // Other tests reach limits, too.
        let expected = "limit reached: 3 batches of copies were too long to judge";
        assert_eq!(lines().collect::<Vec<_>>(), [expected]);
        assert_eq!(lines().count(), 0);
    }
}
