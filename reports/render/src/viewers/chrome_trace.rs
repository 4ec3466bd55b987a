//! Chrome trace events for Perfetto and `chrome://tracing`: a counter of live bytes by family, findings as instants.
//!
//! Viewers put all events of one process number on one track. Processes whose number is not unique, in containers or after an `exec`, get an
//! unused number, and their names say which they are.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::model::{Process, Report};

/// Above any Linux process number (`PID_MAX_LIMIT`).
const FREE: u32 = 1 << 22;

/// The document. Times are microseconds from each process's start.
pub fn document(report: &Report) -> Value {
    let mut events = Vec::new();
    let pids = tracks(&report.processes);
    let names = Process::names(&report.processes);
    for ((process, pid), name) in report.processes.iter().zip(&pids).zip(names) {
        let name = match Process::is_apart(&name) {
            true => format!("{name}: {}", process.arguments),
            false => process.arguments.clone(),
        };
        events.push(json!({
            "ph": "M", "pid": pid, "tid": 0, "name": "process_name", "args": { "name": name },
        }));
    }
    for (at, (line, pid)) in report.timeline.processes.iter().zip(&pids).enumerate() {
        for point in &line.points {
            let live = report.timeline.families.iter().zip(point.live);
            let used = live.filter(|(family, _)| is_used(report, at, family));
            let args: serde_json::Map<String, Value> = used
                .map(|(family, bytes)| ((*family).to_owned(), bytes.into()))
                .collect();
            events.push(json!({
                "ph": "C", "pid": pid, "tid": 0, "ts": micros(point.ns), "name": "live bytes", "args": args,
            }));
        }
    }
    for finding in &report.findings {
        let first = finding.met.first().and_then(|met| pids.get(met.process));
        events.push(json!({
            "ph": "I", "pid": first, "tid": finding.thread, "ts": micros(finding.first_ns), "s": "p",
            "name": format!("{}: {}", finding.severity.name(), finding.rule),
            "args": { "message": finding.message, "count": finding.count },
        }));
    }
    json!({ "displayTimeUnit": "ms", "traceEvents": events })
}

/// A unique number for each process: its own, if no other process has it.
fn tracks(all: &[Process]) -> Vec<u32> {
    let taken: HashSet<u32> = all.iter().map(|process| process.pid).collect();
    let mut free = (FREE..).filter(|pid| !taken.contains(pid));
    let names = Process::names(all).into_iter().zip(all);
    let own = |(name, process): (String, &Process)| match Process::is_apart(&name) {
        true => free.next().unwrap_or(process.pid),
        false => process.pid,
    };
    names.map(own).collect()
}

fn is_used(report: &Report, process: usize, family: &str) -> bool {
    let mut families = report.metrics.families.iter();
    families.any(|used| used.process == process && used.family == family)
}

fn micros(ns: u64) -> f64 {
    ns as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FamilyUse, Finding, LINES, Line, Occurrence, Point};
    use crate::testing;

    /// Processes with one point each, of 4096 bytes times their index from 1.
    fn report(all: &[(u32, &str)]) -> Report {
        let mut report = Report::default();
        report.timeline.families = vec!["device", "pinned host"];
        for (process, &(pid, host)) in all.iter().enumerate() {
            report.processes.push(Process {
                pid,
                host: host.to_owned(),
                arguments: "train".to_owned(),
                ..Process::default()
            });
            let mut live = [0; LINES];
            live[0] = 4096 * (process as u64 + 1);
            report.timeline.processes.push(Line {
                pid,
                process,
                points: vec![Point { ns: 1500, live }],
            });
            report.metrics.families.push(FamilyUse {
                pid,
                process,
                family: "device",
                ..FamilyUse::default()
            });
        }
        report
    }

    fn name(pid: u32, name: &str) -> Value {
        json!({ "ph": "M", "pid": pid, "tid": 0, "name": "process_name", "args": { "name": name } })
    }

    fn live(pid: u32, bytes: u64) -> Value {
        json!({ "ph": "C", "pid": pid, "tid": 0, "ts": 1.5, "name": "live bytes", "args": { "device": bytes } })
    }

    #[test]
    fn families_that_were_used_are_counters() {
        assert_eq!(
            document(&report(&[(42, "vm")]))["traceEvents"],
            json!([name(42, "train"), live(42, 4096)])
        );
    }

    #[test]
    fn processes_of_one_number_have_a_track_each() {
        let mut report = report(&[(7, "vm"), (8, "vm"), (7, "vm"), (FREE, "pod"), (7, "pod")]);
        report.metrics.families[4].family = "pinned host";
        let finding = Finding {
            pid: 7,
            met: vec![Occurrence {
                process: 2,
                first_ns: 0,
            }],
            ..testing::report().findings[0].clone()
        };
        report.findings = vec![finding];
        let events = document(&report)["traceEvents"].clone();
        // A process may have the number `FREE` itself.
        let [first, second, third] = [FREE + 1, FREE + 2, FREE + 3];
        let mut pinned = live(third, 0);
        pinned["args"] = json!({ "pinned host": 0 });
        let of_processes = json!([
            name(first, "7@vm#1: train"),
            name(8, "train"),
            name(second, "7@vm#2: train"),
            name(FREE, "train"),
            name(third, "7@pod: train"),
            live(first, 4096),
            live(8, 2 * 4096),
            live(second, 3 * 4096),
            live(FREE, 4 * 4096),
            pinned,
        ]);
        let of_processes = of_processes.as_array().expect("a list");
        let (counters, findings) = events.as_array().expect("a list").split_at(10);
        assert_eq!(counters, of_processes);
        assert_eq!((findings.len(), &findings[0]["pid"]), (1, &second.into()));
    }
}
