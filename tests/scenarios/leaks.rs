//! `leak`, which only the log can tell: what `aclsan leaks` prints of a program's log, whole.

use crate::artifacts::{self, Topology};
use crate::normalise;
use crate::program::{Program, folder};
use crate::rules::compare;
use std::process::Command;

/// What `verb` tells of a program's log, and the exit code.
pub fn told(verb: &str, name: &str, topology: Topology) -> (String, Option<i32>) {
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
    // Descriptors are notes; a key cannot be left open without its block being a leak, or released under it.
    for (name, exit) in [
        ("leaks/leak_descriptor", 0),
        ("leaks/leak_tensors", 0),
        ("leaks/leak_virtual_memory", 0),
        ("leaks/leak_registration", 1),
    ] {
        for topology in [Topology::One, Topology::Split] {
            let (report, code) = told("findings", &format!("{name}.c"), topology);
            compare(&folder().join(format!("{name}.report")), &report).unwrap();
            assert_eq!(code, Some(exit));
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

#[test]
fn pools_shared_buffers_and_notifies_are_told_as_what_they_are() {
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = told("findings", "leaks/leak_pool.c", topology);
        compare(&folder().join("leaks/leak_pool.report"), &report).unwrap();
        assert_eq!(code, Some(1));
        let (report, _) = told("findings", "leaks/leak_pool_silent.c", topology);
        assert!(report.contains("0 errors, 0 warnings, 0 notes"), "{report}");
    }
}

/// What `verb` tells of a program is on file, of its look-alike nothing; the exit code of the first.
pub fn are_told(verb: &str, name: &str, silent: &str) -> Option<i32> {
    let mut exit = None;
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = told(verb, name, topology);
        compare(&folder().join(name).with_extension("report"), &report).unwrap();
        let (report, _) = told("findings", silent, topology);
        let none = "0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked";
        assert!(report.contains(none), "{silent}: {report}");
        exit = code;
    }
    exit
}

#[test]
fn records_of_pictures_and_pools_of_blocks_are_told_as_what_they_are() {
    let exit = are_told(
        "findings",
        "leaks/leak_media.c",
        "leaks/leak_media_silent.c",
    );
    assert_eq!(exit, Some(0));
}

#[test]
fn matrix_blocks_that_nobody_sent_are_told_and_those_that_may_be_gone_are_not() {
    if artifacts::has_matrix() {
        let silent = "hiai/hiai_ownership_silent.cpp";
        let exit = are_told("leaks", "leaks/hiai_never_sent.cpp", silent);
        assert_eq!(exit, Some(1));
    }
}
