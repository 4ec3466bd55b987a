//! The table before the findings: one line for each, what it is, where, and what to do.

use std::io;

use aclsan_frames::{display_in, width};
use aclsan_rules::evidence::rule::Severity;

use super::writer::TextWriter;
use crate::model::{Finding, Leaks, Report};
use crate::units::{bytes, counted};

/// Columns of a function's name.
const MAX_NAME: usize = 40;
/// Blanks between columns.
const GAP: &str = "  ";

/// Where a finding comes in a report: mistakes, leaks, facts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// What the program did wrong.
    Mistake,
    /// What it never released.
    Leak,
    /// Facts, after findings and leaks.
    Fact,
}

impl Group {
    /// The group of a finding.
    pub fn of(finding: &Finding) -> Self {
        match finding.severity {
            Severity::Note => Self::Fact,
            _ if finding.rule.starts_with("leak") => Self::Leak,
            _ => Self::Mistake,
        }
    }
}

/// The findings of a report in the order of its text: by group, then the most severe, then the largest leak first.
pub fn ordered(report: &Report) -> Vec<&Finding> {
    let mut all: Vec<&Finding> = report.findings.iter().collect();
    all.sort_by_cached_key(|finding| {
        let leaked = report.leaks.of(finding).map_or(0, |site| site.bytes);
        let most = std::cmp::Reverse((finding.severity, leaked));
        (Group::of(finding), most)
    });
    all
}

/// The table; nothing for a single finding that follows anyway. `is_apart`: some findings do not follow, as they were printed before.
pub fn write(report: &Report, is_apart: bool, writer: &mut TextWriter) -> io::Result<()> {
    let all = ordered(report);
    if all.is_empty() || all.len() == 1 && !is_apart {
        return Ok(());
    }
    let shown = writer.shown(all.len());
    let rows: Vec<Row> = all[..shown]
        .iter()
        .map(|finding| Row::of(finding, &report.leaks, writer))
        .collect();
    writer.gap()?;
    write_rows(&rows, writer)?;
    match all.len() - shown {
        0 => Ok(()),
        more => writer.line(&format!(
            "  {} more: `--limit 0` shows all",
            counted(more as u64, "finding")
        )),
    }
}

struct Row {
    severity: Severity,
    /// How often, or how much leaked.
    amount: String,
    rule: &'static str,
    place: String,
    advice: String,
}

impl Row {
    fn of(finding: &Finding, leaks: &Leaks, writer: &TextWriter) -> Self {
        let amount = match leaks.of(finding) {
            Some(site) => writer.sums(&bytes(site.bytes)),
            None => format!("{}×", finding.count),
        };
        Self {
            severity: finding.severity,
            amount,
            rule: finding.rule,
            place: place(finding),
            advice: finding.instead.clone(),
        }
    }
}

/// Function, file and line, as far as known.
fn place(finding: &Finding) -> String {
    let Some(frame) = finding.stacks.here.caller() else {
        return String::new();
    };
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let name = frame.label.as_deref().or(frame.function.as_deref());
    let name = name.map(|name| display_in(name, MAX_NAME));
    let place = match (&frame.file, frame.line) {
        (Some(file), Some(line)) => format!("{}:{line}", last(file)),
        _ => frame.module_name().to_owned(),
    };
    match name {
        Some(name) => format!("{name} ({place})"),
        None => place,
    }
}

