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

/// What a grade is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Graded {
    /// How much of the free memory is in pieces.
    Fragmentation,
    /// How many requests a pool serves without the runtime.
    HitRate,
    /// How much of what is transferred needs no second copy.
    ZeroCopy,
    /// How long the runtime's own allocations take.
    Latency,
}

impl Graded {
    /// Half a sentence: what the figure has to be like for this grade.
    pub fn words(self, grade: Grade) -> &'static str {
        use Grade::{Danger, Good, Warning};
        match (self, grade) {
            (Self::Fragmentation, Good) => "good: less than 10 % of what is free is in pieces",
            (Self::Fragmentation, Warning) => "warning: 10 to 30 % of what is free is in pieces",
            (Self::Fragmentation, Danger) => "danger: more than 30 % of what is free is in pieces",
            (Self::HitRate, Good) => "good: the pool serves more than 90 % of the requests",
            (Self::HitRate, Warning) => "warning: the pool serves 70 to 90 % of the requests",
            (Self::HitRate, Danger) => "danger: the pool serves less than 70 % of the requests",
            (Self::ZeroCopy, Good) => "good: less than a fifth is copied twice",
            (Self::ZeroCopy, Warning) => "warning: a fifth to a half is copied twice",
            (Self::ZeroCopy, Danger) => "danger: more than half is copied twice",
            (Self::Latency, Good) => "good: nine of ten take less than 10 µs",
            (Self::Latency, Warning) => "warning: nine of ten take less than 50 µs",
            (Self::Latency, Danger) => "danger: more than one in ten takes 50 µs or longer",
        }
    }

    /// Whether a run is too small for the grade to mean anything: `count` requests, allocations, holes or bytes.
    pub fn is_too_small(self, count: u64) -> bool {
        count
            < match self {
                Self::Fragmentation => 16,
                Self::HitRate => 32,
                Self::ZeroCopy => 16 << 20,
                Self::Latency => 100,
            }
    }
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
    fn a_grade_says_what_it_grades_unless_the_run_is_too_small() {
        for what in [
            Graded::Fragmentation,
            Graded::HitRate,
            Graded::ZeroCopy,
            Graded::Latency,
        ] {
            for grade in [Good, Warning, Danger] {
                let begin = format!("{}: ", grade.name());
                assert!(what.words(grade).starts_with(&begin), "{what:?}");
            }
            assert!(what.is_too_small(15) && !what.is_too_small(1 << 30));
        }
    }

    #[test]
    fn latencies_are_graded_by_nine_of_ten() {
        assert_eq!(Grade::of_latencies(90, 10, 0), Good);
        assert_eq!(Grade::of_latencies(89, 1, 10), Warning);
        assert_eq!(Grade::of_latencies(89, 0, 11), Danger);
        assert_eq!(Grade::of_latencies(0, 0, 0), Good);
    }
}
