//! The head of the page: the verdict, and when, where and how the run was recorded.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::ends::ends;
use super::escape::{Name, Text};
use super::messages::message;
use crate::Report;
use crate::model::Process;
use crate::units::date;

/// The verdict, and one entry for each fact that a log has.
pub fn head(report: &Report) -> Markup {
    let processes = &report.processes;
    let started = processes.iter().map(|process| process.started_realtime_ns);
    let started = started.filter(|&ns| ns > 0).min();
    type Fact = fn(&Process) -> &str;
    let facts: [(&str, Fact); 4] = [
        ("host", |process| &process.host),
        ("soc", |process| &process.soc),
        ("cann", |process| &process.cann_version),
        ("driver", |process| &process.driver_version),
    ];
    html! {
        div #about {
            (verdict(report))
            (ends(report))
            dl {
                @if let Some(ns) = started { div { dt { (message("date")) } dd { (date(ns)) } } }
                @for (key, of) in facts { (fact(key, processes.iter().map(|one| of(one).to_owned()))) }
                (fact("options", processes.iter().map(options)))
                @if processes.len() > 1 { div { dt { (message("processes")) } dd { (processes.len()) } } }
            }
        }
    }
}

/// The distinct values of all processes; nothing if no log has one.
fn fact(key: &str, values: impl Iterator<Item = String>) -> Markup {
    let all: BTreeSet<String> = values.filter(|value| !value.is_empty()).collect();
    let others = all.len().saturating_sub(1);
    match all.first() {
        None => html! {},
        Some(first) => html! {
            div {
                dt { (message(key)) }
                dd { (Name(first)) @if others > 0 { " +" (others) } }
            }
        },
    }
}

/// The options that a person chose: without those by which `aclsan run` finds its logs again.
fn options(process: &Process) -> String {
    const OWN: [&str; 3] = ["log_path=", "run_id=", "run_logs="];
    let all = process.options.split(':');
    let chosen = all.filter(|option| !OWN.iter().any(|own| option.starts_with(own)));
    chosen.collect::<Vec<_>>().join(":")
}

/// What came of the run, in one sentence.
fn verdict(report: &Report) -> Markup {
    let summary = &report.summary;
    let has = |severity| {
        report
            .findings
            .iter()
            .any(|one| one.severity.name() == severity)
    };
    let has_died = report
        .processes
        .iter()
        .any(|process| process.end.death.is_some());
    let (class, key) = match () {
        () if summary.errors > 0 => ("error", "verdict-errors"),
        () if has("warning") => ("warning", "verdict-warnings"),
        () if has_died => ("error", "verdict-died"),
        () if has("note") => ("note", "verdict-notes"),
        () if !report.own.is_complete() => ("warning", "verdict-unsure"),
        () => ("good", "verdict-clean"),
    };
    html! { p.verdict.(class) { (message(key)) } }
}

/// The programs' command lines: the first, and the number of others.
pub fn program(report: &Report) -> Markup {
    let all: BTreeSet<&str> = report
        .processes
        .iter()
        .map(|process| process.arguments.as_str())
        .collect();
    let first = report.processes.first();
    let first = first.map_or("", |process| process.arguments.as_str());
    html! { (Text(first)) @if all.len() > 1 { " +" (all.len() - 1) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::report;

    #[test]
    fn the_head_has_what_logs_know_and_nothing_else() {
        let mut report = report();
        let process = |host: &str| Process {
            host: host.to_owned(),
            options: "guard=page:run_id=18eb".to_owned(),
            started_realtime_ns: 1_795_561_925_000_000_000,
            ..Process::default()
        };
        report.processes = vec![process("b"), process("a")];
        let html = head(&report).into_string();
        assert!(html.contains("<dd>2026-11-24 23:12:05 UTC</dd>"), "{html}");
        assert!(html.contains("<dd>a +1</dd>") && html.contains("<dd>guard=page</dd>"));
        assert!(!html.contains("data-t=\"driver\"") && !html.contains("data-t=\"soc\""));
        assert!(html.contains("verdict error"), "{html}");
    }

    #[test]
    fn a_verdict_is_only_clean_if_the_log_is_whole() {
        let mut report = Report::default();
        assert!(verdict(&report).0.contains("verdict-clean"));
        report.own.dropped_events = 1;
        assert!(verdict(&report).0.contains("verdict-unsure"));
    }
}
