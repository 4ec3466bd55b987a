//! Chrome's trace events, for Perfetto and `chrome://tracing`: a counter of live bytes by family, findings as instants.

use serde_json::{Value, json};

use crate::model::Report;

/// The document. Times are microseconds from each process's start.
pub fn document(report: &Report) -> Value {
    let mut events = Vec::new();
    for process in &report.processes {
        events.push(json!({
            "ph": "M", "pid": process.pid, "tid": 0, "name": "process_name", "args": { "name": process.arguments },
        }));
    }
    for line in &report.timeline.processes {
        for point in &line.points {
            let live = report.timeline.families.iter().zip(point.live);
            let used = live.filter(|(family, _)| is_used(report, line.pid, family));
            let args: serde_json::Map<String, Value> = used
                .map(|(family, bytes)| ((*family).to_owned(), bytes.into()))
                .collect();
            events.push(json!({
                "ph": "C", "pid": line.pid, "tid": 0, "ts": micros(point.ns), "name": "live bytes", "args": args,
            }));
        }
    }
    for finding in &report.findings {
        events.push(json!({
            "ph": "I", "pid": finding.pid, "tid": finding.thread, "ts": micros(finding.first_ns), "s": "p",
            "name": format!("{}: {}", finding.severity.name(), finding.rule),
            "args": { "message": finding.message, "count": finding.count },
        }));
    }
    json!({ "displayTimeUnit": "ms", "traceEvents": events })
}

fn is_used(report: &Report, pid: u32, family: &str) -> bool {
    let mut families = report.metrics.families.iter();
    families.any(|used| used.pid == pid && used.family == family)
}

fn micros(ns: u64) -> f64 {
    ns as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FamilyUse, LINES, Line, Point, Timeline};

    #[test]
    fn families_that_were_used_are_counters() {
        let mut live = [0; LINES];
        live[0] = 4096;
        let report = Report {
            timeline: Timeline {
                families: vec!["device", "pinned host"],
                processes: vec![Line {
                    pid: 42,
                    points: vec![Point { ns: 1500, live }],
                }],
            },
            ..Report::default()
        };
        let mut report = report;
        report.metrics.families = vec![FamilyUse {
            pid: 42,
            family: "device",
            ..FamilyUse::default()
        }];
        assert_eq!(
            document(&report)["traceEvents"][0],
            json!({ "ph": "C", "pid": 42, "tid": 0, "ts": 1.5, "name": "live bytes", "args": { "device": 4096 } })
        );
    }
}
