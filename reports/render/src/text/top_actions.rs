//! What to do first: the few actions with the most to gain.

use std::io;

use super::writer::TextWriter;
use crate::model::{Finding, Report};
use crate::units::{bytes, counted};
use aclsan_rules::evidence::rule::Severity;

/// Maximum number of lines.
const MAX_ACTIONS: usize = 3;

/// Three lines: errors other than leaks, then leaks, then the rest, each ordered by gain.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let lines = lines(report);
    if lines.is_empty() {
        return Ok(());
    }
    writer.title("What to do first")?;
    for (number, line) in (1..).zip(lines) {
        writer.line(&format!("  {number}. {line}"))?;
    }
    Ok(())
}

/// The lines without their numbers.
pub fn lines(report: &Report) -> Vec<String> {
    let mut list: Vec<(&Finding, u64)> = report
        .findings
        .iter()
        .filter(|finding| !finding.instead.is_empty())
        .map(|finding| (finding, gain(report, finding)))
        .collect();
    list.sort_by_key(|(finding, gain)| {
        let is_leak = finding.rule.starts_with("leak");
        // An overwritten byte corrupts results; a leaked one costs memory.
        let rank = match finding.severity {
            Severity::Error => u8::from(is_leak),
            Severity::Warning => 2,
            Severity::Note => 3,
        };
        (rank, std::cmp::Reverse((*gain, finding.count)))
    });
    // One line per rule first: the second leak has the same fix as the first.
    let mut chosen: Vec<&(&Finding, u64)> = Vec::new();
    for candidate in &list {
        if chosen.iter().all(|known| known.0.rule != candidate.0.rule) {
            chosen.push(candidate);
        }
    }
    let more = list
        .iter()
        .filter(|one| !chosen.iter().any(|known| std::ptr::eq(*known, *one)));
    let more: Vec<_> = more.collect();
    chosen.extend(more);
    let lines = chosen.into_iter().take(MAX_ACTIONS);
    lines
        .map(|(finding, gain)| {
            let at = finding.stacks.here.caller_label();
            let gain = match gain {
                0 => counted(finding.count, "time"),
                bytes_ => bytes(*bytes_),
            };
            format!("{} at {at} ({gain}): {}", finding.rule, finding.instead)
        })
        .collect()
}

/// Bytes that the fix would free.
fn gain(report: &Report, finding: &Finding) -> u64 {
    let of_site = |fingerprint: &str| {
        let sites = report.leaks.sites.iter();
        sites
            .filter(|site| site.fingerprint == fingerprint)
            .map(|site| site.bytes)
            .fold(0, u64::saturating_add)
    };
    match finding.rule {
        "leak-growing" => (finding.growth).map_or(0, |growth| {
            growth.last_bytes.saturating_sub(growth.first_bytes)
        }),
        rule if rule.starts_with("leak") => of_site(&finding.fingerprint),
        "page-class-waste" => {
            let here = &finding.stacks.here.frames;
            let sites = report.allocations.sites.iter();
            let slack = sites
                .filter(|site| site.allocated.frames == *here)
                .filter_map(|site| site.slack);
            slack.map(|slack| slack.lost()).max().unwrap_or(0)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::report;
    use aclsan_rules::judge::registry::rule;

    fn finding(name: &str, count: u64, severity: Severity) -> Finding {
        Finding {
            rule: rule(name).expect("a rule").name,
            severity,
            count,
            fingerprint: format!("{name}-{count}"),
            instead: format!("do without {name}"),
            ..report().findings[0].clone()
        }
    }

    #[test]
    fn errors_come_before_leaks_the_larger_before_the_smaller_and_one_of_each_rule_first() {
        use Severity::{Error, Note, Warning};
        let mut all = report();
        all.leaks.sites.clear();
        all.findings = vec![
            finding("never-used", 9000, Note),
            finding("leak-growing", 1, Warning),
            finding("leak", 1, Error),
            finding("leak", 2, Error),
            finding("double-free", 3, Error),
            finding("double-free", 4, Error),
        ];
        let rules = |report: &Report| -> Vec<String> {
            let lines = lines(report).into_iter();
            lines
                .map(|line| line.split(" at ").next().unwrap_or("").to_owned())
                .collect()
        };
        // One line per rule: errors, then leaks, then warnings; the note and the second finding of a rule have to wait.
        assert_eq!(rules(&all), ["double-free", "leak", "leak-growing"]);
        // The most frequent finding represents its rule.
        assert!(lines(&all)[0].contains("(4 times)"), "{:?}", lines(&all));

        // Two rules leave one line for the second leak.
        all.findings
            .retain(|one| one.rule != "leak-growing" && one.rule != "never-used");
        assert_eq!(rules(&all), ["double-free", "leak", "double-free"]);
        all.findings.retain(|one| one.rule == "leak");
        assert_eq!(rules(&all), ["leak", "leak"]);
        all.findings.clear();
        assert_eq!(lines(&all), [""; 0]);
    }
}
