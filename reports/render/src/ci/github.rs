//! GitHub: annotations on changed lines, and a Markdown summary of the step.
//!
//! A step shows ten errors, ten warnings and ten notices; the rest is only in the summary.

use std::fmt::Write;

use aclsan_rules::evidence::rule::Severity;

use super::Sources;
use crate::model::{Finding, Leaks, Report};
use crate::text::summary;
use crate::totals;
use crate::units::bytes;

/// Annotations of each kind that a step shows.
const SHOWN: usize = 10;
/// Maximum rows of the summary's table; GitHub accepts a summary of at most 1 MiB.
const ROWS: usize = 500;

/// Workflow commands for standard output, one per line. Findings that are `known` to a baseline get none, because they do not fail the
/// check. `apart` are the reasons for failure that are not findings.
pub fn annotations(
    report: &Report,
    sources: &Sources,
    known: impl Fn(&Finding) -> bool,
    apart: &[String],
) -> String {
    let alone = |reason: &String| format!("::error title=aclsan::{}\n", data(reason));
    let mut lines: String = apart.iter().map(alone).collect();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let alike = report
            .findings
            .iter()
            .filter(|finding| finding.severity == severity && !known(finding));
        for finding in alike.take(SHOWN) {
            lines.push_str(&annotation(finding, &report.leaks, sources));
        }
    }
    lines
}

fn annotation(finding: &Finding, leaks: &Leaks, sources: &Sources) -> String {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = sources
        .place(finding)
        .map(|place| format!("file={},line={},", property(&place.file), place.line));
    format!(
        "::{command} {}title={}::{}\n",
        place.unwrap_or_default(),
        property(&format!("aclsan: {}", finding.rule)),
        data(&super::text(finding, leaks))
    )
}

/// Escapes the message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// The summary of the step. If there was a check, `reasons` say why it failed, if it did.
pub fn markdown(report: &Report, reasons: Option<&[String]>, sources: &Sources) -> String {
    let mut page = String::from("## aclsan\n\n");
    match reasons {
        None => {}
        Some([]) => page.push_str("The check passed.\n"),
        Some(_) => page.push_str("The check failed:\n\n"),
    }
    let reasons = reasons.into_iter().flatten();
    reasons.for_each(|reason| page.push_str(&format!("* {}\n", cell(reason))));
    let _ = writeln!(page, "\n`{}`", summary(report));
    if !report.findings.is_empty() {
        page.push_str("\n| severity | rule | what | where | times |\n|---|---|---|---|---:|\n");
    }
    for finding in report.findings.iter().take(ROWS) {
        let place = sources
            .place(finding)
            .map(|place| format!("`{}:{}`", place.file, place.line));
        // The count has its own column; the amount has none.
        let what = match report.leaks.of(finding) {
            Some(_) => totals::message_with_total(finding, &report.leaks),
            None => finding.message.clone(),
        };
        let _ = writeln!(
            page,
            "| {} | `{}` | {} | {} | {} |",
            finding.severity.name(),
            finding.rule,
            cell(&what),
            cell(&place.unwrap_or_default()),
            finding.count
        );
    }
    if report.findings.len() > ROWS {
        let _ = writeln!(
            page,
            "\n{} more findings are in the log.",
            report.findings.len() - ROWS
        );
    }
    if report.leaks.bytes > 0 {
        let _ = writeln!(
            page,
            "\n{} leaked in {} blocks.",
            bytes(report.leaks.bytes),
            report.leaks.blocks
        );
    }
    page
}

/// Escapes a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::super::sources;
    use super::*;
    use crate::testing::*;

    #[test]
    fn an_annotation_is_at_its_line_and_escapes_what_would_end_it() {
        let lines = annotations(&report(), &sources(), |_| false, &[]);
        let lines: Vec<&str> = lines.lines().collect();
        assert!(lines[0].starts_with(
            "::error file=train.cpp,line=42,title=aclsan%3A double-free::`aclrtFree` released a block twice: 100%25 <wrong>; 2 times%0Ain `aclrtFree`:%0A"
        ), "{}", lines[0]);
        assert!(lines[1].starts_with("::notice title=aclsan%3A free-null::"));
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn what_a_baseline_knows_is_no_annotation() {
        let is_known = |finding: &Finding| finding.rule == "double-free";
        let lines = annotations(&report(), &sources(), is_known, &[]);
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(lines.contains("free-null"), "{lines}");
    }

    #[test]
    fn a_reason_without_a_line_is_an_annotation_of_the_step() {
        let lines = annotations(
            &Report::default(),
            &sources(),
            |_| false,
            &["40% of 1".to_owned()],
        );
        assert_eq!(lines, "::error title=aclsan::40%25 of 1\n");
    }

    #[test]
    fn more_than_a_step_shows_are_left_to_the_summary() {
        let mut report = report();
        report.findings = vec![report.findings[0].clone(); SHOWN + 1];
        assert_eq!(
            annotations(&report, &sources(), |_| false, &[])
                .lines()
                .count(),
            SHOWN
        );
        assert_eq!(
            markdown(&report, None, &sources())
                .matches("`double-free`")
                .count(),
            SHOWN + 1
        );
    }

    #[test]
    fn the_summary_says_why_the_check_failed_and_escapes_its_cells() {
        let page = markdown(&report(), Some(&["a | b".to_owned()]), &sources());
        assert!(page.contains("* a \\| b\n"));
        assert!(page.contains("| error | `double-free` | `aclrtFree` released a block twice: 100% &lt;wrong> | `train.cpp:42` | 2 |\n"));
        assert!(page.contains("| note | `free-null` |"));
    }

    #[test]
    fn a_leak_is_reported_with_its_sum_and_what_is_found_often_with_its_count() {
        let lines = annotations(&leaky(), &sources(), |_| false, &[]);
        assert!(lines.contains(&format!("{IN_ALL}%0A")), "{lines}");
        let page = markdown(&leaky(), None, &sources());
        assert!(page.contains(&format!("{IN_ALL} | `train.cpp:42` | 2 |")));
        let often = annotations(&report(), &sources(), |_| false, &[]);
        assert!(often.contains(" <wrong>; 2 times%0A"), "{often}");
    }
}
