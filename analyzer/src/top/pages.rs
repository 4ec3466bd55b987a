//! The pages of `top` besides the table: a site, findings, help.

use aclsan_render::model::Trace;
use aclsan_render::units;
use ratatui::text::Line;

use super::look::Look;
use super::short;
use crate::io::language::localized;
use crate::watch::state::{AGES, Detail, Finding, State};

/// A site's page.
pub fn site(detail: &Detail, look: Look) -> Vec<Line<'static>> {
    let mut lines = vec![Line::styled(
        format!("{} {}", localized("allocated by"), detail.trace.function),
        look.title(),
    )];
    lines.extend(stack(&detail.trace));
    let (count, [half, most, all]) = detail.lifetimes;
    lines.push(Line::from(""));
    lines.push(Line::from(match count {
        0 => localized("none of its blocks was released"),
        _ => {
            let [half, most, all] = [half, most, all].map(short::duration);
            let blocks = units::counted(count, "released block");
            localized(&format!(
                "{blocks} lived {half} at the median, {most} at the 90th percentile, {all} at most"
            ))
        }
    }));
    lines.push(Line::from(""));
    lines.push(Line::styled(localized("live blocks by age"), look.title()));
    let most = detail
        .ages
        .iter()
        .map(|(blocks, _)| *blocks)
        .max()
        .unwrap_or(0);
    for (at, (blocks, bytes)) in detail.ages.iter().enumerate() {
        let name = match AGES.get(at) {
            Some(&below) => format!("< {}", short::duration(below * 1_000_000_000)),
            None => ">= 1h00m".to_owned(),
        };
        let bar = (*blocks * 30).checked_div(most).unwrap_or(0) as usize;
        let bar = "#".repeat(bar.max(usize::from(*blocks > 0)));
        let bytes = short::bytes(*bytes);
        lines.push(Line::from(format!(
            "{name:>9} {blocks:>8} {bytes:>7} {bar}"
        )));
    }
    lines.push(Line::from(""));
    lines.push(Line::styled(
        localized("the largest live blocks"),
        look.title(),
    ));
    for (address, bytes, age, thread, name) in &detail.blocks {
        let (bytes, age) = (short::bytes(*bytes), short::duration(*age));
        let name = name.as_deref().map(units::printable).unwrap_or_default();
        let thread = localized(&format!("thread {thread}"));
        lines.push(Line::from(format!(
            "{address:>#16x} {bytes:>7} {age:>7} {thread} {name}"
        )));
    }
    lines
}

fn stack(trace: &Trace) -> Vec<Line<'static>> {
    let own = trace.frames.iter().filter(|frame| frame.is_own());
    let frames: Vec<_> = own.collect();
    let frames = match frames.is_empty() {
        true => trace.frames.iter().collect(),
        false => frames,
    };
    let mut lines: Vec<Line> = Vec::new();
    for (number, frame) in frames.into_iter().enumerate() {
        let place = match (&frame.file, frame.line) {
            (Some(file), Some(line)) => format!(" {file}:{line}"),
            (Some(file), None) => format!(" {file}"),
            _ => String::new(),
        };
        let text = format!("  #{number} {}{place}", frame.name());
        lines.push(Line::from(units::printable(&text)));
    }
    if let Some(source) = &trace.source {
        for (line, text) in (source.first..).zip(&source.lines) {
            let mark = if line == source.line { '>' } else { ' ' };
            let text = format!("  {mark}{line:>5} | {text}");
            lines.push(Line::from(units::printable(&text)));
        }
    }
    lines
}

/// A finding in one line; its message is cut where the line ends.
pub fn finding(found: &Finding, look: Look) -> Line<'static> {
    let text = format!("{}: {}", place(found), localized(&found.message));
    Line::styled(units::printable(&text), look.of_severity(found.severity))
}

fn place(found: &Finding) -> String {
    let times = match found.times {
        1 => String::new(),
        times => format!(" ({times}x)"),
    };
    let severity = localized(found.severity);
    let when = short::duration(found.first_ns);
    format!("{when} {severity}: {} {}{times}", found.rule, found.place)
}

/// The findings' page.
pub fn findings(state: &State, look: Look) -> Vec<Line<'static>> {
    let own = state.findings.iter().filter(|found| !found.is_consequence);
    let lines = own.flat_map(|found| {
        let message = format!("    {}", localized(&found.message));
        let style = look.of_severity(found.severity);
        [
            Line::styled(units::printable(&place(found)), style),
            Line::from(units::printable(&message)),
        ]
    });
    let lines: Vec<Line> = lines.collect();
    match lines.is_empty() {
        true => vec![Line::from(localized(
            "no findings so far; leaks are judged when a program ends",
        ))],
        false => lines,
    }
}

/// Columns of the keys' names.
pub const KEYS: usize = 10;

/// The keys.
pub fn help() -> Vec<Line<'static>> {
    let lines = [
        "arrows, PgUp, PgDn  move through the table",
        "Enter     the stack of a site, its blocks, lifetimes and ages",
        "s, r      sort by the next column; reverse",
        "f         fold by site, function, file, module, thread, epoch, family, pool, device, process",
        "/         search in names and stacks; Esc ends the search",
        "m, d      mark a moment; show what changed since",
        "e         export: folded stacks, a profile for pprof, or the report's page",
        "Tab       findings",
        "q         leave; the program runs on",
        "",
        "GROWTH is what is added a minute: ? is not sure yet, ! is very sure.",
        "Nothing here is a leak yet: what is live may still be released.",
    ];
    lines.map(|line| Line::from(localized(line))).into()
}
