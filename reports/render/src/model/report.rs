//! The whole report.

use aclsan_rules::evidence::rule::Severity;
use serde::Serialize;

use super::allocation::Allocations;
use super::annotation::Annotations;
use super::finding::Finding;
use super::fragmentation::Fragmentation;
use super::leak::Leaks;
use super::metrics::Metrics;
use super::oom::OomReport;
use super::process::{EvidenceQuality, Process};
use super::rank_comparison::Ranks;
use super::suppressed::Suppressed;
use super::timeline::Timeline;
use super::transfers::Transfers;

/// Everything that the logs of one run show.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Report {
    /// The counts of the last line.
    pub summary: Summary,
    /// One for each log, in their order.
    pub processes: Vec<Process>,
    /// The comparison of several processes.
    pub ranks: Ranks,
    /// Findings, including leaks, most severe first.
    pub findings: Vec<Finding>,
    /// Blocks that were never released.
    pub leaks: Leaks,
    /// The layout of device memory.
    pub fragmentation: Fragmentation,
    /// Allocations refused for lack of memory.
    pub autopsies: Vec<OomReport>,
    /// Allocation sites and their cost.
    pub allocations: Allocations,
    /// Transfers between host and devices.
    pub transfers: Transfers,
    /// Live bytes over time.
    pub timeline: Timeline,
    /// What the program reported about itself.
    pub annotations: Annotations,
    /// Counts.
    pub metrics: Metrics,
    /// What suppressions removed.
    pub suppressed: Suppressed,
    /// The quality of the evidence.
    #[serde(rename = "self")]
    pub own: EvidenceQuality,
}

impl Report {
    /// All findings, each followed by its consequences.
    pub fn each_finding(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().flat_map(Finding::each)
    }

    /// Recomputes the summary. Consequences are not counted.
    pub fn summarize(&mut self) {
        let count = |severity| {
            let alike = self.findings.iter().filter(|f| f.severity == severity);
            alike.count() as u64
        };
        self.summary = Summary {
            errors: count(Severity::Error),
            warnings: Some(count(Severity::Warning)),
            notes: Some(count(Severity::Note)),
            leaked_bytes: self.leaks.bytes,
            leaked_blocks: self.leaks.blocks,
            unknown_origin: self.metrics.unknown_origin.pointers,
            dropped: self.own.dropped_events,
        };
    }
}

/// The counts of the last line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// Distinct findings that are errors.
    pub errors: u64,
    /// Distinct findings that are warnings. `None`, like the next, if only some rules ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<u64>,
    /// Distinct findings that are notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<u64>,
    /// Bytes never released.
    pub leaked_bytes: u64,
    /// Blocks never released.
    pub leaked_blocks: u64,
    /// Releases of pointers whose allocation was not seen.
    pub unknown_origin: u64,
    /// Events that could not be recorded.
    pub dropped: u64,
}

impl Default for Summary {
    fn default() -> Self {
        Self {
            errors: 0,
            warnings: Some(0),
            notes: Some(0),
            leaked_bytes: 0,
            leaked_blocks: 0,
            unknown_origin: 0,
            dropped: 0,
        }
    }
}
