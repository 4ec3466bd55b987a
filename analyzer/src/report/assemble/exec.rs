//! Processes that became another program by `exec`: their logs have no end mark, although nothing killed them.

use aclsan_render::Report;
use aclsan_render::model::{EndKind, Process};

use crate::replay::NO_END;

/// Detail of their leaks, in place of [`NO_END`].
const BECAME_ANOTHER: &str = "the log ends where the process went on as another program";

/// Marks such processes in `report`, which belong to `runs`, and the findings that they had first.
///
/// Within one `aclsan run` process numbers do not repeat while it has a usual number of processes. Logs without a run are not marked: in a
/// container, a process restarted after a kill has the number of its predecessor.
pub fn mark(report: &mut Report, runs: &[Option<String>]) {
    let all = &report.processes;
    let went_on: Vec<Option<String>> = (0..all.len())
        .map(|at| Some(all[successor(all, runs, at)?].log.clone()))
        .collect();
    for finding in &mut report.findings {
        let first = finding.met.first();
        let has = first.is_some_and(|met| matches!(went_on.get(met.process), Some(Some(_))));
        let consequences = finding.consequences.iter_mut();
        let further = consequences.flat_map(|other| &mut other.details);
        let details = finding.details.iter_mut().chain(further);
        for detail in details.filter(|_| has) {
            if detail == NO_END {
                BECAME_ANOTHER.clone_into(detail);
            }
        }
    }
    for (process, log) in report.processes.iter_mut().zip(went_on) {
        if let Some(log) = log {
            process.went_on = log;
            process.end.kind = EndKind::Exec;
        }
    }
}

/// Index of the same process's next log, if one begins after the log at `at` ends.
fn successor(all: &[Process], runs: &[Option<String>], at: usize) -> Option<usize> {
    let (one, run) = (&all[at], runs.get(at)?.as_ref()?);
    if one.is_complete || one.end.death.is_some() {
        return None;
    }
    let end = one.started_realtime_ns.saturating_add(one.duration_ns);
    let is_later = |other: &usize| {
        let process = &all[*other];
        *other != at
            && (process.pid, &process.host, &process.parent) == (one.pid, &one.host, &one.parent)
            && runs.get(*other).and_then(Option::as_ref) == Some(run)
            && process.started_realtime_ns >= end
    };
    let later = (0..all.len()).filter(is_later);
    later.min_by_key(|other| all[*other].started_realtime_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, started: u64, duration: u64, is_complete: bool) -> Process {
        Process {
            pid,
            log: format!("{pid}-{started}"),
            started_realtime_ns: started,
            duration_ns: duration,
            is_complete,
            ..Process::default()
        }
    }

    /// What each process became, given their runs.
    fn reported(processes: Vec<Process>, runs: &[Option<&str>]) -> Vec<String> {
        let mut report = Report {
            processes,
            ..Report::default()
        };
        let runs = runs.iter().map(|run| run.map(str::to_owned));
        mark(&mut report, &runs.collect::<Vec<_>>());
        let all = report.processes.into_iter();
        all.map(|process| process.went_on).collect()
    }

    #[test]
    fn the_next_log_of_the_same_process_and_run_is_its_own() {
        // Twice: the first became the third (at 30), and the third the second (at 50).
        let all = vec![
            process(7, 10, 5, false),
            process(7, 50, 5, true),
            process(7, 30, 5, false),
            process(8, 60, 5, false),
        ];
        assert_eq!(reported(all, &[Some("a"); 4]), ["7-30", "", "7-50", ""]);
    }

    #[test]
    fn what_another_process_could_explain_is_not_marked() {
        let two = |second| vec![process(7, 10, 5, false), second];
        let later = || process(7, 30, 5, true);
        let none = ["", ""];
        assert_eq!(reported(two(later()), &[Some("a"), Some("b")]), none);
        assert_eq!(reported(two(later()), &[None, None]), none);
        // They ran at the same time, as in two containers.
        assert_eq!(
            reported(two(process(7, 12, 5, true)), &[Some("a"); 2]),
            none
        );
        let elsewhere = Process {
            host: "other".to_owned(),
            ..later()
        };
        assert_eq!(reported(two(elsewhere), &[Some("a"); 2]), none);
        let ended = vec![process(7, 10, 5, true), later()];
        assert_eq!(reported(ended, &[Some("a"); 2]), none);
    }
}
