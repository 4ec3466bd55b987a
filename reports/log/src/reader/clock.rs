//! Converts a log's ticks to time.

use crate::layout::{ClockSource, Header, SegmentHeader};

/// Fraction bits of [`Clock::ns_per_tick`].
const FRACTION: u32 = 54;

/// Turns ticks into nanoseconds since the log began.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clock {
    start: u64,
    /// Fixed point, so that each event's time takes one multiplication. It is rounded up, so that whole nanoseconds come out whole. It stays
    /// below 1,024: processor counters run at a million ticks a second or more.
    ns_per_tick: u64,
}

impl Clock {
    pub(crate) fn new(header: &Header, segments: &[(u32, SegmentHeader)]) -> Self {
        let start = header.started;
        let (ns, ticks) = match header.clock {
            ClockSource::Monotonic => (1, 1),
            // The pair farthest from the start gives the rate with the least error.
            ClockSource::Counter => segments
                .iter()
                .map(|(_, segment)| segment.started)
                .max_by_key(|at| at.ticks)
                .filter(|at| at.ticks > start.ticks && at.monotonic_ns > start.monotonic_ns)
                .map_or((1, 1), |at| {
                    (at.monotonic_ns - start.monotonic_ns, at.ticks - start.ticks)
                }),
        };
        let ns_per_tick = (u128::from(ns) << FRACTION).div_ceil(u128::from(ticks));
        Self {
            start: start.ticks,
            ns_per_tick: u64::try_from(ns_per_tick).unwrap_or(u64::MAX),
        }
    }

    /// Nanoseconds from the log's start to `ticks`, saturating at [`u64::MAX`].
    #[inline]
    pub fn ns(&self, ticks: u64) -> u64 {
        let ticks = ticks.saturating_sub(self.start);
        let ns = (u128::from(ticks) * u128::from(self.ns_per_tick)) >> FRACTION;
        u64::try_from(ns).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Instant, SegmentKind, VERSION};

    /// A counter that started at 1,000 and reached 1,000 + `ticks` after `ns`.
    fn clock(ns: u64, ticks: u64) -> Clock {
        let at = |ticks, monotonic_ns| Instant {
            ticks,
            monotonic_ns,
            realtime_ns: 0,
        };
        let header = Header {
            version: VERSION,
            pid: 1,
            clock: ClockSource::Counter,
            started: at(1_000, 7),
        };
        let segment = SegmentHeader {
            kind: SegmentKind::Events,
            started: at(1_000 + ticks, 7 + ns),
            committed: 0,
        };
        Clock::new(&header, &[(0, segment)])
    }

    #[test]
    fn ticks_come_out_as_the_nanoseconds_that_they_took() {
        let ns = |(ns, per): (u64, u64), ticks: u64| clock(ns, per).ns(1_000 + ticks);
        // 25 MHz, as on many aarch64 hosts; 2 GHz; and 3 GHz, whose third of a nanosecond has no finite binary form.
        assert_eq!(ns((4_000, 100), 26), 26 * 40);
        assert_eq!([1, 2, 3].map(|at| ns((1_000, 2_000), at)), [0, 1, 1]);
        assert_eq!([2, 3, 5, 6].map(|at| ns((1, 3), at)), [0, 1, 1, 2]);
        let month = 30 * 86_400 * 1_000_000_000_u64;
        assert_eq!(ns((1_000, 3_000), 3 * month), month);
        // Before the start, no time has passed.
        assert_eq!(clock(4_000, 100).ns(999), 0);
    }

    #[test]
    fn ticks_of_damaged_logs_stop_at_the_most() {
        assert_eq!(clock(4_000, 100).ns(u64::MAX), u64::MAX);
        assert_eq!(clock(u64::MAX - 7, 1).ns(1_001), 1_023);
    }
}
