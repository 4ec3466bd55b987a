//! Sums that are estimated from a sample of the blocks.

use aclsan_rules::evidence::estimate::Spread;
use serde::Serialize;

/// Bounds of an estimated sum, which hold with 95 % confidence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Estimate {
    /// At least these bytes.
    pub low_bytes: u64,
    /// At most these.
    pub high_bytes: u64,
}

impl Estimate {
    /// Of a sum of `bytes`; `None` if it is exact.
    pub fn of(bytes: u64, spread: &Spread) -> Option<Self> {
        let [low_bytes, high_bytes] = spread.bounds(bytes)?;
        Some(Self {
            low_bytes,
            high_bytes,
        })
    }
}
