//! Processes that did not end by themselves, before everything else on the page.

use maud::{Markup, html};

use super::cells::{self, row, site, stack};
use super::escape::{Name, Text};
use super::messages::{message, sentence};
use crate::Report;
use crate::model::{Death, EndKind, Process, ProcessEnd};
use crate::units::{bytes, counted, duration};

/// Processes that are shown; the others are counted.
const MAX_PROCESSES: usize = 4;

/// One paragraph for each process, with its stack and last calls.
pub fn ends(report: &Report) -> Markup {
    let names = Process::names(&report.processes);
    let all = report.processes.iter().zip(&names);
    let dead: Vec<_> = all
        .filter_map(|(process, name)| Some((&process.end, process.end.death.as_deref()?, name)))
        .collect();
    let is_one = report.processes.len() == 1;
    let more = dead.len().saturating_sub(MAX_PROCESSES);
    html! {
        @for (end, death, name) in dead.iter().take(MAX_PROCESSES) {
            (one(end, death, (!is_one).then_some(name.as_str())))
        }
        @if more > 0 { p { (more) " " (message("more-ends")) } }
    }
}

fn one(end: &ProcessEnd, death: &Death, name: Option<&str>) -> Markup {
    let live = format!(
        "live then: {} in {}, no leak",
        bytes(death.live_bytes),
        counted(death.live_blocks, "block")
    );
    html! {
        section.end {
            p.verdict.error[end.kind != EndKind::Detached] {
                (sentence(&end.message))
                @if let Some(name) = name { " " small { (message("process")) " " (Text(name)) } }
            }
            @if end.kind == EndKind::Signal {
                @if let Some(thread) = &death.thread_name { p { (message("thread")) " " (Name(thread)) } }
                (stack("died-at", &death.stack))
            }
            @if !matches!(end.kind, EndKind::Halt | EndKind::Detached) { (calls(death)) }
            @if death.live_blocks > 0 { p { (sentence(&live)) } }
        }
    }
}

fn calls(death: &Death) -> Markup {
    let rows = death.calls.iter().map(|call| {
        let before = duration(death.ns.saturating_sub(call.ns));
        let status = match (&call.status_name, call.status) {
            (_, 0) => String::new(),
            (Some(name), _) => name.clone(),
            (None, status) => status.to_string(),
        };
        row![
            sentence(&format!("{before} before")),
            Name(&call.called.function),
            site(&call.called),
            html! { (call.thread) },
            Text(&status),
        ]
    });
    let head = ["when", "call", "where", "thread", "answer"];
    cells::table("last-calls", &head, rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LastCall, Trace};
    use crate::testing::report;

    #[test]
    fn a_process_that_died_says_so_with_its_last_calls() {
        let mut report = report();
        assert_eq!(ends(&report).into_string(), "");
        let called = Trace {
            function: "aclrtFree".to_owned(),
            ..Trace::default()
        };
        let end = ProcessEnd {
            kind: EndKind::Signal,
            message: "the process died by SIGSEGV: nothing is mapped at 0x10".to_owned(),
            death: Some(Box::new(Death {
                signal: 11,
                ns: 5_000,
                calls: vec![LastCall {
                    ns: 2_000,
                    called,
                    ..LastCall::default()
                }],
                live_blocks: 2,
                live_bytes: 1024,
                ..Death::default()
            })),
        };
        report.processes = vec![Process {
            end,
            ..Process::default()
        }];
        let page = ends(&report).into_string();
        for part in ["died by SIGSEGV", "aclrtFree", "no leak", "data-zh"] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
