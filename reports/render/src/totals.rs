//! Totals that a finding's message lacks if several occurrences were merged: it has the numbers of the first.

use crate::model::{Finding, LeakSite, Leaks};
use crate::units::{bytes, counted};

/// Total bytes and blocks of a merged site, and what was merged; `None` if nothing was. `processes` formats indices of processes.
pub fn leak_total(site: &LeakSite, processes: impl Fn(&[usize]) -> String) -> Option<String> {
    if site.alike < 2 {
        return None;
    }
    let numbers = format!("{} in {}", bytes(site.bytes), counted(site.blocks, "block"));
    Some(match site.processes.len() {
        0 | 1 => format!("{numbers} in all, from calls of one line"),
        _ => format!("{numbers} in all, alike in {}", processes(&site.processes)),
    })
}

/// A number of processes. It does not name them, because their names change from run to run.
pub fn process_count<T>(processes: &[T]) -> String {
    counted(processes.len() as u64, "process")
}

/// The finding's message and its total.
pub fn message_with_total(finding: &Finding, leaks: &Leaks) -> String {
    let message = &finding.message;
    let all = match leaks.of(finding) {
        Some(site) => leak_total(site, process_count),
        None => match (finding.count, finding.pids.len()) {
            (0 | 1, _) => None,
            (times, 0 | 1) => Some(counted(times, "time")),
            (times, _) => Some(format!(
                "{} in {}",
                counted(times, "time"),
                process_count(&finding.pids)
            )),
        },
    };
    match all {
        Some(all) => format!("{message}; {all}"),
        None => message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{finding, leaking};
    use aclsan_rules::evidence::rule::Severity;

    #[test]
    fn a_leak_of_several_calls_reports_their_sum() {
        let (leak, leaks) = leaking(&[1, 1]);
        assert_eq!(
            message_with_total(&leak, &leaks),
            "1 block, 2097152 bytes, was never released; 4.0 MiB in 2 blocks in all, from calls of one line"
        );
        let (leak, leaks) = leaking(&[1, 2, 3]);
        assert_eq!(
            message_with_total(&leak, &leaks),
            "1 block, 2097152 bytes, was never released; 6.0 MiB in 3 blocks in all, alike in 3 processes"
        );
        let (leak, leaks) = leaking(&[1]);
        assert_eq!(message_with_total(&leak, &leaks), leak.message);
    }

    #[test]
    fn what_was_found_often_reports_how_often_and_in_how_many_processes() {
        let mut often = finding(Severity::Error);
        often.message = "twice".to_owned();
        often.count = 90;
        assert_eq!(
            message_with_total(&often, &Leaks::default()),
            "twice; 90 times"
        );
        often.pids = vec![1, 2, 3];
        assert_eq!(
            message_with_total(&often, &Leaks::default()),
            "twice; 90 times in 3 processes"
        );
        often.count = 1;
        assert_eq!(message_with_total(&often, &Leaks::default()), "twice");
    }
}
