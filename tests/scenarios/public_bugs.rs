//! Small reproductions of public bugs: the complete output of `aclsan findings` for each (`aclsan leaks` where blocks leak), and silence once fixed. The
//! table of `tests/programs/public_bugs/README.md` lists them.

use crate::normalise;
use crate::program::{Program, folder};
use crate::replay::{live, replayed};
use crate::rules::{compare, programs};
use aclsan_rules::judge::registry::rule;
use aclsan_tests::artifacts::{self, Topology};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

fn check(name: &str, topology: Topology) -> Result<(), String> {
    let program = Program::new(name);
    let run = program.run(topology, "");
    if run.code != program.exit() {
        return Err(format!("{name} ends with {}:\n{}", run.code, run.stderr));
    }
    let reported = |verb| {
        let mut command = Command::new(artifacts::command());
        let output = command
            .args([verb, "-v", "--prefix"])
            .args(&run.logs)
            .output();
        normalise::report(&String::from_utf8_lossy(
            &output.expect("aclsan runs").stdout,
        ))
    };
    let mut report = reported("findings");
    if !report.contains("; 0 bytes in 0 blocks leaked") {
        report = reported("leaks");
    }
    if name.ends_with("_silent.c") {
        let none = "0 errors, 0 warnings, 0 notes; 0 bytes in 0 blocks leaked";
        return match report.contains(none) && live(&run).is_empty() {
            true => Ok(()),
            false => Err(format!("{name} ({topology:?}) must be silent:\n{report}")),
        };
    }
    let is_live = |(name, _): &(String, String)| rule(name).is_some_and(|rule| rule.is_live);
    let kept = replayed(&run).into_iter().filter(is_live).collect();
    if live(&run) != kept {
        return Err(format!("{name}: live {:?}, kept {kept:?}", live(&run)));
    }
    compare(&folder().join(name).with_extension("report"), &report)
        .map_err(|difference| format!("{name} ({topology:?}): {difference}"))
}

fn all_of(names: impl Fn(&str) -> bool) {
    let names = programs("public_bugs")
        .into_iter()
        .filter(|name| names(name));
    let wrong: Vec<String> = names
        .flat_map(|name| [Topology::One, Topology::Split].map(|topology| check(&name, topology)))
        .filter_map(Result::err)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn each_is_reported() {
    all_of(|name| !name.ends_with("_silent.c"));
}

#[test]
fn each_is_silent_once_repaired() {
    all_of(|name| name.ends_with("_silent.c"));
}

/// The names in backticks in a table cell.
fn names(cell: &str) -> BTreeSet<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_table_names_every_program_and_its_rules() {
    let area = folder().join("public_bugs");
    let table = std::fs::read_to_string(area.join("README.md")).expect("there is a table");
    let (table, _) = table
        .split_once("What is not here")
        .expect("a second table");
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains(".c`"));
    let mut named = BTreeMap::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_, _, program, rules] = cells[..] else {
            panic!("{row} has not four cells");
        };
        for program in names(program) {
            named.insert(format!("public_bugs/{program}"), names(rules));
        }
    }
    let mut reported = BTreeMap::new();
    for name in programs("public_bugs") {
        let report = folder().join(&name).with_extension("report");
        if let Ok(report) = std::fs::read_to_string(report) {
            let lines = report
                .lines()
                .filter_map(|line| line.split_once(": aclsan: "));
            let found = lines
                .filter_map(|(_, rest)| rest.split_once(": "))
                .map(|(rule, _)| rule.to_owned())
                .filter(|name| rule(name).is_some());
            reported.insert(name, found.collect::<BTreeSet<_>>());
        }
    }
    assert_eq!(named, reported);
}
