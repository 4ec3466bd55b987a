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

/// Takes every change and keeps the points that matter. A change costs little as long as it is no extreme of its bucket: the values are
/// kept once, and copied where they are told of.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// The logarithm of a bucket's nanoseconds.
    width: u32,
    most: usize,
    changes: u64,
    now: Point,
    /// Of all lines now, exactly.
    total: u128,
    /// Where the last change was; its bucket has no last sample before time goes on.
    at: usize,
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
    /// Totals of the first two.
    least: u64,
    most: u64,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            width: 0,
            most: BUCKETS,
            changes: 0,
            now: Point {
                ns: 0,
                live: [0; LINES],
            },
            total: 0,
            at: 0,
            buckets: Vec::new(),
            first: None,
            peaks: [None; LINES],
        }
    }
}

impl Sampler {
    /// The live bytes changed to `live` at `ns`.
    pub fn change(&mut self, ns: u64, live: [u64; LINES]) {
        self.go_on(ns);
        self.now.live = live;
        self.total = live.iter().map(|&line| u128::from(line)).sum();
        self.note();
        for line in 0..LINES {
            self.note_line(line);
        }
    }

    /// The live bytes of one line changed to `bytes` at `ns`.
    #[inline]
    pub fn change_line(&mut self, ns: u64, line: usize, bytes: u64) {
        self.go_on(ns);
        let known = &mut self.now.live[line];
        self.total = self.total - u128::from(*known) + u128::from(bytes);
        *known = bytes;
        self.note();
        self.note_line(line);
    }

    /// The time is `ns`: the bucket in hand is filed, if it is another one's.
    #[inline]
    fn go_on(&mut self, ns: u64) {
        if (ns >> self.width) as usize != self.at || self.changes == 0 {
            self.file();
            while ns >> self.width >= self.most as u64 {
                self.widen();
            }
            self.at = (ns >> self.width) as usize;
            if self.buckets.len() <= self.at {
                self.buckets.resize(self.at + 1, None);
            }
        }
        self.now.ns = ns;
    }

    /// Gives the bucket in hand its last sample.
    fn file(&mut self) {
        if let Some(bucket) = self.buckets.get_mut(self.at).and_then(Option::as_mut) {
            bucket.last = (self.changes - 1, self.now);
        }
    }

    #[inline]
    fn note(&mut self) {
        let total = u64::try_from(self.total).unwrap_or(u64::MAX);
        match &mut self.buckets[self.at] {
            Some(bucket) if total < bucket.least => {
                (bucket.low, bucket.least) = ((self.changes, self.now), total);
            }
            Some(bucket) if total > bucket.most => {
                (bucket.high, bucket.most) = ((self.changes, self.now), total);
            }
            Some(_) => {}
            empty => {
                let sample = (self.changes, self.now);
                *empty = Some(Bucket {
                    low: sample,
                    high: sample,
                    last: sample,
                    least: total,
                    most: total,
                });
            }
        }
        if self.changes == 0 {
            let sample = (0, self.now);
            self.first = Some(sample);
            self.peaks = [Some(sample); LINES];
        }
        self.changes += 1;
    }

    /// A change that was noted was one of this line.
    #[inline]
    fn note_line(&mut self, line: usize) {
        let live = self.now.live[line];
        let peak = &mut self.peaks[line];
        if peak.is_none_or(|(_, peak)| live > peak.live[line]) {
            *peak = Some((self.changes - 1, self.now));
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
        let mut now = self.clone();
        now.file();
        let buckets = now.buckets.iter().flatten();
        let mut samples: Vec<Sample> = buckets
            .flat_map(|bucket| [bucket.low, bucket.high, bucket.last])
            .chain(now.first)
            .chain(now.peaks.iter().flatten().copied())
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
    let (low, least) = match b.least < a.least {
        true => (b.low, b.least),
        false => (a.low, a.least),
    };
    let (high, most) = match b.most > a.most {
        true => (b.high, b.most),
        false => (a.high, a.most),
    };
    Some(Bucket {
        low,
        high,
        last: if b.last.0 > a.last.0 { b.last } else { a.last },
        least,
        most,
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
