//! Live findings are found again in the log, with the same rules and severities. Leaks and waste are only found in
//! the log.

use crate::consequences;
use crate::program::{Program, Run};
use crate::rules::programs;
use aclsan_rules::judge::registry::rule;
use aclsan_tests::artifacts::{self, Topology};
use std::collections::BTreeSet;
use std::process::Command;

/// A rule's name and its severity.
pub type Found = BTreeSet<(String, String)>;

/// The live findings, printed as `==PID== ERROR: aclsan: RULE: …`.
pub fn live(run: &Run) -> Found {
    let lines = run.stderr.lines().filter_map(|line| {
        let (_, line) = line.strip_prefix("==")?.split_once("== ")?;
        let (severity, rest) = line.split_once(": aclsan: ")?;
        let (rule, _) = rest.split_once(": ")?;
        (severity != "SUMMARY").then(|| (rule.to_owned(), severity.to_lowercase()))
    });
    lines.collect()
}

/// The findings of `aclsan findings` from the log.
pub fn replayed(run: &Run) -> Found {
    of_report(&report(run))
}

/// The output of `aclsan findings --json` for the log.
fn report(run: &Run) -> serde_json::Value {
    let mut command = Command::new(artifacts::command());
    command.args(["findings", "--json"]).args(&run.logs);
    let output = command.output().expect("aclsan runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn of_report(report: &serde_json::Value) -> Found {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let findings = report["findings"].as_array().expect("findings is a list");
    let named = findings
        .iter()
        .map(|finding| (text(&finding["rule"]), text(&finding["severity"])));
    named
        .filter(|(name, _)| !name.starts_with("leak") && !WASTE.contains(&name.as_str()))
        .collect()
}

/// Notes that any program may get and that are no bug.
const WASTE: [&str; 4] = [
    "page-class-waste",
    "hot-loop-allocation",
    "never-used",
    "fragmented",
];

/// Suballocating programs and their findings that need the log.
const CARVED: &[(&str, &[&str])] = &[
    (
        "carving/jpegd_feeds_model.c",
        &[
            "suballoc-misaligned",
            "suballoc-overlap",
            "suballoc-overlap",
        ],
    ),
    ("carving/suballoc_host_shared.c", &["suballoc-too-small"]),
    (
        "carving/suballoc_overlap.c",
        &["suballoc-overlap", "suballoc-overlap"],
    ),
    ("carving/suballoc_too_small.c", &["suballoc-too-small"]),
    ("carving/tensors_overlap.c", &["suballoc-overlap"]),
    (
        "carving/vdec_feeds_model.c",
        &["suballoc-overlap", "suballoc-too-small"],
    ),
];

fn check(area: &str) {
    let (mut wrong, mut found) = (Vec::new(), 0);
    for name in programs(area) {
        for topology in [Topology::One, Topology::Split] {
            let run = Program::new(&name).run(topology, "symbols=0");
            let report = report(&run);
            let (live, replayed) = (live(&run), of_report(&report));
            let (folded, nested) = (consequences::live(&run), consequences::replayed(&report));
            if folded != nested {
                wrong.push(format!(
                    "{name} ({topology:?}): folded live {folded:?}, replayed {nested:?}"
                ));
            }
            let carved = CARVED.iter().find(|(program, _)| *program == name);
            // Some rules that report at the call need the log in other cases.
            let is_judged_live = |found: &(String, String)| {
                let is_late = |(_, rules): &&(_, &[&str])| rules.contains(&found.0.as_str());
                rule(&found.0).is_some_and(|rule| rule.is_live)
                    && (live.contains(found) || !carved.is_some_and(|carved| is_late(&carved)))
            };
            let (replayed, late): (Found, Found) = replayed.into_iter().partition(is_judged_live);
            let late: Vec<_> = late.iter().map(|(rule, _)| rule.as_str()).collect();
            if late != carved.map_or(&[][..], |(_, rules)| rules) {
                wrong.push(format!("{name} ({topology:?}): {late:?}"));
            }
            found += live.len();
            if live != replayed {
                wrong.push(format!(
                    "{name} ({topology:?}): live {live:?}, replayed {replayed:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(found > 0, "{area} has programs with findings");
}

#[test]
fn releases_are_judged_the_same_live_and_from_the_log() {
    check("releases");
}

#[test]
fn copies_and_sets_are_judged_the_same_live_and_from_the_log() {
    check("copies");
}

#[test]
fn the_order_of_streams_is_judged_the_same_live_and_from_the_log() {
    check("order");
}

#[test]
fn guard_regions_are_judged_the_same_live_and_from_the_log() {
    check("guards");
}

#[test]
fn unmapped_pages_are_judged_the_same_live_and_from_the_log() {
    check("guard_pages");
}

#[test]
fn operators_models_and_collectives_are_judged_the_same_live_and_from_the_log() {
    check("operators");
    check("indices");
    check("models");
    check("collectives");
}

#[test]
fn the_life_cycle_is_judged_the_same_live_and_from_the_log() {
    check("lifecycle");
}

#[test]
fn pools_and_shared_buffers_are_judged_the_same_live_and_from_the_log() {
    check("pools");
}

#[test]
fn batches_described_copies_and_values_are_judged_the_same_live_and_from_the_log() {
    check("moves");
}

#[test]
fn shared_memory_is_judged_the_same_live_and_from_the_log() {
    check("sharing");
}

#[test]
fn virtual_memory_is_judged_the_same_live_and_from_the_log() {
    check("virtual_memory");
}

#[test]
fn media_units_are_judged_the_same_live_and_from_the_log() {
    check("media");
}

#[test]
fn blocks_that_are_cut_up_are_judged_the_same_live_and_from_the_log() {
    check("carving");
}

#[test]
fn the_matrix_is_judged_the_same_live_and_from_the_log() {
    if artifacts::has_matrix() {
        check("hiai");
    }
}
