//! A log's time.

use crate::layout::{ClockSource, Header, SegmentHeader};

/// Turns ticks into nanoseconds since the log began.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    start: u64,
    ns_per_tick: f64,
}

impl Clock {
    pub(super) fn new(header: &Header, segments: &[(u32, SegmentHeader)]) -> Self {
        let start = header.started;
        let ns_per_tick = match header.clock {
            ClockSource::Monotonic => 1.0,
            // The pair farthest from the start gives the rate with the least error.
            ClockSource::Counter => segments
                .iter()
                .map(|(_, segment)| segment.started)
                .max_by_key(|at| at.ticks)
                .filter(|at| at.ticks > start.ticks && at.monotonic_ns > start.monotonic_ns)
                .map_or(1.0, |at| {
                    (at.monotonic_ns - start.monotonic_ns) as f64 / (at.ticks - start.ticks) as f64
                }),
        };
        Self {
            start: start.ticks,
            ns_per_tick,
        }
    }

    /// Nanoseconds from the log's start to `ticks`.
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        let ticks = ticks.saturating_sub(self.start);
        // Numbers that a float has exactly, and a product that signed numbers hold: processors turn these in one step each.
        match ticks < 1 << 53 && self.ns_per_tick < 1024.0 {
            true => (ticks as i64 as f64 * self.ns_per_tick) as i64 as u64,
            false => self.ns_of_any(ticks),
        }
    }

    #[cold]
    fn ns_of_any(&self, ticks: u64) -> u64 {
        (ticks as f64 * self.ns_per_tick) as u64
    }
}
