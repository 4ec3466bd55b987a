//! The processes that were observed, and how well.

use serde::Serialize;
use std::collections::HashMap;

/// One process: one log.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Process {
    /// Process number.
    pub pid: u32,
    /// Path of the log.
    pub log: String,
    /// Path of the program; empty when the log does not say. The same holds for the other texts.
    pub program: String,
    /// Its command line, the program's name as it was called first.
    pub arguments: String,
    /// The machine.
    pub host: String,
    /// Process number of the parent.
    pub parent: String,
    /// The process that it was forked from, if it was and the log says so.
    pub forked_from: String,
    /// The shim's options.
    pub options: String,
    /// The shim's version.
    pub shim_version: String,
    /// Its build-id, in hex digits.
    pub shim_build_id: String,
    /// The SoC's name.
    pub soc: String,
    /// `device` or `host`.
    pub run_mode: String,
    /// When the log began, in nanoseconds since 1970.
    pub started_realtime_ns: u64,
    /// From the log's beginning to its last event.
    pub duration_ns: u64,
    /// Whether its exit handlers ran, or it finalised AscendCL: else it was killed, left by `_exit`, or still runs.
    pub is_complete: bool,
    /// The log of the program that it became by `exec`, which is why its own has no end; empty for none, and where nothing shows it.
    #[serde(skip)]
    pub went_on: String,
    /// Events that could not be recorded; its end may be among them.
    #[serde(skip)]
    pub dropped_events: u64,
    /// Events read.
    pub events: u64,
    /// Calls of AscendCL among them.
    pub calls: u64,
}

/// What tells a process from others of its number, as two have that run in containers, or one program that became another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart<'a> {
    /// Its number.
    pub pid: u32,
    /// Its machine, where others of its number are in the report and the log names one.
    pub host: Option<&'a str>,
    /// Which one of its machine's it is, from 1, where that does not tell it apart.
    pub nth: Option<u64>,
}

impl Process {
    /// What tells each of them apart, in their order.
    pub fn apart(all: &[Self]) -> Vec<Apart<'_>> {
        let mut of_pid: HashMap<u32, u64> = HashMap::new();
        let mut of_both: HashMap<(u32, &str), u64> = HashMap::new();
        for process in all {
            *of_pid.entry(process.pid).or_default() += 1;
            *of_both.entry((process.pid, &process.host)).or_default() += 1;
        }
        let mut met: HashMap<(u32, &str), u64> = HashMap::new();
        let apart = all.iter().map(|process| {
            let who = (process.pid, process.host.as_str());
            let nth = met.entry(who).or_default();
            *nth += 1;
            Apart {
                pid: process.pid,
                host: (of_pid[&process.pid] > 1 && !who.1.is_empty()).then_some(who.1),
                nth: (of_both[&who] > 1).then_some(*nth),
            }
        });
        apart.collect()
    }

    /// A name for each, no two alike: its number, and what else it takes, as in `6@node1` and `6@node1#2`.
    pub fn names(all: &[Self]) -> Vec<String> {
        let name = |apart: Apart| {
            let mut name = apart.pid.to_string();
            if let Some(host) = apart.host {
                name = format!("{name}@{host}");
            }
            if let Some(nth) = apart.nth {
                name = format!("{name}#{nth}");
            }
            name
        };
        Self::apart(all).into_iter().map(name).collect()
    }

    /// Whether such a name is more than a number, which would be that of others too.
    pub fn is_apart(name: &str) -> bool {
        name.parse::<u32>().is_err()
    }
}

/// The quality of the evidence.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct EvidenceQuality {
    /// Events that the shim could not write.
    pub dropped_events: u64,
    /// Calls that are on record without a stack: there were more stacks than the shim keeps.
    pub stackless_calls: u64,
    /// Whole stacks were taken of one call in so many only, in the log where they are fewest; 0 where all were.
    pub stack_sample: u64,
    /// Parts of logs that could not be read.
    pub damage: Vec<Cut>,
    /// Records of types that this aclsan does not know.
    pub unknown_records: u64,
    /// Calls of functions that this aclsan does not know.
    pub unknown_functions: u64,
    /// Releases of blocks that the log does not define.
    pub unmatched_releases: u64,
    /// Blocks that another was allocated over: their releases were not seen.
    pub unseen_releases: u64,
    /// Blocks with guard regions.
    pub guarded_blocks: u64,
    /// Bytes that guard regions took.
    pub guard_bytes: u64,
    /// Blocks that guards moved to a larger page class.
    pub guards_changed_page: u64,
    /// Blocks that have a guard in the runtime's rounding alone: more would have moved them to larger pages.
    pub guards_in_slack: u64,
    /// Bytes of device pages that blocks lie in for their guards' sake; layouts count them.
    pub guard_page_bytes: u64,
    /// Blocks that the shim laid before unmapped pages of its own; layouts leave them out.
    pub fenced_blocks: u64,
    /// Families whose blocks can't be guarded as asked for, a sentence each.
    pub guard_notices: Vec<String>,
    /// What symbols lacked, a sentence each.
    pub symbol_warnings: Vec<String>,
}

/// A part of a log that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cut {
    /// The process.
    pub pid: u32,
    /// Its place among the processes, from 0: a number may be that of several.
    pub process: usize,
    /// Byte offset in the log.
    pub offset: u64,
    /// Bytes given up.
    pub lost_bytes: u64,
}

impl EvidenceQuality {
    /// Whether releases may have happened that the logs don't hold.
    pub fn is_complete(&self) -> bool {
        self.dropped_events == 0 && self.damage.is_empty()
    }
}
