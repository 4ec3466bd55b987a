//! Good, warning or danger, by the thresholds of the memory article for AscendCL operators (*aclnn memory management*, its table of key
//! figures).

use serde::Serialize;

/// Rating of a figure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As it should be.
    #[default]
    Good,
    /// Worth a look.
    Warning,
    /// Needs a change.
    Danger,
}

impl Grade {
    /// Fragmentation: good below 10 %, danger above 30 %.
    pub fn of_fragmentation(share: f64) -> Self {
        Self::rising(share, 0.10, 0.30)
    }

    /// Hit rate of a pool: good above 90 %, danger below 70 %.
    pub fn of_hit_rate(share: f64) -> Self {
        Self::falling(share, 0.90, 0.70)
    }

    /// Share of transferred bytes without a second copy: good above 80 %, danger below 50 %.
    pub fn of_zero_copy(share: f64) -> Self {
        Self::falling(share, 0.80, 0.50)
    }

    /// The 90th percentile of allocation times: good below 10 µs, warning below 50 µs, else danger. `fast`, `usual` and `slow` count the
    /// allocations in each range.
    pub fn of_latencies(fast: u64, usual: u64, slow: u64) -> Self {
        let all = (fast + usual + slow) as f64;
        if fast as f64 >= 0.9 * all {
            Self::Good
        } else if (fast + usual) as f64 >= 0.9 * all {
            Self::Warning
        } else {
            Self::Danger
        }
    }

    /// The word for a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warning => "warning",
            Self::Danger => "danger",
        }
    }

    fn rising(share: f64, good: f64, bad: f64) -> Self {
        if share < good {
            Self::Good
        } else if share <= bad {
            Self::Warning
        } else {
            Self::Danger
        }
    }

    fn falling(share: f64, good: f64, bad: f64) -> Self {
        if share > good {
            Self::Good
        } else if share >= bad {
            Self::Warning
        } else {
            Self::Danger
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Grade::{Danger, Good, Warning};

    #[test]
    fn the_articles_thresholds_are_kept_to_at_their_edges() {
        let fragmentation = [0.0, 0.0999, 0.10, 0.30, 0.3001].map(Grade::of_fragmentation);
        assert_eq!(fragmentation, [Good, Good, Warning, Warning, Danger]);
        let hits = [1.0, 0.9001, 0.90, 0.70, 0.6999].map(Grade::of_hit_rate);
        assert_eq!(hits, [Good, Good, Warning, Warning, Danger]);
        let copies = [0.81, 0.80, 0.50, 0.49].map(Grade::of_zero_copy);
        assert_eq!(copies, [Good, Warning, Warning, Danger]);
    }

    #[test]
    fn latencies_are_graded_by_nine_of_ten() {
        assert_eq!(Grade::of_latencies(90, 10, 0), Good);
        assert_eq!(Grade::of_latencies(89, 1, 10), Warning);
        assert_eq!(Grade::of_latencies(89, 0, 11), Danger);
        assert_eq!(Grade::of_latencies(0, 0, 0), Good);
    }
}
