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

/// Everything that one or several logs of one run tell.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Report {
    /// How much was found.
    pub summary: Summary,
    /// One for each log, in the order of the logs.
    pub processes: Vec<Process>,
    /// Several processes beside each other.
    pub ranks: Ranks,
    /// Findings, leaks among them, the worst first.
    pub findings: Vec<Finding>,
    /// Blocks that nobody released.
    pub leaks: Leaks,
    /// How device memory was cut up.
    pub fragmentation: Fragmentation,
    /// Allocations that were refused for want of memory.
    pub autopsies: Vec<OomReport>,
    /// Who allocates, and what it costs.
    pub allocations: Allocations,
    /// Bytes between host and devices, and how they went.
    pub transfers: Transfers,
    /// Live bytes over time.
    pub timeline: Timeline,
    /// What the program told about itself.
    pub annotations: Annotations,
    /// Counts.
    pub metrics: Metrics,
    /// What was found and is known.
    pub suppressed: Suppressed,
    /// What aclsan knows about the quality of its own evidence.
    #[serde(rename = "self")]
    pub own: EvidenceQuality,
}

impl Report {
    /// Counts anew what the last line says.
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

/// What the last line says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// Different findings that are errors.
    pub errors: u64,
    /// Different findings that are warnings. `None`, like the next, where not all of them were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<u64>,
    /// Different findings that are notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<u64>,
    /// Bytes that nobody released.
    pub leaked_bytes: u64,
    /// Blocks that nobody released.
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
