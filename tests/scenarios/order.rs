//! Stream order, which only the log can tell: what `aclsan findings` prints of a program's log, whole; and that no other program of ours
//! has a mistake of order that nobody meant.

use crate::artifacts::{self, Topology};
use crate::normalise;
use crate::program::{Program, Run, folder};
use crate::rules::{compare, programs};
use aclsan_rules::Order;
use aclsan_rules::catalogue::rule;
use std::process::Command;

const BOTH: [Topology; 2] = [Topology::One, Topology::Split];

fn told(run: &Run) -> String {
    let output = Command::new(artifacts::command())
        .arg("findings")
        .args(&run.logs)
        .output()
        .expect("aclsan runs");
    normalise::report(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn each_mistake_is_told_and_its_look_alike_is_not() {
    let mut wrong = Vec::new();
    for name in programs("order") {
        for topology in BOTH {
            let run = Program::new(&name).run(topology, "quiet=1");
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
            let report = told(&run);
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

/// Programs of other rules that make a mistake of order, too, with the rules.
const MEANT: &[(&str, &[&str])] = &[];

#[test]
fn programs_of_other_rules_are_found_in_order() {
    let areas = [
        "releases",
        "copies",
        "guards",
        "operators",
        "models",
        "collectives",
        "lifecycle",
        "pools",
        "moves",
        "sharing",
        "virtual_memory",
        "media",
        "leaks",
    ];
    let mut wrong = Vec::new();
    for name in areas.into_iter().flat_map(programs) {
        if name.ends_with(".cpp") {
            continue; // those of the Matrix need libraries of their own
        }
        let run = Program::new(&name).run(Topology::One, "quiet=1:symbols=0");
        let mut found: Vec<&str> = Vec::new();
        let report = told(&run);
        for line in report.lines() {
            let named = line.split(": ").find_map(rule);
            let named = named.filter(|rule| Order::is_needed_by(rule) && line.contains("==PID== "));
            found.extend(named.map(|rule| rule.name));
        }
        found.dedup();
        let meant = MEANT.iter().find(|(meant, _)| *meant == name);
        if found != meant.map_or(&[][..], |(_, rules)| rules) {
            wrong.push(format!("{name}: {found:?}\n{report}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
