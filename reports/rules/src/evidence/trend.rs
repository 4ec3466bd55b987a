//! Whether a series of sums rises, and how surely.

/// A series without its first quarter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trend {
    /// Samples skipped as warm-up.
    pub skipped: u64,
    /// The first sample after them.
    pub first: u64,
    /// The last sample.
    pub last: u64,
    /// The difference; 0 if it fell.
    pub grown: u64,
    /// Steps from sample to sample.
    pub steps: u64,
    /// Steps upwards.
    pub rises: u64,
    /// Steps downwards.
    pub falls: u64,
    /// Slope of the least-squares line, per step.
    pub slope: f64,
    /// R² of that line; 0 for a level one.
    pub fit: f64,
    /// Growth in the middle third and in the last.
    thirds: (f64, f64),
}

/// How reliable a trend is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Confidence {
    /// Just enough to be reported.
    Low,
    /// It may still be a container that fills up.
    Medium,
    /// A straight line over a long time, in epochs that the program named.
    High,
}

/// A reported trend, in whole numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    /// What an epoch is: `step`, `range`, `wait`, `time slice`.
    pub epoch: &'static str,
    /// The length of an epoch, if all are equal.
    pub epoch_ns: Option<u64>,
    /// Epochs of the whole run.
    pub seen: u64,
    /// Epochs skipped as warm-up.
    pub skipped: u64,
    /// Epochs from one sample to the next.
    pub stride: u64,
    /// Steps from sample to sample.
    pub samples: u64,
    /// Steps upwards.
    pub rises: u64,
    /// Steps downwards.
    pub falls: u64,
    /// Bytes at the first sample after the warm-up.
    pub first_bytes: u64,
    /// Bytes at the last sample.
    pub last_bytes: u64,
    /// Bytes that an epoch adds, by the least-squares line.
    pub slope_bytes: u64,
    /// R² in hundredths, rounded down.
    pub fit_percent: u64,
    /// The conclusion.
    pub confidence: Confidence,
}

impl Confidence {
    /// As one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// The fewest steps after the warm-up.
const STEPS_LEAST: usize = 8;
/// The lowest R².
const FIT_LEAST: f64 = 0.8;

impl Trend {
    /// `None` if the series is too short.
    pub fn of(series: &[u64]) -> Option<Self> {
        let skipped = series.len() / 4;
        let samples = &series[skipped..];
        let (&first, &last) = (samples.first()?, samples.last()?);
        let steps = samples.len() - 1;
        if steps < STEPS_LEAST {
            return None;
        }
        let count =
            |is: fn(&[u64]) -> bool| samples.windows(2).filter(|pair| is(pair)).count() as u64;
        let third = steps / 3;
        let at = |index: usize| samples[index] as f64;
        let (slope, fit) = line(samples);
        Some(Self {
            skipped: skipped as u64,
            first,
            last,
            grown: last.saturating_sub(first),
            steps: steps as u64,
            rises: count(|pair| pair[1] > pair[0]),
            falls: count(|pair| pair[1] < pair[0]),
            slope,
            fit,
            thirds: (
                at(steps - third) - at(steps - 2 * third),
                at(steps) - at(steps - third),
            ),
        })
    }

    /// How reliable it is. Epochs that the program did not name may not be its steps, so it is never high for them.
    pub fn confidence(&self, is_named: bool) -> Confidence {
        match () {
            () if self.steps < 12 || self.fit < 0.9 => Confidence::Low,
            () if is_named && self.steps >= 24 && self.fit >= 0.97 && self.falls == 0 => {
                Confidence::High
            }
            () => Confidence::Medium,
        }
    }

    /// Whether it rises along a line to its end: no jump, no sawtooth, nothing that fills up.
    pub fn is_steady(&self) -> bool {
        let (middle, last) = self.thirds;
        self.slope > 0.0
            && self.fit >= FIT_LEAST
            && self.falls * 5 <= self.steps
            && self.rises >= 4
            && last > 0.0
            && last * 2.0 >= middle
    }
}

/// Slope and R² of the least-squares line.
fn line(series: &[u64]) -> (f64, f64) {
    let count = series.len() as f64;
    let (mean_x, mean_y) = (
        (count - 1.0) / 2.0,
        series.iter().map(|&y| y as f64).sum::<f64>() / count,
    );
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, &y) in series.iter().enumerate() {
        let (x, y) = (x as f64 - mean_x, y as f64 - mean_y);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    if xx == 0.0 || yy == 0.0 {
        return (0.0, 0.0);
    }
    (xy / xx, xy * xy / (xx * yy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_by_hand() {
        // x 0 1 2 3, y 1 3 2 6: means 1.5 and 3; xx = 2.25+0.25+0.25+2.25 = 5, xy = 3+0-0.5+4.5 = 7,
        // yy = 4+0+1+9 = 14. Slope 7/5, R² 49/70.
        let (slope, fit) = line(&[1, 3, 2, 6]);
        assert!((slope - 1.4).abs() < 1e-12 && (fit - 0.7).abs() < 1e-12);
        assert_eq!(line(&[5, 5, 5]), (0.0, 0.0));
    }

    #[test]
    fn one_jump_and_a_cache_that_fills_are_not_steady_growth() {
        let jump: Vec<u64> = (0..16).map(|n| if n < 10 { 1 } else { 9 }).collect();
        assert!(!Trend::of(&jump).unwrap().is_steady());
        let fills: Vec<u64> = (0..16).map(|n: u64| n.min(12)).collect();
        assert!(!Trend::of(&fills).unwrap().is_steady());
        let grows: Vec<u64> = (0..16).collect();
        assert!(Trend::of(&grows).unwrap().is_steady());
    }

    #[test]
    fn confidence_comes_with_length_fit_and_names() {
        // A line: a quarter left out, so 32 samples leave 24 of them and 23 steps, 33 leave 25 and 24; 16 leave 11.
        let of = |count: u64, is_named| {
            let series: Vec<u64> = (0..count).collect();
            Trend::of(&series).unwrap().confidence(is_named)
        };
        use Confidence::{High, Low, Medium};
        assert_eq!(
            [of(16, true), of(32, true), of(33, true)],
            [Low, Medium, High]
        );
        assert_eq!(of(33, false), Medium);
        // One step back of 24.
        let mut fell: Vec<u64> = (0..33).collect();
        fell[20] = 18;
        assert_eq!(Trend::of(&fell).unwrap().confidence(true), Medium);
        // Stairs of 8 steps: R² of 32 steps on a stair of four treads is below 0.97, above 0.9.
        let stairs: Vec<u64> = (0..44).map(|n| n / 8).collect();
        let trend = Trend::of(&stairs).unwrap();
        assert!((0.9..0.97).contains(&trend.fit), "{}", trend.fit);
        assert_eq!(trend.confidence(true), Medium);
    }

    #[test]
    fn nine_samples_behind_the_warm_up_are_enough_and_eight_are_not() {
        assert!(Trend::of(&[0; 12]).is_some()); // 12 less 3
        assert!(Trend::of(&[0; 10]).is_none()); // 10 less 2: 7 steps
        assert!(Trend::of(&[]).is_none());
    }
}
