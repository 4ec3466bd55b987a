//! More stacks, findings or events than there is room for: what is too much is counted, and nothing stalls.

use super::tally;
use crate::artifacts;
use crate::trial::Trial;
use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn stacks_beyond_the_most_are_counted_and_their_calls_are_on_record() {
    let mut trial = Trial::new("odd/short.c", "stacks");
    trial.on_runtime("odd/runtime.c").environment("ODD", "same");
    trial
        .options("mode=record:stack_most=1000")
        .arguments(["core", "0"]);
    let run = trial.same();
    let tally = tally(&run);
    // A pair before, 2048 below as many stacks on two threads, and a wrong release.
    assert_eq!(tally.pairs(), (4097, 4098), "{}", run.stderr);
    let lost = tally.log.lost;
    assert_eq!(lost.events, 0);
    // Of 4 * 2048 stacks that differ by call, path and thread, some 1000 are kept.
    assert!((7_000..8_200).contains(&lost.stacks), "{lost:?}");
    assert_eq!(
        run.stderr
            .matches("there are more stacks than can be kept")
            .count(),
        1
    );
    let mut report = Command::new(artifacts::command());
    let output = report.arg("report").arg(&run.logs[0]).output();
    let stdout = String::from_utf8_lossy(&output.expect("it starts").stdout).into_owned();
    let told = format!("{} calls were recorded without a stack", lost.stacks);
    assert!(stdout.contains(&told), "{stdout}");
    // Calls without a stack are the calls that they are.
    assert_eq!(tally.count("aclrtMalloc"), 4097);
}

/// Each is longer than what a full pipe takes in one piece. Of several processes, lines stay whole.
#[test]
fn findings_of_threads_stay_whole_in_a_pipe_that_is_full() {
    let mut trial = Trial::new("odd/at_once.c", "whole");
    trial.on_runtime("odd/runtime.c").options("mode=record");
    let run = trial.same();
    let (mut within, mut findings) = (BTreeSet::new(), 0);
    for line in run.stderr.lines() {
        let (process, text) = line.split_once("== ").expect("a line of aclsan's");
        if text.starts_with("ERROR: aclsan: double-free: ") {
            assert!(within.insert(process), "two at once:\n{}", run.stderr);
            findings += 1;
        } else if text.ends_with(" more: aclsan explain double-free") {
            within.remove(process);
        }
    }
    assert_eq!((findings, within.len()), (2 * 4 * 16, 0), "{}", run.stderr);
}
