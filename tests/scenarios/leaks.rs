//! `leak`, which only the log can tell: what `aclsan leaks` prints of a program's log, whole.

use crate::artifacts::{self, Topology};
use crate::normalise;
use crate::program::{Program, folder};
use crate::rules::compare;
use std::process::Command;

/// The report on a program's leaks, and the exit code.
fn leaks(name: &str, topology: Topology) -> (String, Option<i32>) {
    let run = Program::new(name).run(topology, "quiet=1");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    let output = Command::new(artifacts::command())
        .arg("leaks")
        .args(&run.logs)
        .output()
        .expect("aclsan runs");
    (
        normalise::report(&String::from_utf8_lossy(&output.stdout)),
        output.status.code(),
    )
}

#[test]
fn blocks_of_every_family_are_told_by_site_with_what_would_release_them() {
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = leaks("leaks/leak.c", topology);
        compare(&folder().join("leaks/leak.report"), &report).unwrap();
        assert_eq!(code, Some(1));
    }
}

#[test]
fn what_is_given_back_late_is_no_leak() {
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = leaks("leaks/leak_silent.c", topology);
        assert!(report.contains("; 0 bytes in 0 blocks leaked;"), "{report}");
        assert_eq!(code, Some(0));
    }
}
