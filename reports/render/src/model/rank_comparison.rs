//! Compares many processes: what they have in common, and which of them stand out.
//!
//! **Outliers.** For each measure, the *modified z-score* of Iglewicz and Hoaglin (1993): `0.6745 · (x − median)
//! MAD`, where MAD is the median of the distances from the median. If more than half of the processes are equal, MAD is 0 and the mean
//! distance is used instead: `(x − median)
//! (1.2533 · mean)`. A process is an outlier if its score is beyond 3.5 in either direction and the distance is significant: at least a
//! twentieth of the median, and 1 MiB for bytes. Fewer than five processes have no outliers: of four, with three equal, the other one scores
//! 3.2 whatever the numbers are.
//!
//! **Medians** of an even number of processes are the lower of the two middle values, so that every number is one that some process had.

use std::collections::HashMap;

use serde::Serialize;

use super::stack::Trace;

/// Minimum number of processes to compare.
pub const MIN_PROCESSES: usize = 2;
/// Minimum number of processes for outliers.
const MIN_FOR_OUTLIERS: usize = 5;
/// Scores beyond this are outliers.
const OUTLIER_SCORE: f64 = 3.5;
/// Minimum distance in bytes that is significant.
const MIN_DISTANCE_BYTES: u64 = 1 << 20;
/// Allocation sites that are compared, and those that are reported.
const MAX_TRACKED_SITES: usize = 1 << 14;
const MAX_SITES: usize = 200;
/// Processes that are listed if few have a site, or few lack it.
const MAX_LISTED: usize = 8;

/// The comparison; empty for a single process.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Ranks {
    /// One for each process, in the order of the report's processes.
    pub processes: Vec<Rank>,
    /// The compared numbers.
    pub measures: Vec<Measure>,
    /// Outliers, highest score of each measure first.
    pub outliers: Vec<Outlier>,
    /// By host and device.
    pub devices: Vec<RankDevice>,
    /// Allocation sites across processes: those that leak most, then those with the highest peaks.
    pub sites: Vec<RankSite>,
    /// Number of sites left out.
    pub sites_left_out: u64,
}

/// A process in numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Rank {
    /// Process number; two machines may use the same one.
    pub pid: u32,
    /// Its machine.
    pub host: String,
    /// The log.
    pub log: String,
    /// Devices whose memory it used.
    pub devices: Vec<i32>,
    /// Peak of device memory in bytes.
    pub peak_bytes: u64,
    /// Bytes of device memory live at the end.
    pub live_bytes: u64,
    /// Bytes of any memory that was never released.
    pub leaked_bytes: u64,
    /// Different findings.
    pub findings: u64,
    /// Fingerprint of each finding, and the leaked bytes it is about.
    #[serde(skip)]
    pub held: Vec<(u64, u64)>,
}

/// A number compared across processes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Measure {
    /// A member of [`Rank`].
    pub name: &'static str,
    /// The minimum.
    pub least: u64,
    /// The median.
    pub median: u64,
    /// The maximum.
    pub most: u64,
    /// The median absolute deviation.
    pub mad: u64,
}

/// A process that stands out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outlier {
    /// Index of the process in the report.
    pub process: usize,
    /// Its number.
    pub pid: u32,
    /// A member of [`Rank`].
    pub measure: &'static str,
    /// Its value.
    pub value: u64,
    /// The median value.
    pub median: u64,
    /// Its modified z-score; negative below the median.
    pub score: f64,
}

/// One device of one machine.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct RankDevice {
    /// The machine.
    pub host: String,
    /// The device, −1 if unknown.
    pub device: i32,
    /// Processes that used it.
    pub processes: u64,
    /// Sum of the bytes live at the end.
    pub live_bytes: u64,
    /// Sum of their peaks, which need not coincide.
    pub peaks_bytes: u64,
    /// The highest of their peaks.
    pub peak_bytes: u64,
    /// The process with that peak.
    pub peak_pid: u32,
    /// Its index in the report.
    pub peak_process: usize,
}

/// One allocation site across processes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RankSite {
    /// Processes that allocated there.
    pub processes: u64,
    /// Those that leaked.
    pub leaking: u64,
    /// The minority: processes that allocated there, or those that did not; empty if both are many.
    pub odd: Vec<u32>,
    /// Their indices in the report.
    pub odd_processes: Vec<usize>,
    /// Bytes never released, over all processes.
    pub leaked_bytes: u64,
    /// The lowest peak among the processes that allocated there.
    pub least_peak_bytes: u64,
    /// The median.
    pub median_peak_bytes: u64,
    /// The maximum.
    pub most_peak_bytes: u64,
    /// The process with that peak.
    pub most_pid: u32,
    /// Its index in the report.
    pub most_process: usize,
    /// The family that the blocks belong to.
    pub family: &'static str,
    /// The call.
    pub allocated: Trace,
}

