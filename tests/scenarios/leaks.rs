//! `leak`, which needs the log: the complete output of `aclsan leaks` for a program's log.

use crate::normalise;
use crate::program::{Program, folder};
use crate::rules::compare;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::process::Command;

/// The output of `verb` for a program's log, and the exit code.
pub fn reported(verb: &str, name: &str, topology: Topology) -> (String, Option<i32>) {
    let run = Program::new(name).run(topology, "quiet=1");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
    let output = Command::new(artifacts::command())
        .args([verb, "-v", "--prefix"])
        .args(&run.logs)
        .output()
        .expect("aclsan runs");
    (
        normalise::report(&String::from_utf8_lossy(&output.stdout)),
        output.status.code(),
    )
}

#[test]
fn blocks_of_every_family_are_reported_by_site_with_what_would_release_them() {
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = reported("leaks", "leaks/leak.c", topology);
        compare(&folder().join("leaks/leak.report"), &report).unwrap();
        assert_eq!(code, Some(1));
    }
}

/// The output of `aclsan` with these arguments for the log of `leak_sampled.c`.
fn sampled(options: &str, arguments: &[&str]) -> String {
    let run = Program::new("leaks/leak_sampled.c").run(Topology::One, options);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let mut command = Command::new(artifacts::command());
    command.args(arguments).args(&run.logs);
    let output = command.output().expect("aclsan runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn each_call_of_a_loop_has_its_whole_stack_taken_at_times() {
    let reported = sampled(
        "quiet=1:profile=production:block_sample=0:guard=off",
        &["report", "--json"],
    );
    let report: Value = serde_json::from_str(&reported).expect("JSON");
    assert_eq!(report["self"]["stack_sample"], 64);
    let sites = report["leaks"]["sites"].as_array().expect("a list");
    let findings = report["findings"].as_array().expect("a list");
    for place in (0..8).map(|n| format!("place{n}")) {
        let is_here = |site: &&Value| site["allocated"]["frames"][0]["function"] == place.as_str();
        let here: Vec<&Value> = sites.iter().filter(is_here).collect();
        // One place, whose only whole stack stands for all.
        let [site] = here[..] else {
            panic!("{place}: {here:#?}");
        };
        assert_eq!(site["blocks"], 2000);
        let frames = site["allocated"]["frames"].as_array().map_or(0, Vec::len);
        assert!(frames > 1, "{place}");
        let mut findings = findings.iter();
        let finding = findings.find(|finding| finding["fingerprint"] == site["fingerprint"]);
        let details = finding.expect("it is reported")["details"].as_array();
        let mut details = details.into_iter().flatten().filter_map(Value::as_str);
        let cut = details.find_map(|detail| detail.split_once(" of 2000 blocks come from calls"));
        let cut: u64 = cut
            .expect("its stack is inferred")
            .0
            .parse()
            .expect("a number");
        // One in 64, at random; none in 2,000 has a probability of 1 in 10^13.
        assert!((1801..2000).contains(&cut), "{place}: {cut} of 2000");
    }
    let said = "only one call in 64 has a whole stack (`stack_sample`)";
    let text = |options| sampled(options, &["leaks"]);
    assert!(text("quiet=1:stack_sample=1/64").contains(said));
    assert!(!text("quiet=1:stack_sample=1/1").contains("has a whole stack"));
}

#[test]
fn descriptors_and_registrations_are_reported_as_what_they_are() {
    // Descriptors are notes; a key left open means that its block leaks or was released under it.
    for (name, exit) in [
        ("leaks/leak_descriptor", 0),
        ("leaks/leak_tensors", 0),
        ("leaks/leak_objects", 0),
        ("leaks/leak_virtual_memory", 0),
        ("leaks/leak_registration", 1),
    ] {
        for topology in [Topology::One, Topology::Split] {
            let (report, code) = reported("findings", &format!("{name}.c"), topology);
            compare(&folder().join(format!("{name}.report")), &report).unwrap();
            assert_eq!(code, Some(exit));
            let silent = format!("{name}_silent.c");
            let (report, _) = reported("findings", &silent, topology);
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
        let (report, code) = reported("leaks", "leaks/leak_silent.c", topology);
        assert!(
            report.contains("; 0 bytes in 0 blocks leaked\n"),
            "{report}"
        );
        assert_eq!(code, Some(0));
    }
}

#[test]
fn pools_shared_buffers_and_notifies_are_reported_as_what_they_are() {
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = reported("findings", "leaks/leak_pool.c", topology);
        compare(&folder().join("leaks/leak_pool.report"), &report).unwrap();
        assert_eq!(code, Some(1));
        let (report, _) = reported("findings", "leaks/leak_pool_silent.c", topology);
        assert!(report.contains("0 errors, 0 warnings, 0 notes"), "{report}");
    }
}

/// The report of `verb` for a program matches its file, and its look-alike is silent; returns the exit code of the first.
pub fn are_reported(verb: &str, name: &str, silent: &str) -> Option<i32> {
    let mut exit = None;
    for topology in [Topology::One, Topology::Split] {
        let (report, code) = reported(verb, name, topology);
        compare(&folder().join(name).with_extension("report"), &report).unwrap();
        let (report, _) = reported("findings", silent, topology);
        let none = "0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked";
        assert!(report.contains(none), "{silent}: {report}");
        exit = code;
    }
    exit
}

#[test]
fn records_of_pictures_and_pools_of_blocks_are_reported_as_what_they_are() {
    let exit = are_reported(
        "findings",
        "leaks/leak_media.c",
        "leaks/leak_media_silent.c",
    );
    assert_eq!(exit, Some(0));
}

#[test]
fn matrix_blocks_that_nobody_sent_are_reported_and_those_that_may_be_gone_are_not() {
    if artifacts::has_matrix() {
        let silent = "hiai/hiai_ownership_silent.cpp";
        let exit = are_reported("leaks", "leaks/hiai_never_sent.cpp", silent);
        assert_eq!(exit, Some(1));
    }
}

#[test]
fn what_a_cache_keeps_is_a_note_and_what_it_handed_out_is_a_leak_of_whoever_took_it() {
    let exit = are_reported(
        "findings",
        "leaks/cache_not_returned.c",
        "leaks/cache_not_returned_silent.c",
    );
    assert_eq!(exit, Some(1));
}

#[test]
fn one_leak_in_ten_thousand_sampled_calls_is_one_site_in_every_report() {
    const PRODUCTION: &str = "quiet=1:profile=production:block_sample=0:guard=off";
    let run = Program::new("leaks/leak_one_in_many.c").run(Topology::One, PRODUCTION);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let run_command = |arguments: &[&str]| {
        let mut command = Command::new(artifacts::command());
        let output = command.args(arguments).args(&run.logs).output();
        let output = output.expect("aclsan runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (text, output.status.code())
    };
    let report: Value = serde_json::from_str(&run_command(&["report", "--json"]).0).expect("JSON");
    let [leak] = report["leaks"]["sites"].as_array().unwrap().as_slice() else {
        panic!("{:#}", report["leaks"])
    };
    assert_eq!((&leak["blocks"], &leak["bytes"]), (&1.into(), &640.into()));
    let frames = leak["allocated"]["frames"].as_array().expect("a list");
    let names: Vec<&str> = frames
        .iter()
        .filter_map(|frame| frame["function"].as_str())
        .collect();
    assert_eq!(names[..3], ["request", "serve", "main"]);
    let [site] = report["allocations"]["sites"]
        .as_array()
        .unwrap()
        .as_slice()
    else {
        panic!("{:#}", report["allocations"])
    };
    assert_eq!(site["allocations"], 10_000, "{site:#}");

    for (of, bytes) in [("leaked", 640), ("live", 640), ("allocated", 6_400_000)] {
        let (folded, _) = run_command(&["export", "--format", "folded", "--of", of]);
        let lines: Vec<&str> = folded.lines().collect();
        let [line] = lines[..] else {
            panic!("{of}: {folded}")
        };
        let end = format!("main;serve;request;aclrtMalloc {bytes}");
        assert!(line.ends_with(&end), "{of}: {line}");
    }
    let (leaks, _) = run_command(&["leaks"]);
    assert_eq!(
        leaks.matches("← serve leak_one_in_many.c").count(),
        1,
        "{leaks}"
    );

    // The page: one row among the leaks, with the whole stack.
    let page = artifacts::scratch("one-in-many-page").join("page.html");
    run_command(&["report", "--html", page.to_str().expect("UTF-8")]);
    let page = std::fs::read_to_string(page).expect("a page");
    let (_, leaks) = page.split_once("id=\"leaks\"").expect("leaks");
    let (leaks, _) = leaks.split_once("id=\"drawings\"").expect("drawings");
    assert_eq!(leaks.matches("<summary>").count(), 1, "{leaks}");
    assert!(leaks.contains(">640 bytes<"), "{leaks}");
    let frames = ["request", "serve", "main"].map(|name| {
        let frame = format!("<li><code>{name}</code>");
        assert_eq!(leaks.matches(&frame).count(), 1, "{name}: {leaks}");
        leaks.find(&frame)
    });
    assert!(frames.is_sorted(), "{leaks}");

    // The budget of a place counts its bytes, whichever calls had whole stacks.
    for (most, exit) in [(639, 1), (640, 0)] {
        let table = artifacts::scratch("one-in-many").join("aclsan.toml");
        let text = format!(
            "[check]\nfail_on = 'leak-growing'\n[[check.sites]]\nplace = 'serve'\nmax_leak = {most}\n"
        );
        std::fs::write(&table, text).expect("the table can be written");
        let table = table.to_str().expect("UTF-8");
        let (said, code) = run_command(&["check", "--config", table]);
        assert_eq!(code, Some(exit), "{said}");
    }
}
