//! Many processes beside each other: what they have in common, and which of them stand out.
//!
//! **Outliers.** Of each measure, the *modified z-score* of Iglewicz and Hoaglin (1993): `0.6745 · (x − median) / MAD`, where MAD is the
//! median of the distances from the median. Where more than half of the processes are equal, MAD is 0 and the mean of the distances takes
//! its place: `(x − median) / (1.2533 · mean)`. A process stands out when its score is beyond 3.5, in either direction, and the distance
//! is worth a word: a twentieth of the median, and 1 MiB for bytes. Fewer than five processes have no outliers: of four, three equal ones
//! and another, the score is 3.2 whatever the numbers are.
//!
//! **Medians** of an even number of processes are the lower of the two in the middle, so that every number is one that some process had.

use std::collections::HashMap;

use serde::Serialize;

use super::stack::Trace;

/// Processes that a comparison takes.
pub const FEWEST: usize = 2;
/// Processes that outliers take.
const ENOUGH: usize = 5;
/// A score beyond this stands out.
const SCORE: f64 = 3.5;
/// Bytes that are worth a word.
const BYTES: u64 = 1 << 20;
/// Places that are compared, and those that are told.
const KNOWN: usize = 1 << 14;
const TOLD: usize = 200;
/// Processes that are named where few have a place or lack it.
const NAMED: usize = 8;

/// The comparison; empty for a single process.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Ranks {
    /// One for each process, in the order of the report's processes.
    pub processes: Vec<Rank>,
    /// What is compared.
    pub measures: Vec<Measure>,
    /// What stands out, the highest score of each measure first.
    pub outliers: Vec<Outlier>,
    /// By host and device.
    pub devices: Vec<RankDevice>,
    /// Allocating places across processes: those that leak most, then those with the highest peaks.
    pub sites: Vec<RankSite>,
    /// Places that are not told.
    pub sites_left_out: u64,
}

/// A process in numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Rank {
    /// Process number; of several machines, two may share one.
    pub pid: u32,
    /// Its machine.
    pub host: String,
    /// The log.
    pub log: String,
    /// Devices whose memory it used.
    pub devices: Vec<i32>,
    /// Most bytes of device memory at once.
    pub peak_bytes: u64,
    /// Bytes of device memory that were live at the end.
    pub live_bytes: u64,
    /// Bytes of any memory that nobody released.
    pub leaked_bytes: u64,
    /// Different findings.
    pub findings: u64,
    /// Fingerprint of each finding, and the leaked bytes that it is about.
    #[serde(skip)]
    pub held: Vec<(u64, u64)>,
}

/// A number of every process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Measure {
    /// A member of [`Rank`].
    pub name: &'static str,
    /// The lowest.
    pub least: u64,
    /// The middle.
    pub median: u64,
    /// The highest.
    pub most: u64,
    /// The middle of the distances from the middle.
    pub mad: u64,
}

/// A process that stands out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outlier {
    /// Its place among the processes, from 0.
    pub process: usize,
    /// Its number.
    pub pid: u32,
    /// A member of [`Rank`].
    pub measure: &'static str,
    /// What it has.
    pub value: u64,
    /// What the middle one has.
    pub median: u64,
    /// Its modified z-score; negative below the middle.
    pub score: f64,
}

/// One device of one machine.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct RankDevice {
    /// The machine.
    pub host: String,
    /// The device, −1 when not known.
    pub device: i32,
    /// Processes that used it.
    pub processes: u64,
    /// Live at the end, of all of them.
    pub live_bytes: u64,
    /// The sum of their peaks, which need not have come together.
    pub peaks_bytes: u64,
    /// The highest of their peaks.
    pub peak_bytes: u64,
    /// The process that had it.
    pub peak_pid: u32,
    /// Its place among the processes, from 0.
    pub peak_process: usize,
}

/// One allocating place across processes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RankSite {
    /// Processes that allocated there.
    pub processes: u64,
    /// Of them, those that leaked.
    pub leaking: u64,
    /// Processes that did as few others: those that allocated there, or those that did not; empty when both are many.
    pub odd: Vec<u32>,
    /// The same by their places among the processes, from 0.
    pub odd_processes: Vec<usize>,
    /// Bytes that nobody released, of all processes.
    pub leaked_bytes: u64,
    /// The lowest peak among the processes that allocated there.
    pub least_peak_bytes: u64,
    /// The middle one.
    pub median_peak_bytes: u64,
    /// The highest.
    pub most_peak_bytes: u64,
    /// The process that had it.
    pub most_pid: u32,
    /// Its place among the processes, from 0.
    pub most_process: usize,
    /// The family that owns the blocks.
    pub family: &'static str,
    /// The call.
    pub allocated: Trace,
}

/// What one process did at one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Part {
    process: u32,
    peak: u64,
    leaked: u64,
}

/// A comparison in the making.
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
    /// The next process; `devices` with their live bytes and peaks.
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

    /// A place of the process that came last: its number, which is the same in every process and a [`StackKeyBuilder`](super::StackKeyBuilder) tells, its
    /// peak and what it leaked. `trace` is asked for where it is new.
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
                // Two lines of a log with one stack in words: two devices, or code that was loaded twice.
                Some(last) if last.process == part.process => {
                    last.peak = last.peak.saturating_add(peak);
                    last.leaked = last.leaked.saturating_add(leaked);
                }
                _ => self.sites[at].2.push(part),
            },
            None if next >= KNOWN => self.left_out += 1,
            None => {
                self.site_of.insert(key, next);
                self.sites.push((trace(), family, vec![part]));
            }
        }
    }

    /// The comparison.
    pub fn finish(self) -> Ranks {
        if self.ranks.len() < FEWEST {
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
        // What one process alone did is no matter of comparison, unless it is odd that the others did not.
        sites.retain(|site| site.processes > 1 || all as usize >= ENOUGH);
        let left_out = self.left_out + sites.len().saturating_sub(TOLD) as u64;
        sites.truncate(TOLD);
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
        few if few <= NAMED && 2 * few < all => {
            parts.iter().map(|part| part.process as usize).collect()
        }
        many if all - many <= NAMED && many < all && 2 * many > all => {
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

/// The lower of the two in the middle.
fn middle(sorted: &[u64]) -> u64 {
    let at = sorted.len().saturating_sub(1) / 2;
    sorted.get(at).copied().unwrap_or(0)
}

type Of = fn(&Rank) -> u64;
const MEASURES: [(&str, Of, u64); 4] = [
    ("peak_bytes", |rank| rank.peak_bytes, BYTES),
    ("live_bytes", |rank| rank.live_bytes, BYTES),
    ("leaked_bytes", |rank| rank.leaked_bytes, BYTES),
    ("findings", |rank| rank.findings, 1),
];

impl Ranks {
    /// Takes out what the finding of that fingerprint is about, and compares anew with [`Ranks::compare`].
    pub fn forget(&mut self, fingerprint: &str) {
        let Ok(gone) = u64::from_str_radix(fingerprint, 16) else {
            return;
        };
        for rank in &mut self.processes {
            for (_, bytes) in rank.held.extract_if(.., |(held, _)| *held == gone) {
                rank.findings = rank.findings.saturating_sub(1);
                rank.leaked_bytes = rank.leaked_bytes.saturating_sub(bytes);
            }
        }
    }

    /// Finds the middle of everything, and what is far from it.
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
            if values.len() < ENOUGH {
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
                if distance >= worth.max(median / 20) && score.abs() > SCORE {
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
