//! What a finding's sentence leaves out where several were alike: it has the first one's numbers.

use crate::model::{Finding, LeakSite, Leaks};
use crate::units::{bytes, counted};

/// Bytes and blocks of all that is alike, and why it is; `None` where nothing else is. `processes` puts these into words, by their places
/// in the report.
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

/// How many processes: which ones they are is another thing in the next run.
pub fn process_count<T>(processes: &[T]) -> String {
    counted(processes.len() as u64, "process")
}

/// The finding's sentence, and how much or how often in all.
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
    fn a_leak_of_several_calls_tells_their_sum() {
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
    fn what_was_found_often_tells_how_often_and_in_how_many_processes() {
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
