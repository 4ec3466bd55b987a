//! Findings and leaks as rows: they read without the script, which only sorts and filters them.

use aclsan_rules::words::{self, Spot};

use super::cells::{class, named, site, size, stack};
use super::escape::{escape, shortened};
use super::messages::{message, sentence};
use crate::Report;
use crate::model::{BlockLifetimes, Finding, LeakSite, Leaks, Process, Trace};
use crate::totals;
use crate::units::duration;

/// Rows of a table at most.
pub const ROWS_MOST: usize = 500;

/// A table, and how many rows it lacks.
pub struct Table {
    /// The markup.
    pub html: String,
    /// Rows that found no room.
    pub left_out: usize,
}

fn table(
    head: &[(&str, bool)],
    name: &str,
    rows: impl Iterator<Item = String>,
    room: usize,
) -> Table {
    let mut html = format!("<table id=\"{name}\"><thead><tr>");
    for (key, is_number) in head {
        let class = if *is_number { " class=\"n\"" } else { "" };
        html.push_str(&format!("<th{class} scope=\"col\">{}</th>", message(key)));
    }
    html.push_str("</tr></thead><tbody>");
    let mut left_out = 0;
    for (number, row) in rows.enumerate() {
        // From the first row that has no room on: a list with gaps would mislead.
        match left_out == 0 && number < ROWS_MOST && html.len() + row.len() <= room {
            true => html.push_str(&row),
            false => left_out += 1,
        }
    }
    html.push_str("</tbody></table>\n");
    Table { html, left_out }
}

/// Every finding, leaks among them, the worst first.
pub fn findings(report: &Report, room: usize) -> Table {
    let head = [
        ("severity", false),
        ("rule", false),
        ("what", false),
        ("where", false),
        ("times", true),
        ("when", true),
        ("process", true),
    ];
    let names = Process::names(&report.processes);
    let rows = report.findings.iter().enumerate();
    table(
        &head,
        "findings",
        rows.map(|(at, finding)| finding_row(at, finding, &report.leaks, &names)),
        room,
    )
}

fn finding_row(at: usize, finding: &Finding, leaks: &Leaks, names: &[String]) -> String {
    let severity = finding.severity.name();
    let mut about = stack("here", &finding.stacks.here);
    for earlier in &finding.stacks.earlier {
        about.push_str(&stack(label(earlier.what), earlier));
    }
    let spot = finding.block.as_ref().map(|block| Spot {
        start: block.address,
        size: block.size,
        offset: block.offset as u64,
        family: block.family,
        device: block.device,
    });
    let place = finding.address.map(|address| words::place(address, spot));
    let all = leaks.of(finding);
    let all = all.and_then(|site| totals::leak_total(site, totals::process_count));
    let lines = all.into_iter().chain(place);
    let lines = lines.chain(finding.details.iter().cloned());
    let lines = lines.chain(words::advice(
        finding.rule,
        &finding.runtime,
        &finding.instead,
    ));
    let lines: Vec<String> = lines.map(|line| sentence(line.trim())).collect();
    format!(
        "<tr id=\"finding-{at}\" class=\"{severity}\" {} data-begin=\"{}\" data-end=\"{}\">\
         <td><b class=\"tag\">{}</b></td><td><code>{}</code></td>\
         <td><details><summary>{}</summary><p class=\"lines\">{}</p>{about}</details></td>\
         <td>{}</td><td class=\"n\">{}</td><td class=\"n\" data-value=\"{}\">{}</td><td class=\"n\">{}</td></tr>\n",
        whose(finding.met.iter().map(|met| met.process)),
        finding.first_ns,
        finding.last_ns,
        message(severity),
        escape(finding.rule),
        sentence(&finding.message),
        lines.join("<br>"),
        site(&finding.stacks.here),
        finding.count,
        finding.first_ns,
        duration(finding.first_ns),
        who(
            names,
            finding.pid,
            finding.met.iter().map(|met| met.process)
        ),
    )
}

