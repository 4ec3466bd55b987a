//! Leaks grouped by one of their properties.

use std::collections::BTreeMap;

use serde::Serialize;

use super::leak::{LeakPart, LeakSite};
use super::process::Process;
use super::report::Report;
use super::stack::Frame;
use crate::units::{device, duration};

/// The property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupBy {
    /// The allocating line, whoever called it.
    Site,
    /// The whole stack.
    Stack,
    /// The allocating thread.
    Thread,
    /// The device.
    Device,
    /// The family that the block belongs to.
    Family,
    /// Age of blocks at the end.
    Age,
    /// The epoch of their allocation.
    Epoch,
    /// Whether the program still had pointers to them.
    Class,
}

impl GroupBy {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Site => "site",
            Self::Stack => "stack",
            Self::Thread => "thread",
            Self::Device => "device",
            Self::Family => "family",
            Self::Age => "age",
            Self::Epoch => "epoch",
            Self::Class => "class",
        }
    }
}

/// Leaked blocks with a common property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LeakGroup {
    /// The property's value.
    pub key: String,
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Groups the leaks: ages in their order, everything else by bytes.
pub fn leak_groups(report: &Report, by: GroupBy) -> Vec<LeakGroup> {
    let names = Process::names(&report.processes);
    let mut groups: BTreeMap<(u64, String), (u64, u64)> = BTreeMap::new();
    let mut add = |order: u64, key: String, blocks: u64, bytes: u64| {
        let sum = groups.entry((order, key)).or_default();
        sum.0 += blocks;
        sum.1 = sum.1.saturating_add(bytes);
    };
    for site in &report.leaks.sites {
        match of_site(site, by) {
            Some(key) => add(0, key, site.blocks, site.bytes),
            None => {
                for part in &site.parts {
                    let (order, key) = of_part(part, by, &names);
                    add(order, key, part.blocks, part.bytes);
                }
            }
        }
    }
    let groups = groups
        .into_iter()
        .map(|((_, key), (blocks, bytes))| LeakGroup { key, blocks, bytes });
    let mut list: Vec<LeakGroup> = groups.collect();
    if by != GroupBy::Age {
        list.sort_by_key(|group| std::cmp::Reverse(group.bytes));
    }
    list
}

fn of_site(site: &LeakSite, by: GroupBy) -> Option<String> {
    match by {
        GroupBy::Site => Some(place(site)),
        GroupBy::Stack => {
            let frames = site.allocated.frames.iter();
            let named = frames.map(Frame::name);
            Some(named.collect::<Vec<_>>().join(" < "))
        }
        GroupBy::Device => Some(device(site.device)),
        GroupBy::Family => Some(site.family.to_owned()),
        GroupBy::Class => Some(site.class.to_owned()),
        GroupBy::Thread | GroupBy::Age | GroupBy::Epoch => None,
    }
}

fn of_part(part: &LeakPart, by: GroupBy, names: &[String]) -> (u64, String) {
    match by {
        GroupBy::Age => {
            let key = format!("below {}", duration(part.below_ns));
            (part.below_ns, key)
        }
        GroupBy::Epoch if part.epoch.is_empty() => (0, "before any epoch".to_owned()),
        GroupBy::Epoch => (0, part.epoch.clone()),
        _ => match part.process {
            None => (0, "further processes".to_owned()),
            Some(process) => {
                let name = names.get(process);
                let name = name.map_or_else(|| part.pid.to_string(), String::clone);
                (0, format!("process {name}, thread {}", part.thread))
            }
        },
    }
}

fn place(site: &LeakSite) -> String {
    site.allocated.caller_label()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Leaks, Trace};

    fn part(thread: u32, below_ns: u64, epoch: &str, blocks: u64, bytes: u64) -> LeakPart {
        LeakPart {
            pid: 1,
            process: Some(0),
            thread,
            below_ns,
            epoch: epoch.to_owned(),
            blocks,
            bytes,
        }
    }

    #[test]
    fn parts_add_up_to_their_sites_whatever_distinguishes_them() {
        let parts = vec![
            part(7, 1_000_000, "one", 1, 100),
            part(8, 10_000_000, "one", 2, 30),
            part(8, 1_000_000, "", 1, 5),
        ];
        let site = LeakSite {
            pid: 1,
            pids: vec![1],
            processes: vec![0],
            alike: 1,
            root: None,
            fingerprint: String::new(),
            bytes: 135,
            blocks: 4,
            spread: Default::default(),
            estimate: None,
            largest_bytes: 100,
            youngest_ns: 0,
            oldest_ns: 0,
            family: "device",
            device: 0,
            thread: 7,
            names: Vec::new(),
            class: "unknown",
            is_reclaimed: false,
            allocated: Trace::default(),
            parts,
            thread_name: None,
        };
        let report = Report {
            leaks: Leaks::new(vec![site]),
            ..Report::default()
        };
        let groups_by = |by| {
            let groups = leak_groups(&report, by).into_iter();
            groups
                .map(|g| (g.key, g.blocks, g.bytes))
                .collect::<Vec<_>>()
        };
        let group = |key: &str, blocks, bytes| (key.to_owned(), blocks, bytes);
        assert_eq!(
            groups_by(GroupBy::Thread),
            [
                group("process 1, thread 7", 1, 100),
                group("process 1, thread 8", 3, 35)
            ]
        );
        assert_eq!(
            groups_by(GroupBy::Age),
            [group("below 1.0 ms", 2, 105), group("below 10.0 ms", 2, 30)]
        );
        assert_eq!(
            groups_by(GroupBy::Epoch),
            [group("one", 3, 130), group("before any epoch", 1, 5)]
        );
        assert_eq!(groups_by(GroupBy::Family), [group("device", 4, 135)]);
    }
}
