//! Live bytes over time, in a bounded number of points.
//!
//! Time is cut into buckets of one width. Each keeps the lowest, the highest and the last total that it saw, so that no spike and
//! no dip is lost; when time outgrows the buckets, neighbours merge and the width doubles. The highest value of each family is kept too.

use serde::Serialize;

/// Points of one process at most.
pub const MOST_POINTS: usize = 2000;
/// Lines: one for each family.
pub const LINES: usize = 10;
/// Buckets: three points each, with room for the first point and a peak of each line.
const BUCKETS: usize = (MOST_POINTS - 1 - LINES) / 3;

/// Live bytes, by line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Point {
    /// When, from the process's start.
    pub ns: u64,
    /// Bytes by family, in the order of [`Timeline::families`].
    pub live: [u64; LINES],
}

impl Point {
    fn total(&self) -> u64 {
        self.live
            .iter()
            .fold(0, |sum, &line| sum.saturating_add(line))
    }
}

/// The timelines of a report.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Timeline {
    /// What the numbers of a point stand for.
    pub families: Vec<&'static str>,
    /// One for each process.
    pub processes: Vec<Line>,
}

/// A process's timeline.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Line {
    /// The process.
    pub pid: u32,
    /// In order of time, [`MOST_POINTS`] at most.
    pub points: Vec<Point>,
}

/// The points that matter among these, [`LINES`] and a few more than `most` at most.
pub fn thin(points: &[Point], most: usize) -> Vec<Point> {
    if points.len() <= most {
        return points.to_vec();
    }
    let mut sampler = Sampler {
        most: (most / 3).max(1),
        ..Sampler::default()
    };
    for point in points {
        sampler.change(point.ns, point.live);
    }
    sampler.points()
}

/// Takes every change and keeps the points that matter.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// The logarithm of a bucket's nanoseconds.
    width: u32,
    most: usize,
    changes: u64,
    /// `None` where nothing changed.
    buckets: Vec<Option<Bucket>>,
    first: Option<Sample>,
    peaks: [Option<Sample>; LINES],
}

/// A change, and how many came before it: several can share a time.
type Sample = (u64, Point);

/// What a stretch of time is reduced to. Without the last, a quiet stretch behind it would be drawn at an extreme.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    low: Sample,
    high: Sample,
    last: Sample,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            width: 0,
            most: BUCKETS,
            changes: 0,
            buckets: Vec::new(),
            first: None,
            peaks: [None; LINES],
        }
    }
}

impl Sampler {
    /// The live bytes changed to `live` at `ns`.
    pub fn change(&mut self, ns: u64, live: [u64; LINES]) {
        let sample = (self.changes, Point { ns, live });
        self.changes += 1;
        self.first.get_or_insert(sample);
        for (line, peak) in self.peaks.iter_mut().enumerate() {
            if peak.is_none_or(|(_, peak)| live[line] > peak.live[line]) {
                *peak = Some(sample);
            }
        }
        while ns >> self.width >= self.most as u64 {
            self.widen();
        }
        let at = (ns >> self.width) as usize;
        if self.buckets.len() <= at {
            self.buckets.resize(at + 1, None);
        }
        let total = sample.1.total();
        match &mut self.buckets[at] {
            Some(bucket) => {
                if total < bucket.low.1.total() {
                    bucket.low = sample;
                }
                if total > bucket.high.1.total() {
                    bucket.high = sample;
                }
                bucket.last = sample;
            }
            empty => {
                *empty = Some(Bucket {
                    low: sample,
                    high: sample,
                    last: sample,
                });
            }
        }
    }

    fn widen(&mut self) {
        self.width += 1;
        let pairs = self.buckets.chunks(2);
        self.buckets = pairs
            .map(|pair| merge(pair[0], pair.get(1).copied().flatten()))
            .collect();
    }

    /// The points, in order of time.
    pub fn points(&self) -> Vec<Point> {
        let buckets = self.buckets.iter().flatten();
        let mut samples: Vec<Sample> = buckets
            .flat_map(|bucket| [bucket.low, bucket.high, bucket.last])
            .chain(self.first)
            .chain(self.peaks.iter().flatten().copied())
            .collect();
        samples.sort_unstable_by_key(|(order, _)| *order);
        samples.dedup_by_key(|(order, _)| *order);
        samples.into_iter().map(|(_, point)| point).collect()
    }
}

/// Two neighbours as one; `later` is behind `earlier`.
fn merge(earlier: Option<Bucket>, later: Option<Bucket>) -> Option<Bucket> {
    let (Some(a), Some(b)) = (earlier, later) else {
        return earlier.or(later);
    };
    let is_lower = b.low.1.total() < a.low.1.total();
    let is_higher = b.high.1.total() > a.high.1.total();
    Some(Bucket {
        low: if is_lower { b.low } else { a.low },
        high: if is_higher { b.high } else { a.high },
        last: if b.last.0 > a.last.0 { b.last } else { a.last },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Live bytes of the first two families.
    fn bytes(first: u64, second: u64) -> [u64; LINES] {
        let mut live = [0; LINES];
        (live[0], live[1]) = (first, second);
        live
    }

    #[test]
    fn a_few_changes_are_all_kept() {
        let mut sampler = Sampler::default();
        for (ns, live) in [(0, 10), (100, 30), (200, 20)] {
            sampler.change(ns, bytes(live, 0));
        }
        let points = sampler.points();
        assert_eq!(
            points.iter().map(|p| (p.ns, p.live[0])).collect::<Vec<_>>(),
            [(0, 10), (100, 30), (200, 20)]
        );
    }

    #[test]
    fn a_million_changes_keep_every_extreme_and_no_more_points_than_allowed() {
        let mut sampler = Sampler::default();
        for step in 0..1_000_000_u64 {
            let spike = if step == 777_777 {
                1 << 40
            } else {
                step % 1000
            };
            let pinned = if step == 123_456 { 5000 } else { 1 };
            sampler.change(step * 1000, bytes(1_000_000 + spike, pinned));
        }
        let points = sampler.points();
        assert!(points.len() <= MOST_POINTS, "{}", points.len());
        assert!(
            points
                .iter()
                .any(|p| p.ns == 777_777_000 && p.live[0] == 1_000_000 + (1 << 40))
        );
        assert!(
            points
                .iter()
                .any(|p| p.ns == 123_456_000 && p.live[1] == 5000)
        );
        assert_eq!(points.first().unwrap().ns, 0);
        assert_eq!(points.last().unwrap().ns, 999_999_000);
        assert!(points.is_sorted_by_key(|p| p.ns));
    }

    #[test]
    fn a_quiet_stretch_is_drawn_at_the_value_before_it() {
        let mut sampler = Sampler::default();
        for (ns, live) in [(0, 10), (1, 90), (2, 5), (3, 40), (1_000_000_000, 50)] {
            sampler.change(ns, bytes(live, 0));
        }
        let points = sampler.points();
        let before = points.iter().rfind(|p| p.ns < 1_000_000_000).unwrap();
        assert_eq!(before.live[0], 40);
    }

    #[test]
    fn the_end_of_time_is_a_time() {
        let mut sampler = Sampler::default();
        sampler.change(0, [1; LINES]);
        sampler.change(u64::MAX, [u64::MAX; LINES]);
        assert_eq!(sampler.points().len(), 2);
    }
}