fn write_rows(rows: &[Row], writer: &mut TextWriter) -> io::Result<()> {
    let amounts: Vec<String> = rows
        .iter()
        .map(|row| writer.translate(&row.amount))
        .collect();
    let widest = |texts: &mut dyn Iterator<Item = &str>| texts.map(width).max().unwrap_or(0);
    let severity = widest(&mut rows.iter().map(|row| row.severity.name()));
    let amount = widest(&mut amounts.iter().map(String::as_str));
    let rule = widest(&mut rows.iter().map(|row| row.rule));
    let place = widest(&mut rows.iter().map(|row| row.place.as_str()));
    let before = 2 + severity + amount + rule + 3 * GAP.len();
    let left = writer
        .width()
        .map(|all| all.saturating_sub(before + place + GAP.len()));
    let advices: Vec<String> = rows
        .iter()
        .map(|row| writer.translate(&row.advice))
        .collect();
    // A line of its own where most advice would be cut.
    let is_apart = left.is_some_and(|left| {
        let cut = advices.iter().filter(|advice| width(advice) > left);
        cut.count() * 2 > advices.len()
    });
    for ((row, text), advice) in rows.iter().zip(&amounts).zip(&advices) {
        let blank = |columns: usize, text: &str| " ".repeat(columns.saturating_sub(width(text)));
        let name = row.severity.name();
        let start = format!(
            "  {name}{}{GAP}{}{text}{GAP}{}{}{GAP}",
            blank(severity, name),
            blank(amount, text),
            row.rule,
            blank(rule, row.rule),
        );
        if is_apart {
            let room = |indent: usize| writer.width().map(|all| all.saturating_sub(indent));
            let [place, advice] = [cut(&row.place, room(before)), cut(advice, room(4))];
            writer.marked(row.severity, &format!("{start}{place}"))?;
            if !advice.is_empty() {
                writer.raw(&format!("    {advice}"))?;
            }
        } else {
            let gap = blank(place, &row.place);
            let advice = cut(advice, left);
            writer.marked(
                row.severity,
                &format!("{start}{}{gap}{GAP}{advice}", row.place),
            )?;
        }
    }
    Ok(())
}

/// `text`, cut where it does not fit.
fn cut(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns.filter(|&columns| width(text) > columns) else {
        return text.to_owned();
    };
    let mut used = 1; // the ellipsis
    let fitting = text.chars().take_while(|c| {
        used += width(c.encode_utf8(&mut [0; 4]));
        used <= columns
    });
    let fitting: String = fitting.collect();
    format!("{}…", fitting.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finding, report};
    use crate::text::Style;

    fn several() -> Report {
        let mut all = report();
        let mut note = finding(Severity::Note);
        note.rule = "never-used";
        let mut leak = finding(Severity::Error);
        leak.rule = "leak-registration";
        let mut mistake = finding(Severity::Error);
        mistake.rule = "double-free";
        mistake.count = 12;
        mistake.instead =
            "release a block once, and set the pointer to NULL where it is released".to_owned();
        all.findings = vec![note, leak, mistake];
        all
    }

    fn rendered(report: &Report, width: Option<u16>) -> String {
        let style = Style {
            width,
            ..Style::default()
        };
        let mut text = Vec::new();
        let mut writer = TextWriter::new(&mut text, style, 7);
        write(report, false, &mut writer).expect("into memory");
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn mistakes_come_first_then_leaks_then_facts() {
        let all = several();
        let rules = ordered(&all).into_iter().map(|finding| finding.rule);
        assert_eq!(
            rules.collect::<Vec<_>>(),
            ["double-free", "leak-registration", "never-used"]
        );
    }

    #[test]
    fn a_row_is_a_line_that_ends_with_what_to_do_and_fits() {
        let all = several();
        let wide = rendered(&all, None);
        assert_eq!(wide.lines().count(), 3, "{wide}");
        assert!(wide.starts_with("  error  12×  double-free "), "{wide}");
        assert!(
            wide.contains("set the pointer to NULL where it is released\n"),
            "{wide}"
        );
        for columns in [72, 80, 100, 160] {
            let text = rendered(&all, Some(columns));
            let widest = text.lines().map(width).max().unwrap_or(0);
            assert!(widest <= columns.into(), "{columns}: {text}");
            assert!(text.contains("release a block once"), "{columns}: {text}");
        }
    }

    #[test]
    fn a_single_finding_needs_no_table() {
        let mut one = several();
        one.findings.truncate(1);
        assert_eq!(rendered(&one, None), "");
    }
}