/// One process's use of one site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    process: u32,
    peak: u64,
    leaked: u64,
}

/// Collects the data of a comparison.
#[derive(Default)]
pub struct RankAggregator {
    ranks: Vec<Rank>,
    devices: Vec<RankDevice>,
    device_of: HashMap<(String, i32), usize>,
    sites: Vec<(Trace, &'static str, Vec<Part>)>,
    site_of: HashMap<u64, usize>,
    left_out: u64,
}

impl RankAggregator {
    /// Adds the next process; `devices` holds live bytes and peaks.
    pub fn process(&mut self, mut rank: Rank, devices: &[(i32, u64, u64)]) {
        rank.devices = devices.iter().map(|(device, ..)| *device).collect();
        rank.live_bytes = devices
            .iter()
            .fold(0, |sum, (_, live, _)| live.saturating_add(sum));
        let process = self.ranks.len();
        for &(device, live, peak) in devices {
            let next = self.devices.len();
            let at = *self
                .device_of
                .entry((rank.host.clone(), device))
                .or_insert(next);
            if at == next {
                self.devices.push(RankDevice {
                    host: rank.host.clone(),
                    device,
                    ..RankDevice::default()
                });
            }
            let sum = &mut self.devices[at];
            sum.processes += 1;
            sum.live_bytes = sum.live_bytes.saturating_add(live);
            sum.peaks_bytes = sum.peaks_bytes.saturating_add(peak);
            if peak > sum.peak_bytes || sum.processes == 1 {
                (sum.peak_bytes, sum.peak_pid, sum.peak_process) = (peak, rank.pid, process);
            }
        }
        self.ranks.push(rank);
    }

    /// Adds a site of the process that was added last: its key, which is the same in every process and comes from a
    /// [`StackKeyBuilder`](super::StackKeyBuilder), its peak and its leaked bytes. `trace` is called only if the site is new.
    pub fn site(
        &mut self,
        key: u64,
        family: &'static str,
        (peak, leaked): (u64, u64),
        trace: impl FnOnce() -> Trace,
    ) {
        let Some(process) = self.ranks.len().checked_sub(1) else {
            return;
        };
        let part = Part {
            process: process as u32,
            peak,
            leaked,
        };
        let next = self.sites.len();
        match self.site_of.get(&key) {
            Some(&at) => match self.sites[at].2.last_mut() {
                // Two sites of a log can have the same stack in words: two devices, or code that was loaded twice.
                Some(last) if last.process == part.process => {
                    last.peak = last.peak.saturating_add(peak);
                    last.leaked = last.leaked.saturating_add(leaked);
                }
                _ => self.sites[at].2.push(part),
            },
            None if next >= MAX_TRACKED_SITES => self.left_out += 1,
            None => {
                self.site_of.insert(key, next);
                self.sites.push((trace(), family, vec![part]));
            }
        }
    }

