//! One mistake is one finding: each rule of folding has a program in `tests/programs/consequences` where it folds, and an `_apart` one that
//! comes close and has findings of their own. Findings are the same live and from the log, and so is what follows from which.

use crate::leaks::reported;
use crate::program::{Program, Run, folder};
use crate::replay;
use crate::rules::{compare, programs};
use aclsan_rules::judge::registry::rule;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// Pairs of rules: a root, and what follows from it.
type Pairs = BTreeSet<(String, String)>;

/// The report of a run as JSON.
fn report(run: &Run) -> Value {
    let mut command = Command::new(artifacts::command());
    command.args(["report", "--json"]).args(&run.logs);
    let output = command.output().expect("aclsan runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Pairs in the report of rules that report live.
pub fn replayed(report: &Value) -> Pairs {
    let findings = list(&report["findings"]).iter();
    let pairs = findings.flat_map(|root| {
        let below = list(&root["consequences"]).iter();
        below.map(|other| (text(&root["rule"]), text(&other["rule"])))
    });
    let is_live = |name: &String| rule(name).is_some_and(|rule| rule.is_live);
    pairs
        .filter(|(root, other)| is_live(root) && is_live(other))
        .collect()
}

/// Pairs that were printed, as `==PID== consequence of ROOT at PLACE: RULE: …`.
pub fn live(run: &Run) -> Pairs {
    let lines = run.stderr.lines().filter_map(|line| {
        let (_, line) = line.split_once("== consequence of ")?;
        let (root, rest) = line.split_once(" at ")?;
        let (_, rest) = rest.split_once(": ")?;
        let (rule, _) = rest.split_once(": ")?;
        Some((root.to_owned(), rule.to_owned()))
    });
    lines.collect()
}

fn is_apart(name: &str) -> bool {
    name.ends_with("_apart.c")
}

#[test]
fn every_rule_folds_where_its_program_says_so() {
    for name in programs("consequences") {
        for topology in [Topology::One, Topology::Split] {
            let (findings, _) = reported("findings", &name, topology);
            let path = folder().join(&name).with_extension("report");
            compare(&path, &findings).unwrap();
            let has_any = findings.contains("  consequence: ");
            // Of its blocks one follows, and another one of the same place does not.
            let is_both = name.ends_with("mismatched_free_apart.c");
            assert_eq!(
                has_any,
                !is_apart(&name) || is_both,
                "{name} ({topology:?})"
            );
        }
    }
}

#[test]
fn consequences_are_folded_the_same_live_and_from_the_log() {
    let mut found = 0;
    for name in programs("consequences") {
        let run = Program::new(&name).run(Topology::One, "");
        let (live, report) = (live(&run), report(&run));
        assert_eq!(live, replayed(&report), "{name}\n{}", run.stderr);
        assert_eq!(replay::live(&run), replay::replayed(&run), "{name}");
        found += live.len();
    }
    assert!(found > 3);
}

#[test]
fn the_summary_counts_roots_alone() {
    for (name, errors, warnings) in [
        ("consequences/copy_overrun.c", 3, 0),
        ("consequences/missing_edge.c", 1, 1),
        ("consequences/free_in_flight.c", 2, 0),
    ] {
        let run = Program::new(name).run(Topology::One, "");
        let counted =
            |count: u64, what| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (live, others) = (counted(errors, "error"), counted(warnings, "warning"));
        let live = format!("SUMMARY: aclsan: {live}, {others}, 0 notes");
        assert!(run.stderr.contains(&live), "{name}: {}", run.stderr);
        let summary = &report(&run)["summary"];
        assert_eq!(summary["errors"], errors, "{name}");
        assert_eq!(summary["warnings"], warnings, "{name}");
    }
}
