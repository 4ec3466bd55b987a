//! How the memory of an allocation site grew.

use serde::{Serialize, Serializer};

use aclsan_rules::evidence::trend::{Confidence, Growth as Trend};

/// The numbers behind a growth finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Growth {
    /// What an epoch is: `step`, `range`, `wait`, `time slice`.
    pub epoch: &'static str,
    /// Length of an epoch, if it is a time slice.
    pub epoch_ns: Option<u64>,
    /// Epochs in the whole run.
    pub epochs_seen: u64,
    /// Leading epochs that are skipped as warm-up.
    pub warm_up: u64,
    /// Epochs between two samples.
    pub stride: u64,
    /// Steps between samples after the warm-up.
    pub steps: u64,
    /// Steps upwards.
    pub rises: u64,
    /// Steps downwards.
    pub falls: u64,
    /// Bytes at the first sample after the warm-up.
    pub first_bytes: u64,
    /// Bytes at the last sample.
    pub last_bytes: u64,
    /// Bytes added per epoch.
    pub slope_bytes: u64,
    /// R² of the least-squares line, in hundredths.
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