/// Every place whose blocks were never released, the most bytes first.
pub fn leaks(report: &Report, lives: &[BlockLifetimes], room: usize) -> Table {
    let head = [
        ("bytes", true),
        ("blocks", true),
        ("family", false),
        ("device", true),
        ("allocated-at", false),
        ("class", false),
        ("age", true),
        ("process", true),
    ];
    let of = |leak: &LeakSite| lives.get(*leak.processes.first()?);
    let names = Process::names(&report.processes);
    let rows = report.leaks.sites.iter();
    table(
        &head,
        "leaks",
        rows.map(|leak| leak_row(leak, of(leak), &names)),
        room,
    )
}

fn leak_row(leak: &LeakSite, lives: Option<&BlockLifetimes>, names: &[String]) -> String {
    let duration_ns = lives.map_or(0, |lives| lives.duration_ns);
    let trace = lives.and_then(|lives| position(&lives.traces, &leak.allocated));
    // Of a block that a reset took back the age counts to that reset: the allocation lies no later than this.
    let (begin, end) = (
        if leak.is_reclaimed {
            0
        } else {
            duration_ns.saturating_sub(leak.oldest_ns)
        },
        duration_ns.saturating_sub(leak.youngest_ns),
    );
    let called: Vec<String> = leak
        .names
        .iter()
        .map(|name| escape(&shortened(name)))
        .collect();
    let called = match called.is_empty() {
        true => String::new(),
        false => format!(
            "<p class=\"lines\">{} {}</p>",
            message("named"),
            called.join(", ")
        ),
    };
    let fate = match leak.is_reclaimed {
        true => format!("<p class=\"lines\">{}</p>", message("reclaimed")),
        false => String::new(),
    };
    format!(
        "<tr {} data-begin=\"{begin}\" data-end=\"{end}\" data-stack=\"{}\">\
         <td class=\"n\" data-value=\"{}\"><b>{}</b><small>{}</small></td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td>\
         <td><details><summary>{}</summary>{fate}{called}{}</details></td><td>{}</td>\
         <td class=\"n\" data-value=\"{}\">{}</td><td class=\"n\">{}</td></tr>\n",
        whose(leak.processes.iter().copied()),
        trace.map_or(-1, |at| at as i64),
        leak.bytes,
        size(leak.bytes),
        if leak.bytes < 10 << 10 {
            String::new()
        } else {
            leak.bytes.to_string()
        },
        leak.blocks,
        escape(leak.family),
        leak.device,
        site(&leak.allocated),
        stack("allocated-by", &leak.allocated),
        class(leak.class),
        leak.oldest_ns,
        duration(leak.oldest_ns),
        who(names, leak.pid, leak.processes.iter().copied()),
    )
}

fn position(traces: &[Trace], wanted: &Trace) -> Option<usize> {
    traces
        .iter()
        .position(|trace| trace.function == wanted.function && trace.frames == wanted.frames)
}

/// Whose row it is: the process that the row's times are of, and the others, by their places in the report.
fn whose(mut processes: impl Iterator<Item = usize>) -> String {
    let Some(first) = processes.next() else {
        return String::new();
    };
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for process in processes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == process => *last = process,
            _ => runs.push((process, process)),
        }
    }
    // Hundreds of ranks that did the same are one run.
    let runs: Vec<String> = runs.iter().map(|(a, b)| format!("{a}-{b}")).collect();
    match runs.is_empty() {
        true => format!("data-process=\"{first}\""),
        false => format!("data-process=\"{first}\" data-also=\"{}\"", runs.join(" ")),
    }
}

/// The first process, and how many more there are.
fn who(names: &[String], pid: u32, mut processes: impl Iterator<Item = usize>) -> String {
    let first = named(names, processes.next().unwrap_or(usize::MAX), pid);
    match processes.count() {
        0 => first,
        more => format!("{first} +{more}"),
    }
}

fn label(what: &str) -> &'static str {
    match what {
        "allocated" => "allocated-by",
        "released" => "released-by",
        "reset" => "reset-by",
        _ => "before-that",
    }
}

#[cfg(test)]
mod tests {
    use super::whose;

    #[test]
    fn others_are_told_in_runs() {
        let told = |all: &[usize]| whose(all.iter().copied());
        assert_eq!(told(&[]), "");
        assert_eq!(told(&[3]), "data-process=\"3\"");
        assert_eq!(
            told(&[0, 1, 2, 3, 7, 9, 10]),
            "data-process=\"0\" data-also=\"1-3 7-7 9-10\""
        );
    }
}
