//! GitLab: the code quality report, shown in merge requests.

use aclsan_rules::evidence::rule::Severity;
use serde_json::{Value, json};

use super::Sources;
use crate::model::Report;
use crate::totals;

/// The report. GitLab requires a file and line for each entry, so findings outside the sources are omitted; they are in the job's output.
pub fn document(report: &Report, sources: &Sources) -> Value {
    let findings = report.findings.iter().filter_map(|finding| {
        let place = sources.place(finding)?;
        let severity = match finding.severity {
            Severity::Error => "critical",
            Severity::Warning => "minor",
            Severity::Note => "info",
        };
        Some(json!({
            "description": totals::message_with_total(finding, &report.leaks),
            "check_name": format!("aclsan/{}", finding.rule),
            "fingerprint": finding.fingerprint,
            "severity": severity,
            "location": { "path": place.file, "lines": { "begin": place.line } },
        }))
    });
    findings.collect()
}

#[cfg(test)]
mod tests {
    use super::super::sources;
    use super::*;
    use crate::testing::*;

    #[test]
    fn what_has_a_line_in_the_sources_is_reported_and_nothing_else() {
        let document = document(&report(), &sources());
        assert_eq!(document.as_array().unwrap().len(), 1);
        assert_eq!(
            document[0]["location"],
            json!({ "path": "train.cpp", "lines": { "begin": 42 } })
        );
        assert_eq!(document[0]["check_name"], "aclsan/double-free");
        assert_eq!(document[0]["severity"], "critical");
    }

    #[test]
    fn a_leak_is_reported_with_its_sum() {
        let document = document(&leaky(), &sources());
        let description = document[0]["description"].as_str().unwrap();
        assert!(description.ends_with(IN_ALL), "{description}");
    }
}
