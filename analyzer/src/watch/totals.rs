//! Sums over processes that are not shown one by one any more: what they counted stays counted.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Counters of processes together. They only grow.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    /// How many processes.
    pub processes: u64,
    /// Blocks allocated and released, by family.
    pub families: BTreeMap<&'static str, (u64, u64)>,
    /// Calls, and those that the runtime refused.
    pub calls: (u64, u64),
    /// Events that could not be recorded.
    pub lost: u64,
    /// Occurrences of findings, by rule and severity. Those that follow from others are not counted.
    pub findings: BTreeMap<(&'static str, &'static str), u64>,
    /// Occurrences of findings that suppressions cover.
    pub suppressed: u64,
}

impl Totals {
    /// As JSON.
    pub fn json(&self) -> Value {
        let families = self.families.iter().map(|(family, blocks)| {
            json!({ "family": family, "allocations": blocks.0, "releases": blocks.1 })
        });
        let findings = self.findings.iter().map(|((rule, severity), times)| {
            json!({ "rule": rule, "severity": severity, "count": times })
        });
        json!({
            "processes": self.processes,
            "families": families.collect::<Vec<_>>(),
            "calls": self.calls.0,
            "refused_calls": self.calls.1,
            "lost_events": self.lost,
            "findings": findings.collect::<Vec<_>>(),
            "suppressed_findings": self.suppressed,
        })
    }
}
