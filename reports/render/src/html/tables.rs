//! Findings and leaks as rows, readable without the script, which only sorts and filters them.

use aclsan_rules::evidence::message;
use aclsan_rules::evidence::message::BlockPosition;
use maud::{Markup, html};

use super::cells::{NEWLINE, class, named, site, size, stack};
use super::escape::{Name, Text};
use super::messages::{english, message, sentence};
use crate::Report;
use crate::model::{BlockLifetimes, Finding, LeakSite, Leaks, Process, Trace};
use crate::totals;
use crate::units::duration;

/// Maximum rows of a table.
pub const MAX_ROWS: usize = 500;

/// A table, and the number of rows left out.
pub struct Table {
    /// The markup.
    pub html: String,
    /// Rows that did not fit.
    pub left_out: usize,
}

/// A section with the rows that fit into `room`. Without rows there is no section.
fn table(
    head: &[(&str, bool)],
    name: &str,
    rows: impl ExactSizeIterator<Item = Markup>,
    room: usize,
) -> Table {
    if rows.len() == 0 {
        return Table {
            html: String::new(),
            left_out: 0,
        };
    }
    let head = html! {
        thead {
            tr {
                @for &(key, is_number) in head {
                    th class=[is_number.then_some("n")] scope="col" { (message(key)) }
                }
            }
        }
    };
    let (mut body, mut left_out) = (html! {}, 0);
    for (number, row) in rows.enumerate() {
        // Stops at the first row that does not fit: a list with gaps would mislead.
        let bytes = head.0.len() + body.0.len() + row.0.len();
        match left_out == 0 && number < MAX_ROWS && bytes <= room {
            true => body.0.push_str(&row.0),
            false => left_out += 1,
        }
    }
    let table = html! {
        section.panel {
            h2 data-t=(name) { (english(name)) }
            div.bar hidden { input type="search" data-of=(name) data-hint="filter"; output data-of=(name) {} }
            div.scroll { table id=(name) { (head) tbody { (body) } } }
        }
        (NEWLINE)
    };
    Table {
        html: table.into_string(),
        left_out,
    }
}

/// Every finding, including leaks, most severe first.
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
    let head = &head[..head.len() - usize::from(names.len() == 1)];
    let rows = report.findings.iter().enumerate();
    table(
        head,
        "findings",
        rows.map(|(at, finding)| finding_row(at, finding, &report.leaks, &names)),
        room,
    )
}

fn finding_row(at: usize, finding: &Finding, leaks: &Leaks, names: &[String]) -> Markup {
    let severity = finding.severity.name();
    let spot = finding.block.as_ref().map(|block| BlockPosition {
        start: block.address,
        size: block.size,
        offset: block.offset as u64,
        family: block.family,
        device: block.device,
    });
    let place = finding.address.map(|address| message::place(address, spot));
    let site_of = leaks.position(finding);
    let all = site_of.map(|at| &leaks.sites[at]);
    let all = all.and_then(|site| totals::leak_total(site, totals::process_count));
    let lines = all.into_iter().chain(place);
    let lines = lines.chain(finding.details.iter().cloned());
    let lines = lines.chain(message::advice(
        finding.rule,
        &finding.runtime,
        &finding.instead,
    ));
    let processes = || finding.met.iter().map(|occurrence| occurrence.process);
    let (process, also) = process_attributes(processes());
    html! {
        tr id={ "finding-" (at) } class=(severity) data-process=[process] data-also=[also]
            data-begin=(finding.first_ns) data-end=(finding.last_ns)
            data-block=[finding.block.as_ref().map(|block| block.address)] {
            td { b.tag { (message(severity)) } }
            td { code { (Name(finding.rule)) } }
            td {
                details {
                    summary { (sentence(&finding.message)) }
                    p.lines {
                        @for (number, line) in lines.enumerate() {
                            @if number > 0 { br; }
                            (sentence(line.trim()))
                        }
                    }
                    p.links {
                        (go("timeline"))
                        @if finding.block.is_some() { (go("map")) }
                        @if let Some(at) = leak_of(leaks, finding).filter(|&at| at < MAX_ROWS) {
                            a href={ "#leak-" (at) } { (message("go-leak")) }
                        }
                    }
                    (stack("here", &finding.stacks.here))
                    @for earlier in &finding.stacks.earlier { (stack(label(earlier.what), earlier)) }
                    @if !finding.consequences.is_empty() { (consequences(&finding.consequences)) }
                }
            }
            td { (site(&finding.stacks.here)) }
            td.n { (finding.count) }
            td.n data-value=(finding.first_ns) { (duration(finding.first_ns)) }
            @if names.len() != 1 { td.n { (process_label(names, finding.pid, processes())) } }
        }
        (NEWLINE)
    }
}

/// A finding and what follows from it.
fn about(finding: &Finding) -> impl Iterator<Item = &Finding> {
    std::iter::once(finding).chain(&finding.consequences)
}

/// The index of the leak that a finding or what follows from it is about.
fn leak_of(leaks: &Leaks, finding: &Finding) -> Option<usize> {
    about(finding).find_map(|finding| leaks.position(finding))
}

