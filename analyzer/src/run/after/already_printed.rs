//! Findings that the shim printed while the program ran: the final report names them without repeating them.

use std::io;

use aclsan_render::Report;
use aclsan_render::model::{Finding, Name, Site};
use aclsan_render::text::TextWriter;
use aclsan_rules::judge::registry::rule;

/// Removes findings of live rules from `report`. Its totals stay.
pub fn take(report: &mut Report) -> Vec<Finding> {
    let findings = std::mem::take(&mut report.findings);
    let is_live = |finding: &Finding| rule(finding.rule).is_some_and(|rule| rule.is_live);
    let (reported, rest) = findings.into_iter().partition(is_live);
    report.findings = rest;
    reported
}

/// Writes one line per finding.
///
/// # Errors
/// Those of the page.
pub fn write(reported: &[Finding], page: &mut TextWriter) -> io::Result<()> {
    if reported.is_empty() {
        return Ok(());
    }
    page.title("Reported above, as they happened (`aclsan report` repeats them)")?;
    let width = reported.iter().map(|finding| finding.rule.len()).max();
    let width = width.unwrap_or(0);
    for finding in reported {
        page.turn_to(finding.pid);
        page.line(&format!(
            "  {:7} {:>6}  {:width$}  {}",
            finding.severity.name(),
            format!("{}×", finding.count),
            finding.rule,
            place(&finding.site),
        ))?;
        let is_live = |other: &&Finding| rule(other.rule).is_some_and(|rule| rule.is_live);
        for late in finding.consequences.iter().filter(|other| !is_live(other)) {
            page.consequence(late)?;
        }
    }
    Ok(())
}

/// Function, file and line, as far as known.
fn place(site: &Site) -> String {
    let name = |path: &Option<Name>| {
        let path = path.as_deref()?;
        path.rsplit('/').next().map(str::to_owned)
    };
    let function = site.function.as_deref().unwrap_or("an unknown function");
    match (name(&site.file), site.line) {
        (Some(file), Some(line)) => format!("{function} ({file}:{line})"),
        _ => match name(&site.module) {
            Some(module) => format!("{function} ({module})"),
            None => function.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_says_as_much_as_is_known() {
        let mut site = Site {
            function: Some("main".into()),
            file: Some("/src/app.c".into()),
            line: Some(7),
            module: Some("/bin/app".into()),
        };
        assert_eq!(place(&site), "main (app.c:7)");
        site.line = None;
        assert_eq!(place(&site), "main (app)");
        assert_eq!(place(&Site::default()), "an unknown function");
    }
}
