//! Prometheus' text format for the node exporter's textfile collector: the totals of one run, as gauges.
//!
//! A file must contain each series only once, or the collector rejects it as a whole. Processes have the label `pid`. Those with the same
//! number, in containers or after an `exec`, also have `host` if the log contains it, and those that share both have `log`, which counts
//! them from 1 in the order of the logs.

use std::fmt::Write;

use aclsan_rules::evidence::rule::Severity;

use crate::model::{Process, Report};
use crate::units::printable;

/// The document.
pub fn document(report: &Report) -> String {
    let of_process = labels(report);
    let label = |process: usize, pid: u32| match of_process.get(process) {
        Some(labels) => labels.clone(),
        None => format!("pid=\"{pid}\""),
    };
    let mut text = String::new();
    let mut gauge = |name: &str, help: &str, samples: &[(String, u64)]| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
        for (labels, value) in samples {
            let _ = writeln!(text, "{name}{labels} {value}");
        }
    };
    let findings = [Severity::Error, Severity::Warning, Severity::Note].map(|severity| {
        let alike = report
            .findings
            .iter()
            .filter(|finding| finding.severity == severity);
        (
            format!("{{severity=\"{}\"}}", severity.name()),
            alike.count() as u64,
        )
    });
    gauge("aclsan_findings", "Different findings.", &findings);
    let plain = |value| [(String::new(), value)];
    gauge(
        "aclsan_leaked_bytes",
        "Bytes that nobody released.",
        &plain(report.leaks.bytes),
    );
    gauge(
        "aclsan_leaked_blocks",
        "Blocks that nobody released.",
        &plain(report.leaks.blocks),
    );
    gauge(
        "aclsan_dropped_events",
        "Events that could not be recorded.",
        &plain(report.own.dropped_events),
    );
    let devices = report.metrics.devices.iter();
    let peaks: Vec<_> = devices
        .map(|device| {
            (
                format!(
                    "{{{},device=\"{}\"}}",
                    label(device.process, device.pid),
                    device.device
                ),
                device.peak_bytes,
            )
        })
        .collect();
    gauge(
        "aclsan_device_peak_bytes",
        "Most bytes live at once on a device.",
        &peaks,
    );
    let families = report.metrics.families.iter();
    let allocated: Vec<_> = families
        .map(|used| {
            (
                format!(
                    "{{{},family=\"{}\"}}",
                    label(used.process, used.pid),
                    used.family
                ),
                used.allocated_bytes,
            )
        })
        .collect();
    gauge(
        "aclsan_allocated_bytes",
        "Bytes allocated in all.",
        &allocated,
    );
    text
}

/// Unique labels for each process.
fn labels(report: &Report) -> Vec<String> {
    let all = Process::apart(&report.processes).into_iter().map(|apart| {
        let mut labels = format!("pid=\"{}\"", apart.pid);
        if let Some(host) = apart.host {
            let _ = write!(labels, ",host=\"{}\"", escaped(host));
        }
        if let Some(nth) = apart.nth {
            let _ = write!(labels, ",log=\"{nth}\"");
        }
        labels
    });
    all.collect()
}

/// Escapes `text` for a label value.
fn escaped(text: &str) -> String {
    printable(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DeviceUse, FamilyUse};
    use crate::testing::report;

    #[test]
    fn every_sample_stands_below_its_help_and_type() {
        let text = document(&report());
        assert!(text.contains("# TYPE aclsan_findings gauge\naclsan_findings{severity=\"error\"} 1\naclsan_findings{severity=\"warning\"} 0\naclsan_findings{severity=\"note\"} 1\n"));
        assert!(text.contains("\naclsan_leaked_bytes 0\n"));
        assert!(text.ends_with('\n'));
    }

    #[test]
    fn processes_of_one_number_have_a_series_each() {
        let mut report = report();
        let all = [
            (6, "node1"),
            (6, "a\"\\"),
            (6, "node1"),
            (7, "node1"),
            (8, ""),
            (8, ""),
        ];
        let process = |(pid, host): (u32, &str)| Process {
            pid,
            host: host.to_owned(),
            ..Process::default()
        };
        report.processes = all.map(process).to_vec();
        for (process, (pid, _)) in all.into_iter().enumerate() {
            report.metrics.devices.push(DeviceUse {
                pid,
                process,
                peak_bytes: process as u64,
                ..DeviceUse::default()
            });
            report.metrics.families.push(FamilyUse {
                pid,
                process,
                family: "device",
                ..FamilyUse::default()
            });
        }
        let text = document(&report);
        let series = text
            .lines()
            .filter_map(|line| line.strip_prefix("aclsan_device_peak_bytes"));
        let wanted = [
            "{pid=\"6\",host=\"node1\",log=\"1\",device=\"0\"} 0",
            "{pid=\"6\",host=\"a\\\"\\\\\",device=\"0\"} 1",
            "{pid=\"6\",host=\"node1\",log=\"2\",device=\"0\"} 2",
            "{pid=\"7\",device=\"0\"} 3",
            "{pid=\"8\",log=\"1\",device=\"0\"} 4",
            "{pid=\"8\",log=\"2\",device=\"0\"} 5",
        ];
        assert_eq!(series.collect::<Vec<_>>(), wanted);
        assert!(text.contains(
            "aclsan_allocated_bytes{pid=\"6\",host=\"node1\",log=\"2\",family=\"device\"} 0\n"
        ));
    }
}
