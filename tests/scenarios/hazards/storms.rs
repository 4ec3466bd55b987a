//! More stacks, findings or events than there is room for: the excess is counted, and nothing stalls.

use super::tally;
use crate::trial::Trial;
use aclsan_tests::artifacts;
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
    // About 1000 of 4 * 2048 stacks that differ by call, path and thread are kept.
    assert!((7_000..8_200).contains(&lost.stacks), "{lost:?}");
    assert_eq!(run.stderr.matches("too many distinct stacks").count(), 1);
    let mut report = Command::new(artifacts::command());
    let output = report.arg("report").arg(&run.logs[0]).output();
    let stdout = String::from_utf8_lossy(&output.expect("it starts").stdout).into_owned();
    let reported = format!("{} calls were recorded without a stack", lost.stacks);
    assert!(stdout.contains(&reported), "{stdout}");
    // Calls without a stack are still recorded.
    assert_eq!(tally.count("aclrtMalloc"), 4097);
}
