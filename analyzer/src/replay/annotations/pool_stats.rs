//! Statistics of the pools of one name: hit rate, reuse distance and fragmentation, by size.

use std::collections::{BTreeMap, HashMap};

use aclsan_render::model::{Grade, PoolClass, PoolSpace, PoolUse, Reuse};

/// Most returned addresses remembered.
const MAX_GONE: usize = 1 << 16;
/// Up to this many sub-blocks, the layout is measured at every new peak.
const MAX_ALWAYS_MEASURED: u64 = 1024;

/// Memory that a pool gives out.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Range {
    end: u64,
    /// Whether it is a runtime block that the pool did not announce.
    is_block: bool,
    is_used: bool,
}

/// Counts by reuse distance.
#[derive(Clone, PartialEq, Debug, Default)]
struct Distances(BTreeMap<u64, u64>);

impl Distances {
    fn add(&mut self, distance: u64) {
        // Five significant bits are enough.
        let cut = (u64::BITS - distance.leading_zeros()).saturating_sub(5);
        *self.0.entry(distance >> cut << cut).or_default() += 1;
    }

    fn summarize(&self) -> Option<Reuse> {
        let count: u64 = self.0.values().sum();
        let at = |share: f64| {
            let rank = (count as f64 * share).ceil() as u64;
            let mut seen = 0;
            let found = self.0.iter().find(|(_, times)| {
                seen += **times;
                seen >= rank
            });
            found.map_or(0, |(&distance, _)| distance)
        };
        (count > 0).then(|| Reuse {
            count,
            p50: at(0.5),
            p90: at(0.9),
        })
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
struct Class {
    sums: PoolClass,
    distances: Distances,
}

/// The statistics.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PoolStats {
    ranges: BTreeMap<u64, Range>,
    requests: u64,
    hits: u64,
    /// The number of the request at which an address was returned.
    gone: HashMap<u64, u64>,
    distances: Distances,
    classes: BTreeMap<u64, Class>,
    peak: PoolSpace,
    /// Whether this is a new peak whose layout is not measured yet.
    is_peak_unmeasured: bool,
    live: BTreeMap<u64, (u64, u64)>,
    live_bytes: u64,
    most_bytes: u64,
}

impl PoolStats {
    /// A pool was created over a range.
    pub fn open(&mut self, start: u64, size: u64) {
        if size > 0 {
            let range = Range {
                end: start.saturating_add(size),
                is_block: false,
                is_used: false,
            };
            self.ranges.insert(start, range);
        }
    }

    /// The pool over that range was destroyed.
    pub fn close(&mut self, start: u64) {
        self.measure_peak();
        if self.ranges.get(&start).is_some_and(|range| !range.is_block) {
            self.ranges.remove(&start);
        }
    }

    /// The runtime block is gone.
    pub fn forget(&mut self, start: u64) {
        self.measure_peak();
        if self.ranges.get(&start).is_some_and(|range| range.is_block) {
            self.ranges.remove(&start);
        }
    }

    /// A sub-block of `size` bytes that takes `taken`; `block` is the runtime block around it, for pools that announced no range.
    pub fn add(&mut self, address: u64, size: u64, taken: u64, block: Option<(u64, u64)>) {
        let range = self.ranges.range_mut(..=address).next_back();
        let range = range
            .map(|(_, range)| range)
            .filter(|range| address < range.end);
        let is_hit = match (range, block) {
            (Some(range), _) => std::mem::replace(&mut range.is_used, true),
            (None, Some((start, end))) => {
                let range = Range {
                    end,
                    is_block: true,
                    is_used: true,
                };
                self.ranges.insert(start, range);
                false
            }
            (None, None) => true,
        };
        self.count(address, (size, taken), is_hit);
    }

    /// A sub-block of a runtime pool, which asks the driver for memory if it had none there before.
    pub fn add_kept(&mut self, address: u64, size: u64) {
        let (mut start, mut end) = (address, address.saturating_add(size));
        let touching: Vec<(u64, u64)> = (self.ranges.range(..=end).rev())
            .take_while(|(_, range)| range.end >= address)
            .map(|(&start, range)| (start, range.end))
            .collect();
        let is_hit = (touching.iter()).any(|&(from, until)| from <= start && end <= until);
        if !is_hit {
            for (from, until) in touching {
                self.ranges.remove(&from);
                (start, end) = (start.min(from), end.max(until));
            }
            let range = Range {
                end,
                is_block: false,
                is_used: true,
            };
            self.ranges.insert(start, range);
        }
        self.count(address, (size, size), is_hit);
    }

