//! `leak`, which only the log can tell: what `aclsan leaks` prints of a program's log, whole.

use crate::artifacts::{self, Topology};
use crate::normalise;
use crate::program::{Program, folder};
use crate::rules::compare;
use std::process::Command;

/// What `verb` tells of a program's log, and the exit code.
fn told(verb: &str, name: &str, topology: Topology) -> (String, Option<i32>) {
    let run = Program::new(name).run(topology, "quiet=1");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    let output = Command::new(artifacts::command())
        .arg(verb)
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
        let (report, code) = told("leaks", "leaks/leak.c", topology);
        compare(&folder().join("leaks/leak.report"), &report).unwrap();
        assert_eq!(code, Some(1));
    }
}

#[test]
fn descriptors_and_registrations_are_told_as_what_they_are() {
    for name in ["leaks/leak_descriptor", "leaks/leak_tensors"] {
        for topology in [Topology::One, Topology::Split] {
            let (report, code) = told("findings", &format!("{name}.c"), topology);
            compare(&folder().join(format!("{name}.report")), &report).unwrap();
            assert_eq!(code, Some(0));
            let silent = format!("{name}_silent.c");
            let (report, _) = told("findings", &silent, topology);
            assert!(
                report.contains("0 errors, 0 warnings, 0 notes"),
                "{silent}: {report}"
            );
        }
    }
}

#[test]
fn what_is_given_back_late_is_no_leak() {
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = told("leaks", "leaks/leak_silent.c", topology);
        assert!(report.contains("; 0 bytes in 0 blocks leaked;"), "{report}");
        assert_eq!(code, Some(0));
    }
}
