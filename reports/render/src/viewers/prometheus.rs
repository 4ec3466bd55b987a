//! Prometheus' text, for the node exporter's textfile collector: what one run came to, as gauges.

use std::fmt::Write;

use aclsan_rules::Severity;

use crate::model::Report;

/// The document.
pub fn document(report: &Report) -> String {
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
                format!("{{pid=\"{}\",device=\"{}\"}}", device.pid, device.device),
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
                format!("{{pid=\"{}\",family=\"{}\"}}", used.pid, used.family),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ci::testing::report;

    #[test]
    fn every_sample_stands_below_its_help_and_type() {
        let text = document(&report());
        assert!(text.contains("# TYPE aclsan_findings gauge\naclsan_findings{severity=\"error\"} 1\naclsan_findings{severity=\"warning\"} 0\naclsan_findings{severity=\"note\"} 1\n"));
        assert!(text.contains("\naclsan_leaked_bytes 0\n"));
        assert!(text.ends_with('\n'));
    }
}
