//! Stream order: the complete output of `aclsan findings` for a program's log. `replay` checks that the same is reported at the call.

use crate::normalise;
use crate::program::{Program, Run, folder};
use crate::rules::{compare, programs};
use aclsan_tests::artifacts::{self, Topology};
use std::process::Command;

const BOTH: [Topology; 2] = [Topology::One, Topology::Split];

fn reported(run: &Run) -> String {
    let output = Command::new(artifacts::command())
        .args(["findings", "-v", "--prefix"])
        .args(&run.logs)
        .output()
        .expect("aclsan runs");
    normalise::report(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn each_mistake_is_reported_and_its_look_alike_is_not() {
    let mut wrong = Vec::new();
    for name in programs("order") {
        for topology in BOTH {
            let run = Program::new(&name).run(topology, "quiet=1");
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
            let report = reported(&run);
            if name.ends_with("_silent.c") {
                if !report.contains("0 errors, 0 warnings, 0 notes") {
                    wrong.push(format!("{name} ({topology:?}) must be silent:\n{report}"));
                }
            } else {
                let path = folder().join(&name).with_extension("report");
                wrong.extend(compare(&path, &report).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