    /// A runtime pool returned its unused memory.
    pub fn trim(&mut self) {
        self.measure_peak();
        self.ranges.clear();
        for (address, size) in self.live.iter().map(|(&at, &(size, _))| (at, size)) {
            let range = Range {
                end: address.saturating_add(size),
                is_block: false,
                is_used: true,
            };
            self.ranges.insert(address, range);
        }
    }

    fn count(&mut self, address: u64, (size, taken): (u64, u64), is_hit: bool) {
        let up_to = size.max(1).checked_next_power_of_two().unwrap_or(u64::MAX);
        let class = self.classes.entry(up_to).or_default();
        class.sums.up_to_bytes = up_to;
        class.sums.requests += 1;
        class.sums.hits += u64::from(is_hit);
        class.sums.asked_bytes = class.sums.asked_bytes.saturating_add(size);
        class.sums.taken_bytes = class.sums.taken_bytes.saturating_add(taken);
        if let Some(then) = self.gone.remove(&address) {
            let distance = self.requests - then;
            class.distances.add(distance);
            self.distances.add(distance);
        }
        self.requests += 1;
        self.hits += u64::from(is_hit);
        if let Some((old, _)) = self.live.insert(address, (size, taken)) {
            self.live_bytes = self.live_bytes.saturating_sub(old);
        }
        self.live_bytes = self.live_bytes.saturating_add(size);
        let is_worth_it = self.live.len() as u64 <= MAX_ALWAYS_MEASURED
            || self.live_bytes - self.live_bytes / 64 > self.peak.live_bytes;
        if self.live_bytes > self.most_bytes {
            self.most_bytes = self.live_bytes;
            self.is_peak_unmeasured = is_worth_it;
        }
    }

    /// The sub-block at `address` was returned.
    pub fn remove(&mut self, address: u64) {
        self.measure_peak();
        if let Some((size, _)) = self.live.remove(&address) {
            self.live_bytes = self.live_bytes.saturating_sub(size);
            if self.gone.len() < MAX_GONE {
                self.gone.insert(address, self.requests);
            }
        }
    }

    /// Measures the layout at the peak, before it changes.
    fn measure_peak(&mut self) {
        if std::mem::take(&mut self.is_peak_unmeasured) {
            self.peak = self.space();
        }
    }

    fn space(&self) -> PoolSpace {
        let ranges = self.ranges.iter().map(|(&start, range)| (start, range.end));
        let subs = self.live.iter();
        PoolSpace::of(ranges, subs.map(|(&at, &(size, taken))| (at, size, taken)))
    }