    /// Finishes the comparison.
    pub fn finish(self) -> Ranks {
        if self.ranks.len() < MIN_PROCESSES {
            return Ranks::default();
        }
        let all = self.ranks.len() as u64;
        let ranks = &self.ranks;
        let mut sites: Vec<RankSite> = self
            .sites
            .into_iter()
            .map(|(trace, family, parts)| site(trace, family, &parts, ranks))
            .collect();
        sites.sort_by_key(|site| std::cmp::Reverse((site.leaked_bytes, site.most_peak_bytes)));
        // A site of one process is not comparable, unless it is remarkable that the others lack it.
        sites.retain(|site| site.processes > 1 || all as usize >= MIN_FOR_OUTLIERS);
        let left_out = self.left_out + sites.len().saturating_sub(MAX_SITES) as u64;
        sites.truncate(MAX_SITES);
        let mut devices = self.devices;
        devices.sort_by(|a, b| (&a.host, a.device).cmp(&(&b.host, b.device)));
        let mut ranks = Ranks {
            processes: self.ranks,
            sites,
            sites_left_out: left_out,
            devices,
            ..Ranks::default()
        };
        ranks.compare();
        ranks
    }
}

fn site(trace: Trace, family: &'static str, parts: &[Part], ranks: &[Rank]) -> RankSite {
    let mut peaks: Vec<u64> = parts.iter().map(|part| part.peak).collect();
    peaks.sort_unstable();
    let most = parts
        .iter()
        .max_by_key(|part| (part.peak, std::cmp::Reverse(part.process)));
    let most_process = most.map_or(0, |part| part.process as usize);
    let all = ranks.len();
    let odd_processes: Vec<usize> = match parts.len() {
        few if few <= MAX_LISTED && 2 * few < all => {
            parts.iter().map(|part| part.process as usize).collect()
        }
        many if all - many <= MAX_LISTED && many < all && 2 * many > all => {
            let has = |at: usize| {
                parts
                    .binary_search_by_key(&(at as u32), |p| p.process)
                    .is_ok()
            };
            (0..all).filter(|&at| !has(at)).collect()
        }
        _ => Vec::new(),
    };
    RankSite {
        processes: parts.len() as u64,
        leaking: parts.iter().filter(|part| part.leaked > 0).count() as u64,
        odd: odd_processes.iter().map(|&at| ranks[at].pid).collect(),
        odd_processes,
        leaked_bytes: parts
            .iter()
            .fold(0, |sum, part| part.leaked.saturating_add(sum)),
        least_peak_bytes: peaks.first().copied().unwrap_or(0),
        median_peak_bytes: middle(&peaks),
        most_peak_bytes: peaks.last().copied().unwrap_or(0),
        most_pid: ranks.get(most_process).map_or(0, |rank| rank.pid),
        most_process,
        family,
        allocated: trace,
    }
}

/// The lower of the two middle values.
fn middle(sorted: &[u64]) -> u64 {
    let at = sorted.len().saturating_sub(1) / 2;
    sorted.get(at).copied().unwrap_or(0)
}

type Of = fn(&Rank) -> u64;
const MEASURES: [(&str, Of, u64); 4] = [
    ("peak_bytes", |rank| rank.peak_bytes, MIN_DISTANCE_BYTES),
    ("live_bytes", |rank| rank.live_bytes, MIN_DISTANCE_BYTES),
    ("leaked_bytes", |rank| rank.leaked_bytes, MIN_DISTANCE_BYTES),
    ("findings", |rank| rank.findings, 1),
];

impl Ranks {
    /// Removes what the finding with that fingerprint is about; call [`Ranks::compare`] afterwards. `is_counted` is false for a consequence.
    pub fn forget(&mut self, fingerprint: &str, is_counted: bool) {
        let Ok(gone) = u64::from_str_radix(fingerprint, 16) else {
            return;
        };
        for rank in &mut self.processes {
            for (_, bytes) in rank.held.extract_if(.., |(held, _)| *held == gone) {
                rank.findings = rank.findings.saturating_sub(is_counted.into());
                rank.leaked_bytes = rank.leaked_bytes.saturating_sub(bytes);
            }
        }
    }

    /// Computes medians and outliers.
    pub fn compare(&mut self) {
        (self.measures, self.outliers) = (Vec::new(), Vec::new());
        for (name, of, worth) in MEASURES {
            let mut values: Vec<u64> = self.processes.iter().map(of).collect();
            values.sort_unstable();
            let median = middle(&values);
            let mut distances: Vec<u64> =
                values.iter().map(|value| value.abs_diff(median)).collect();
            distances.sort_unstable();
            let mad = middle(&distances);
            self.measures.push(Measure {
                name,
                least: values.first().copied().unwrap_or(0),
                median,
                most: values.last().copied().unwrap_or(0),
                mad,
            });
            if values.len() < MIN_FOR_OUTLIERS {
                continue;
            }
            let sum: f64 = distances.iter().map(|&distance| distance as f64).sum();
            let scale = match mad {
                0 => 1.2533 * sum / values.len() as f64,
                mad => mad as f64 / 0.6745,
            };
            let mut found: Vec<Outlier> = Vec::new();
            for (process, rank) in self.processes.iter().enumerate() {
                let value = of(rank);
                let distance = value.abs_diff(median);
                let score = (value as f64 - median as f64) / scale;
                if distance >= worth.max(median / 20) && score.abs() > OUTLIER_SCORE {
                    found.push(Outlier {
                        process,
                        pid: rank.pid,
                        measure: name,
                        value,
                        median,
                        score: (score * 10.0).round() / 10.0,
                    });
                }
            }
            found.sort_by(|a, b| b.score.abs().total_cmp(&a.score.abs()));
            self.outliers.extend(found);
        }
    }
}

#[cfg(test)]
mod tests;
