//! How a place's memory grew, in numbers.

use serde::{Serialize, Serializer};

use aclsan_rules::evidence::trend::{Confidence, Growth as Trend};

/// What a finding of growth rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Growth {
    /// What an epoch is: `step`, `range`, `wait`, `time slice`.
    pub epoch: &'static str,
    /// How long one is, where it is time.
    pub epoch_ns: Option<u64>,
    /// Epochs of the whole run.
    pub epochs_seen: u64,
    /// The first of them, left out as warm-up.
    pub warm_up: u64,
    /// Epochs from one sample to the next.
    pub stride: u64,
    /// Steps from sample to sample, behind the warm-up.
    pub steps: u64,
    /// Of these, those upwards.
    pub rises: u64,
    /// Of these, those downwards.
    pub falls: u64,
    /// Bytes at the first sample behind the warm-up.
    pub first_bytes: u64,
    /// Bytes at the last one.
    pub last_bytes: u64,
    /// Bytes that an epoch adds.
    pub slope_bytes: u64,
    /// R² of the line of least squares, in hundredths.
    pub r2_percent: u64,
    /// `low`, `medium` or `high`.
    #[serde(serialize_with = "name")]
    pub confidence: Confidence,
}

impl From<&Trend> for Growth {
    fn from(trend: &Trend) -> Self {
        Self {
            epoch: trend.epoch,
            epoch_ns: trend.epoch_ns,
            epochs_seen: trend.seen,
            warm_up: trend.skipped,
            stride: trend.stride,
            steps: trend.samples,
            rises: trend.rises,
            falls: trend.falls,
            first_bytes: trend.first_bytes,
            last_bytes: trend.last_bytes,
            slope_bytes: trend.slope_bytes,
            r2_percent: trend.fit_percent,
            confidence: trend.confidence,
        }
    }
}

fn name<S: Serializer>(confidence: &Confidence, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(confidence.name())
}
