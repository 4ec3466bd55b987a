//! How many allocations a second, lately.

use std::collections::VecDeque;

/// Samples kept, and the least distance between two of them.
const SAMPLES: usize = 10;
const DISTANCE_NS: u64 = 1_000_000_000;

/// Counts by site at a few recent moments.
#[derive(Default)]
pub struct Rates {
    samples: VecDeque<(u64, Vec<u64>)>,
}

impl Rates {
    /// Takes a sample at `ns`, unless the last one is too near.
    pub fn take(&mut self, ns: u64, counts: impl FnOnce() -> Vec<u64>) {
        let last = self.samples.back().map(|(at, _)| *at);
        if last.is_some_and(|last| ns < last.saturating_add(DISTANCE_NS)) {
            return;
        }
        if self.samples.len() == SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back((ns, counts()));
    }

    /// A second's part of what `count`, now, has more than at the oldest sample; since the start, if there is none that is a second old.
    pub fn of(&self, ns: u64, place: usize, count: u64) -> f64 {
        let (since, before) = match self.samples.front() {
            Some((at, counts)) if *at < ns => (*at, counts.get(place).copied().unwrap_or(0)),
            _ => (0, 0),
        };
        match ns.saturating_sub(since) {
            0 => 0.0,
            span => count.saturating_sub(before) as f64 * 1e9 / span as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_the_last_seconds() {
        let mut rates = Rates::default();
        assert_eq!(rates.of(2_000_000_000, 0, 10), 5.0);
        for second in 0..60_u64 {
            // A thousand a second, and from the 30th second on none.
            let count = second.min(30) * 1000;
            rates.take(second * 1_000_000_000, || vec![count]);
            rates.take(second * 1_000_000_000 + 5, || panic!("too near"));
        }
        assert_eq!(rates.of(60_000_000_000, 0, 30_000), 0.0);
        assert_eq!(rates.of(60_000_000_000, 0, 31_000), 100.0);
        assert_eq!(rates.of(60_000_000_000, 7, 100), 10.0);
    }
}
