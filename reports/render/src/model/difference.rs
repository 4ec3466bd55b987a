//! Compares two runs: what is new, what is gone, what grew.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::finding::{Finding, Stacks, fingerprint};
use super::process::Process;
use super::report::Report;
use super::stack::Trace;

/// What changed between an old and a new run.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Difference {
    /// Findings only in the new run.
    pub new_findings: Vec<Finding>,
    /// Findings only in the old run.
    pub gone_findings: Vec<Finding>,
    /// Findings in both.
    pub known_findings: u64,
    /// Allocation sites whose leaks changed, largest growth first.
    pub leaks: Vec<LeakChange>,
    /// Leaked bytes of all sites.
    pub leaked_bytes: OldNew,
    /// Peak of live bytes by device, over all processes.
    pub peaks: Vec<PeakChange>,
    /// Bytes allocated, by family.
    pub allocated: Vec<FamilyChange>,
    /// Names of each run's processes, in the order of the logs. Findings refer to them by index.
    pub processes: OldNew<Vec<String>>,
}

/// A value, usually a number, in both runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct OldNew<T = u64> {
    /// In the old run.
    pub old: T,
    /// In the new run.
    pub new: T,
}

impl OldNew {
    /// Growth; negative if it shrank.
    pub fn growth(self) -> i128 {
        i128::from(self.new) - i128::from(self.old)
    }
}

/// Leaks of one allocation site.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakChange {
    /// Bytes.
    pub bytes: OldNew,
    /// Blocks.
    pub blocks: OldNew,
    /// The call that allocated them.
    pub allocated: Trace,
}

/// The peak of one device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PeakChange {
    /// The device, −1 when not known.
    pub device: i32,
    /// Bytes.
    pub bytes: OldNew,
}

/// Allocations of one family.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct FamilyChange {
    /// The family.
    pub family: &'static str,
    /// Total bytes.
    pub bytes: OldNew,
    /// Total blocks.
    pub blocks: OldNew,
}

impl Difference {
    /// From `old` to `new`. Findings match by fingerprint, as consequences, too; sites match by the functions on their stacks.
    pub fn between(old: &Report, new: &Report) -> Self {
        let before: HashSet<&str> = old
            .each_finding()
            .map(|finding| finding.fingerprint.as_str())
            .collect();
        let after: HashSet<&str> = new
            .each_finding()
            .map(|finding| finding.fingerprint.as_str())
            .collect();
        let in_both = new.findings.iter();
        let in_both = in_both.filter(|finding| before.contains(finding.fingerprint.as_str()));
        let only = |report: &Report, others: &HashSet<&str>| -> Vec<Finding> {
            let findings = report.findings.iter();
            findings
                .filter(|finding| !others.contains(finding.fingerprint.as_str()))
                .cloned()
                .collect()
        };
        Self {
            new_findings: only(new, &before),
            gone_findings: only(old, &after),
            known_findings: in_both.count() as u64,
            leaks: leaks(old, new),
            leaked_bytes: OldNew {
                old: old.leaks.bytes,
                new: new.leaks.bytes,
            },
            peaks: peaks(old, new),
            allocated: allocated(old, new),
            processes: OldNew {
                old: Process::names(&old.processes),
                new: Process::names(&new.processes),
            },
        }
    }
}

fn leaks(old: &Report, new: &Report) -> Vec<LeakChange> {
    let of = |report: &Report, is_new: bool| -> Vec<_> {
        let sites = report.leaks.sites.iter();
        sites
            .map(|site| (site.allocated.clone(), site.blocks, site.bytes, is_new))
            .collect()
    };
    changes([of(old, false), of(new, true)].concat())
}

/// Sites whose blocks and bytes changed, largest growth first. An entry is a stack, blocks, bytes, and whether it is from the new run.
pub(super) fn changes(entries: Vec<(Trace, u64, u64, bool)>) -> Vec<LeakChange> {
    let mut places: HashMap<String, LeakChange> = HashMap::new();
    for (allocated, more_blocks, more_bytes, is_new) in entries {
        let stacks = Stacks {
            here: allocated,
            earlier: Vec::new(),
        };
        let place = fingerprint("leak", &stacks);
        let change = places.entry(place).or_insert_with(|| LeakChange {
            bytes: OldNew::default(),
            blocks: OldNew::default(),
            allocated: stacks.here,
        });
        let (bytes, blocks) = match is_new {
            true => (&mut change.bytes.new, &mut change.blocks.new),
            false => (&mut change.bytes.old, &mut change.blocks.old),
        };
        *bytes = bytes.saturating_add(more_bytes);
        *blocks += more_blocks;
    }
    let mut changed: Vec<_> = places
        .into_iter()
        .filter(|(_, change)| change.bytes.growth() != 0 || change.blocks.growth() != 0)
        .collect();
    changed.sort_by(|(a, one), (b, other)| {
        let by_growth = other.bytes.growth().cmp(&one.bytes.growth());
        by_growth.then_with(|| a.cmp(b))
    });
    changed.into_iter().map(|(_, change)| change).collect()
}