    /// The statistics at the end of the log.
    pub fn finish(mut self) -> PoolUse {
        self.measure_peak();
        let share = |hits: u64, requests: u64| match requests {
            0 => 1.0,
            requests => hits as f64 / requests as f64,
        };
        for &(size, _) in self.live.values() {
            let up_to = size.max(1).checked_next_power_of_two().unwrap_or(u64::MAX);
            let class = self.classes.entry(up_to).or_default();
            class.sums.live_blocks += 1;
            class.sums.live_bytes = class.sums.live_bytes.saturating_add(size);
        }
        let hit_rate = share(self.hits, self.requests);
        PoolUse {
            end: self.space(),
            peak: self.peak,
            requests: self.requests,
            hits: self.hits,
            hit_rate,
            hit_grade: Grade::of_hit_rate(hit_rate),
            reuse: self.distances.summarize(),
            classes: (self.classes.into_values())
                .map(|class| PoolClass {
                    hit_rate: share(class.sums.hits, class.sums.requests),
                    reuse: class.distances.summarize(),
                    ..class.sums
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_over_a_range_asks_the_runtime_once() {
        let mut inside = PoolStats::default();
        inside.open(0x1000, 1024);
        for turn in 0..10 {
            inside.add(0x1000, 100, 160, None);
            inside.add(0x1100 + turn % 2 * 0x100, 200, 256, None);
            inside.remove(0x1000);
            inside.remove(0x1100 + turn % 2 * 0x100);
        }
        inside.add(0x1000, 100, 160, None);
        let reported = inside.finish();
        // 21 requests, of which the first is the range's first.
        assert_eq!((reported.requests, reported.hits), (21, 20));
        assert_eq!(reported.hit_grade, Grade::Good);
        // 0x1000 is asked for again by the very next request, 10 times. The others come back every other turn, 8 times: two requests of the
        // turn between and the first of their own are 3. Rank 9 of 18 is 0, rank 17 is 3.
        assert_eq!(
            reported.reuse,
            Some(Reuse {
                count: 18,
                p50: 0,
                p90: 3
            })
        );
        assert_eq!(reported.classes.len(), 2);
        assert_eq!(
            (
                reported.classes[0].up_to_bytes,
                reported.classes[0].requests,
                reported.classes[0].hits
            ),
            (128, 11, 10)
        );
        assert_eq!(
            (
                reported.classes[1].asked_bytes,
                reported.classes[1].taken_bytes
            ),
            (2000, 2560)
        );
        // The end: 160 of 1024 taken, one hole. The peak: 160 and 256 taken, holes of 96 and 512.
        assert_eq!((reported.end.free_bytes, reported.end.holes), (864, 1));
        assert_eq!(
            (
                reported.peak.live_bytes,
                reported.peak.free_bytes,
                reported.peak.holes
            ),
            (300, 608, 2)
        );
        assert_eq!(reported.peak.largest_hole_bytes, 512);
    }

    #[test]
    fn without_a_range_each_block_of_the_runtimes_is_asked_for_once() {
        let mut inside = PoolStats::default();
        inside.add(0x1000, 64, 64, Some((0x1000, 0x1100)));
        inside.add(0x1080, 64, 64, Some((0x1000, 0x1100)));
        inside.add(0x2000, 64, 64, Some((0x2000, 0x2100)));
        inside.add(0x9000, 64, 64, None); // unknown memory
        inside.remove(0x1000);
        inside.remove(0x1080);
        inside.forget(0x1000);
        inside.add(0x1000, 64, 64, Some((0x1000, 0x1100)));
        let reported = inside.finish();
        assert_eq!((reported.requests, reported.hits), (5, 2));
        assert_eq!(reported.hit_grade, Grade::Danger);
        assert_eq!(
            (
                reported.end.held_bytes,
                reported.end.live_bytes,
                reported.end.free_bytes
            ),
            (512, 128, 384)
        );
    }

    #[test]
    fn a_pool_of_the_runtimes_holds_what_it_has_given_out_until_it_is_trimmed() {
        let mut inside = PoolStats::default();
        inside.add_kept(0x1000, 0x100);
        inside.add_kept(0x1100, 0x100); // behind it: one stretch of 0x200
        inside.remove(0x1000);
        inside.remove(0x1100);
        inside.add_kept(0x1040, 0x180); // within it
        inside.add_kept(0x11f0, 0x20); // partly new: 0x1000 to 0x1210
        let reported = inside.clone().finish();
        assert_eq!((reported.requests, reported.hits), (4, 1));
        assert_eq!(reported.end.held_bytes, 0x210);
        inside.remove(0x11f0);
        inside.trim();
        let reported = inside.finish();
        assert_eq!(
            (reported.end.held_bytes, reported.end.free_bytes),
            (0x180, 0)
        );
    }

    #[test]
    fn distances_keep_five_bits() {
        let mut distances = Distances::default();
        [0, 31, 33, 1000]
            .into_iter()
            .for_each(|distance| distances.add(distance));
        // 33 = 100001b: 32. 1000 = 1111101000b: 1111100000b = 992.
        assert_eq!(
            distances.0.keys().copied().collect::<Vec<_>>(),
            [0, 31, 32, 992]
        );
        assert_eq!(
            distances.summarize().unwrap(),
            Reuse {
                count: 4,
                p50: 31,
                p90: 992
            }
        );
    }
}
