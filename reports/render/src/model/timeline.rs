//! Live bytes over time, in a bounded number of points.
//!
//! Time is divided into buckets of equal width. Each keeps the lowest, highest and last total, so that no spike and no dip is lost. When
//! time outgrows the buckets, neighbors are merged and the width doubles. The highest value of each family is kept too.

use serde::Serialize;

/// Maximum number of points of one process.
pub const MAX_POINTS: usize = 2000;
/// Number of series: one for each family.
pub const LINES: usize = 10;
/// Number of buckets: three points each, with room for the first point and the peak of each series.
const BUCKETS: usize = (MAX_POINTS - 1 - LINES) / 3;

/// Live bytes by series.
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
    /// The family of each value of a point.
    pub families: Vec<&'static str>,
    /// One for each process.
    pub processes: Vec<Line>,
}

/// A process's timeline.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Line {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// In order of time, at most [`MAX_POINTS`].
    pub points: Vec<Point>,
}

/// The significant points among these: at most [`LINES`] and a few more than `most`.
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

/// Consumes every change and keeps the significant points. A change that is not an extreme is cheap: the values are stored once and copied
/// only when a point is kept.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Logarithm of a bucket's width in nanoseconds.
    width: u32,
    most: usize,
    changes: u64,
    now: Point,
    /// Current total of all series.
    total: u64,
    /// Whether a series was ever so large that the running total may be inexact.
    is_large: bool,
    /// The bucket and time of the last change. The bucket gets its last sample when time leaves it.
    at: usize,
    span: (u64, u64),
    /// Its lowest and highest total.
    extremes: (u64, u64),
    /// `None` if nothing changed.
    buckets: Vec<Option<Bucket>>,
    first: Option<Sample>,
    peaks: [Option<Sample>; LINES],
    highest: [u64; LINES],
}

/// Which changes of a series keep no point.
#[derive(Clone, Copy, Debug)]
pub struct Quiet {
    /// Within how many nanoseconds from when.
    pub from_ns: u64,
    pub span_ns: u64,
    /// By how many bytes it may be lower than now, as a negative number, and higher.
    pub below: i64,
    pub above: i64,
}

impl Quiet {
    /// Whether a change is among them.
    #[inline(always)]
    pub fn has(&self, ns: u64, bytes: i64) -> bool {
        ns.wrapping_sub(self.from_ns) < self.span_ns && bytes >= self.below && bytes <= self.above
    }
}

/// A change and its number, because several can have the same time.
type Sample = (u64, Point);

/// Series up to this size cannot overflow their sum.
const LARGE: u64 = 1 << 59;

/// The samples of a time span. Without the last one, a quiet span after it would be drawn at an extreme.
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
            now: Point {
                ns: 0,
                live: [0; LINES],
            },
            total: 0,
            is_large: false,
            at: 0,
            span: (0, 0),
            extremes: (0, 0),
            buckets: Vec::new(),
            first: None,
            peaks: [None; LINES],
            highest: [0; LINES],
        }
    }
}

impl Sampler {
    /// Sets the live bytes at `ns`.
    pub fn change(&mut self, ns: u64, live: [u64; LINES]) {
        self.go_to(ns);
        self.now.live = live;
        self.is_large |= live.iter().any(|&line| line >= LARGE);
        self.total = self.now.total();
        self.note();
        self.changes += 1;
    }

    /// The live bytes of one series now.
    pub fn live(&self, line: usize) -> u64 {
        self.now.live[line]
    }

    /// Sets the live bytes of one series at `ns`.
    #[inline]
    pub fn change_line(&mut self, ns: u64, line: usize, bytes: u64) {
        self.go_to(ns);
        let known = &mut self.now.live[line];
        self.total = self.total.wrapping_sub(*known).wrapping_add(bytes);
        *known = bytes;
        if self.is_large || bytes >= LARGE {
            self.is_large = true;
            self.total = self.now.total();
        }
        let (least, greatest) = self.extremes;
        if self.total < least || self.total > greatest || bytes > self.highest[line] {
            self.note();
        }
        self.changes += 1;
    }

    /// Changes of a series that keep no point, as of now.
    #[inline]
    pub fn quiet(&self, line: usize) -> Quiet {
        let (least, greatest) = self.extremes;
        let known = self.now.live[line];
        let room = |from: u64, to: u64| to.wrapping_sub(from) as i64;
        // None, if the sum may be inexact or the bucket is empty.
        let span_ns = match !self.is_large && greatest >= least {
            true => self.span.1 - self.span.0,
            false => 0,
        };
        Quiet {
            from_ns: self.span.0,
            span_ns,
            below: room(self.total, least),
            above: room(self.total, greatest).min(room(known, self.highest[line])),
        }
    }

    /// Sets the live bytes of a series after several changes, all of them [`Quiet`]. Without any, nothing happens.
    #[inline]
    pub fn change_quietly(&mut self, ns: u64, line: usize, bytes: u64, changes: u64) {
        if changes == 0 {
            return;
        }
        let known = &mut self.now.live[line];
        self.total = self.total.wrapping_sub(*known).wrapping_add(bytes);
        *known = bytes;
        self.now.ns = ns;
        self.changes += changes;
    }

    #[inline]
    fn go_to(&mut self, ns: u64) {
        if ns < self.span.0 || ns >= self.span.1 {
            self.leave_for(ns);
        }
        self.now.ns = ns;
    }

    /// Closes the current bucket when time leaves it.
    #[inline(never)]
    fn leave_for(&mut self, ns: u64) {
        self.file();
        while ns >> self.width >= self.most as u64 {
            self.widen();
        }
        self.at = (ns >> self.width) as usize;
        if self.buckets.len() <= self.at {
            self.buckets.resize(self.at + 1, None);
        }
        let start = (ns >> self.width) << self.width;
        self.span = (start, start.saturating_add(1 << self.width));
        // In a new bucket, every total is an extreme.
        let totals = |bucket: &Bucket| (bucket.low.1.total(), bucket.high.1.total());
        self.extremes = (self.buckets[self.at].as_ref()).map_or((u64::MAX, 0), totals);
    }

    /// Stores the last sample of the current bucket.
    fn file(&mut self) {
        if let Some(bucket) = self.buckets.get_mut(self.at).and_then(Option::as_mut) {
            bucket.last = (self.changes - 1, self.now);
        }
    }

    /// Updates the extremes with the current total.
    #[inline(never)]
    fn note(&mut self) {
        let sample = (self.changes, self.now);
        let bucket = self.buckets[self.at].get_or_insert(Bucket {
            low: sample,
            high: sample,
            last: sample,
        });
        if self.total < self.extremes.0 {
            (bucket.low, self.extremes.0) = (sample, self.total);
        }
        if self.total > self.extremes.1 {
            (bucket.high, self.extremes.1) = (sample, self.total);
        }
        self.first.get_or_insert(sample);
        for (line, peak) in self.peaks.iter_mut().enumerate() {
            let live = self.now.live[line];
            if peak.is_none() || live > self.highest[line] {
                (*peak, self.highest[line]) = (Some(sample), live);
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

    /// The points in order of time.
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

/// Merges two neighbors; `later` follows `earlier`.
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
        assert!(points.len() <= MAX_POINTS, "{}", points.len());
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
