//! A histogram whose latest values wait in a list.
//!
//! A value changes one cache line, which the next values of the same site change again, instead of one of many: a thousand sites have a
//! megabyte of counts.

use std::borrow::Cow;

use super::histogram::{LogLinearHistogram, bucket};

/// Values that wait at most.
const WAITING: usize = 27;

/// The histogram, and the buckets of values that are not in it yet.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[repr(C)] // The list first, in the cache line of what is before it.
pub struct BufferedHistogram {
    waiting: [u16; WAITING],
    count: u16,
    histogram: LogLinearHistogram,
}

impl BufferedHistogram {
    /// Adds a value.
    #[inline(always)]
    pub fn add(&mut self, value: u64) {
        self.waiting[usize::from(self.count)] = bucket(value) as u16;
        self.count += 1;
        if usize::from(self.count) == WAITING {
            self.flush();
        }
    }

    /// Removes a value, if one like it was added.
    pub fn remove(&mut self, value: u64) {
        self.flush();
        self.histogram.remove(value);
    }

    /// With all values in it.
    pub fn whole(&self) -> Cow<'_, LogLinearHistogram> {
        if self.count == 0 {
            return Cow::Borrowed(&self.histogram);
        }
        let mut all = self.clone();
        all.flush();
        Cow::Owned(all.histogram)
    }

    #[inline(never)]
    fn flush(&mut self) {
        (self.histogram).add_to_all(&self.waiting[..usize::from(self.count)]);
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_wait_are_counted_and_removed_like_all_others() {
        let mut buffered = BufferedHistogram::default();
        let mut plain = LogLinearHistogram::default();
        for value in 0..3 * WAITING as u64 + 5 {
            buffered.add(value * value);
            plain.add(value * value);
            assert_eq!(*buffered.whole(), plain);
        }
        buffered.remove(9);
        plain.remove(9);
        assert_eq!(*buffered.whole(), plain);
    }
}