/// What follows from a finding, folded.
fn consequences(all: &[Finding]) -> Markup {
    html! {
        details {
            summary { (message("consequences")) " (" (all.len()) ")" }
            @for other in all {
                p.lines {
                    b.tag { (message(other.severity.name())) } " " code { (Text(other.rule)) } " "
                    (sentence(&other.message))
                    @for detail in &other.details { br; (sentence(detail.trim())) }
                }
                (stack("here", &other.stacks.here))
            }
        }
    }
}

/// Every allocation site with leaked blocks, most bytes first.
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
    let head = &head[..head.len() - usize::from(report.processes.len() == 1)];
    let of = |leak: &LeakSite| lives.get(*leak.processes.first()?);
    let names = Process::names(&report.processes);
    let finding = |leak: &LeakSite| {
        let mut findings = report.findings.iter();
        let at = findings.position(|finding| {
            about(finding).any(|finding| finding.fingerprint == leak.fingerprint)
        })?;
        (at < MAX_ROWS).then_some(at)
    };
    let rows = report.leaks.sites.iter().enumerate();
    table(
        head,
        "leaks",
        rows.map(|(at, leak)| leak_row((at, finding(leak)), leak, of(leak), &names)),
        room,
    )
}

/// A button that shows a row's moment on the timeline, or its block on the map.
fn go(to: &str) -> Markup {
    html! { button type="button" data-go=(to) { (message(if to == "map" { "go-map" } else { "go-timeline" })) } " " }
}

/// A row with its index and that of the finding about it.
fn leak_row(
    (at, finding): (usize, Option<usize>),
    leak: &LeakSite,
    lives: Option<&BlockLifetimes>,
    names: &[String],
) -> Markup {
    let duration_ns = lives.map_or(0, |lives| lives.duration_ns);
    let trace = lives.and_then(|lives| position(&lives.traces, &leak.allocated));
    // The age of a block reclaimed by a reset ends at that reset, so the allocation is no later than this.
    let (begin, end) = (
        if leak.is_reclaimed {
            0
        } else {
            duration_ns.saturating_sub(leak.oldest_ns)
        },
        duration_ns.saturating_sub(leak.youngest_ns),
    );
    let (process, also) = process_attributes(leak.processes.iter().copied());
    html! {
        tr id={ "leak-" (at) } data-process=[process] data-also=[also] data-begin=(begin) data-end=(end)
            data-stack=(trace.map_or(-1, |at| at as i64)) {
            td.n data-value=(leak.bytes) {
                b { (size(leak.bytes)) }
                small { @if leak.bytes >= 10 << 10 { (leak.bytes) } }
            }
            td.n { (leak.blocks) }
            td { (Text(leak.family)) }
            td.n { (leak.device) }
            td {
                details {
                    summary { (site(&leak.allocated)) }
                    @if leak.is_reclaimed { p.lines { (message("reclaimed")) } }
                    @if !leak.names.is_empty() {
                        p.lines {
                            (message("named")) " "
                            @for (number, name) in leak.names.iter().enumerate() {
                                @if number > 0 { ", " }
                                (Text(name))
                            }
                        }
                    }
                    p.links {
                        @if trace.is_some() { (go("timeline")) (go("map")) }
                        @if let Some(at) = finding { a href={ "#finding-" (at) } { (message("go-finding")) } }
                    }
                    (stack("allocated-by", &leak.allocated))
                }
            }
            td { (class(leak.class)) }
            td.n data-value=(leak.oldest_ns) { (duration(leak.oldest_ns)) }
            @if names.len() != 1 {
                td.n { (process_label(names, leak.pid, leak.processes.iter().copied())) }
            }
        }
        (NEWLINE)
    }
}

fn position(traces: &[Trace], wanted: &Trace) -> Option<usize> {
    traces
        .iter()
        .position(|trace| trace.function == wanted.function && trace.frames == wanted.frames)
}

/// The processes of a row, by index in the report: the one to which the row's times belong, and ranges of the others.
fn process_attributes(
    mut processes: impl Iterator<Item = usize>,
) -> (Option<usize>, Option<String>) {
    let first = processes.next();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for process in processes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == process => *last = process,
            _ => runs.push((process, process)),
        }
    }
    // Hundreds of ranks with the same finding are one range.
    let runs: Vec<String> = runs.iter().map(|(a, b)| format!("{a}-{b}")).collect();
    (first, (!runs.is_empty()).then(|| runs.join(" ")))
}

/// The first process, and the number of others.
fn process_label(names: &[String], pid: u32, mut processes: impl Iterator<Item = usize>) -> Markup {
    let first = named(names, processes.next().unwrap_or(usize::MAX), pid);
    match processes.count() {
        0 => first,
        more => html! { (first) " +" (more) },
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
    use super::process_attributes;

    #[test]
    fn others_are_reported_in_runs() {
        let attributes = |all: &[usize]| process_attributes(all.iter().copied());
        assert_eq!(attributes(&[]), (None, None));
        assert_eq!(attributes(&[3]), (Some(3), None));
        let runs = Some("1-3 7-7 9-10".to_owned());
        assert_eq!(attributes(&[0, 1, 2, 3, 7, 9, 10]), (Some(0), runs));
    }
}