fn peaks(old: &Report, new: &Report) -> Vec<PeakChange> {
    let mut devices: BTreeMap<i32, OldNew> = BTreeMap::new();
    for used in &old.metrics.devices {
        let change = devices.entry(used.device).or_default();
        change.old = change.old.saturating_add(used.peak_bytes);
    }
    for used in &new.metrics.devices {
        let change = devices.entry(used.device).or_default();
        change.new = change.new.saturating_add(used.peak_bytes);
    }
    devices
        .into_iter()
        .map(|(device, bytes)| PeakChange { device, bytes })
        .collect()
}

fn allocated(old: &Report, new: &Report) -> Vec<FamilyChange> {
    let mut families: BTreeMap<&'static str, (OldNew, OldNew)> = BTreeMap::new();
    for used in &old.metrics.families {
        let (bytes, blocks) = families.entry(used.family).or_default();
        bytes.old = bytes.old.saturating_add(used.allocated_bytes);
        blocks.old += used.allocations;
    }
    for used in &new.metrics.families {
        let (bytes, blocks) = families.entry(used.family).or_default();
        bytes.new = bytes.new.saturating_add(used.allocated_bytes);
        blocks.new += used.allocations;
    }
    let families = families.into_iter();
    families
        .map(|(family, (bytes, blocks))| FamilyChange {
            family,
            bytes,
            blocks,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DeviceUse, LeakSite, Leaks};
    use crate::testing::report;

    fn site(bytes: u64, function: &str) -> LeakSite {
        let mut allocated = report().findings[0].stacks.here.clone();
        allocated.frames[0].function = Some(function.into());
        LeakSite {
            parts: Vec::new(),
            pid: 1,
            pids: vec![1],
            processes: vec![0],
            alike: 1,
            root: None,
            fingerprint: function.to_owned(),
            bytes,
            blocks: 1,
            spread: Default::default(),
            estimate: None,
            largest_bytes: bytes,
            youngest_ns: 0,
            oldest_ns: 0,
            family: "device",
            device: 0,
            thread: 1,
            names: Vec::new(),
            class: "unknown",
            is_reclaimed: false,
            allocated,
            thread_name: None,
        }
    }

    #[test]
    fn findings_are_new_gone_or_known() {
        let (old, mut new) = (report(), report());
        new.findings[0].fingerprint = "another".to_owned();
        let difference = Difference::between(&old, &new);
        assert_eq!(difference.new_findings.len(), 1);
        assert_eq!(difference.gone_findings[0].rule, "double-free");
        assert_eq!(difference.known_findings, 1);
    }

    #[test]
    fn leaks_are_compared_by_place_and_the_largest_growth_comes_first() {
        let (mut old, mut new) = (Report::default(), Report::default());
        old.leaks = Leaks::new(vec![site(100, "stays"), site(50, "shrinks")]);
        new.leaks = Leaks::new(vec![
            site(100, "stays"),
            site(20, "shrinks"),
            site(30, "is new"),
        ]);
        let difference = Difference::between(&old, &new);
        let grown: Vec<i128> = difference
            .leaks
            .iter()
            .map(|change| change.bytes.growth())
            .collect();
        assert_eq!(grown, [30, -30]);
        assert_eq!(difference.leaked_bytes, OldNew { old: 150, new: 150 });
    }

    #[test]
    fn peaks_of_all_processes_on_a_device_add_up() {
        let device = |pid, peak_bytes| DeviceUse {
            pid,
            device: 0,
            peak_bytes,
            ..DeviceUse::default()
        };
        let (mut old, mut new) = (Report::default(), Report::default());
        old.metrics.devices = vec![device(1, 10), device(2, 20)];
        new.metrics.devices = vec![device(3, 25)];
        let difference = Difference::between(&old, &new);
        assert_eq!(
            difference.peaks,
            [PeakChange {
                device: 0,
                bytes: OldNew { old: 30, new: 25 }
            }]
        );
    }
}
