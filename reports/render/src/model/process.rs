//! The observed processes, and the quality of the evidence.

use serde::Serialize;
use std::collections::HashMap;

use super::process_end::ProcessEnd;

/// One process, which is one log.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Process {
    /// Process number.
    pub pid: u32,
    /// Path of the log.
    pub log: String,
    /// Path of the program; empty if the log does not contain it. The same holds for the other texts.
    pub program: String,
    /// Its command line; the program's name comes first, as it was called.
    pub arguments: String,
    /// The machine.
    pub host: String,
    /// Process number of the parent.
    pub parent: String,
    /// The process that it was forked from, if it was forked and the log contains it.
    pub forked_from: String,
    /// The shim's options.
    pub options: String,
    /// The shim's version.
    pub shim_version: String,
    /// Its build-id, in hex digits.
    pub shim_build_id: String,
    /// The SoC's name.
    pub soc: String,
    /// CANN's version, as its installation has it.
    pub cann_version: String,
    /// The driver's version, as its installation has it.
    pub driver_version: String,
    /// `device` or `host`.
    pub run_mode: String,
    /// When the log began, in nanoseconds since 1970.
    pub started_realtime_ns: u64,
    /// From the log's start to its last event.
    pub duration_ns: u64,
    /// Whether its exit handlers ran or it finalized AscendCL. Otherwise it was killed, left by `_exit`, or is still running.
    pub is_complete: bool,
    /// Whether it ran when its log was read.
    #[serde(skip)]
    pub is_running: bool,
    /// How it ended.
    pub end: ProcessEnd,
    /// The log of the program that replaced it by `exec`, which is why its own log has no end; empty if there is none or it cannot be
    /// identified.
    #[serde(skip)]
    pub went_on: String,
    /// Events that could not be recorded. The process's end may be among them.
    #[serde(skip)]
    pub dropped_events: u64,
    /// Events read.
    pub events: u64,
    /// AscendCL calls among them.
    pub calls: u64,
}

/// What distinguishes a process from others with the same number: in containers, or after an `exec`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart<'a> {
    /// Its number.
    pub pid: u32,
    /// Its machine, if other processes with its number are in the report and the log names one.
    pub host: Option<&'a str>,
    /// Its index, from 1, among those that number and machine do not distinguish.
    pub nth: Option<u64>,
}

impl Process {
    /// What distinguishes each process, in their order.
    pub fn apart(all: &[Self]) -> Vec<Apart<'_>> {
        let mut of_pid: HashMap<u32, u64> = HashMap::new();
        let mut of_both: HashMap<(u32, &str), u64> = HashMap::new();
        for process in all {
            *of_pid.entry(process.pid).or_default() += 1;
            *of_both.entry((process.pid, &process.host)).or_default() += 1;
        }
        let mut seen: HashMap<(u32, &str), u64> = HashMap::new();
        let apart = all.iter().map(|process| {
            let who = (process.pid, process.host.as_str());
            let nth = seen.entry(who).or_default();
            *nth += 1;
            Apart {
                pid: process.pid,
                host: (of_pid[&process.pid] > 1 && !who.1.is_empty()).then_some(who.1),
                nth: (of_both[&who] > 1).then_some(*nth),
            }
        });
        apart.collect()
    }

    /// A unique name for each process: its number, and what else is needed, as in `6@node1` and `6@node1#2`.
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

    /// Whether such a name is more than a number, which several processes have.
    pub fn is_apart(name: &str) -> bool {
        name.parse::<u32>().is_err()
    }
}

/// The quality of the evidence.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct EvidenceQuality {
    /// Events that the shim could not write.
    pub dropped_events: u64,
    /// Calls recorded without a stack: there were more stacks than the shim keeps.
    pub stackless_calls: u64,
    /// Only one in this many calls has a whole stack, in the log with the fewest; 0 if all have one.
    pub stack_sample: u64,
    /// Of device and pinned memory, only one block per this many bytes is recorded, in the log with the fewest; 0 if all are. Sums over
    /// blocks are then estimates.
    pub block_sample: u64,
    /// Parts of logs that could not be read.
    pub damage: Vec<Cut>,
    /// Records of types that this version does not know.
    pub unknown_records: u64,
    /// Calls of functions that this version does not know.
    pub unknown_functions: u64,
    /// Releases of blocks that the log does not define.
    pub unmatched_releases: u64,
    /// Blocks whose release was not seen: another block was allocated over them.
    pub unseen_releases: u64,
    /// Blocks with redzones.
    pub guarded_blocks: u64,
    /// Bytes of redzones.
    pub guard_bytes: u64,
    /// Blocks that redzones moved to a larger page class.
    pub guards_changed_page: u64,
    /// Blocks whose redzone is only the runtime's rounding: a larger one would have taken larger pages, or one more.
    pub guards_in_slack: u64,
    /// Bytes of device pages that blocks occupy because of their redzones; layouts count them.
    pub guard_page_bytes: u64,
    /// Blocks that the shim placed before guard pages of its own; layouts leave them out.
    #[serde(rename = "fenced_blocks")]
    pub guard_page_blocks: u64,
    /// Families whose blocks cannot be guarded as requested, one sentence each.
    pub guard_notices: Vec<String>,
    /// Missing symbols, one sentence each.
    pub symbol_warnings: Vec<String>,
}

/// A part of a log that could not be read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cut {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// Byte offset in the log.
    pub offset: u64,
    /// Bytes skipped.
    pub lost_bytes: u64,
}

impl EvidenceQuality {
    /// Whether releases may be missing from the logs.
    pub fn is_complete(&self) -> bool {
        self.dropped_events == 0 && self.damage.is_empty()
    }
}
