//! Every program in `tests/programs` with a `.report` beside it prints exactly that, on the two shapes of the runtime that differ most; one without prints
//! no finding. `SNAPSHOTS=overwrite` updates the reports; a person reads each before it is committed.

use crate::normalise;
use crate::program::{Program, Run, folder};
use aclsan_tests::artifacts::{self, Topology};
use snapbox::assert::DEFAULT_ACTION_ENV;
use snapbox::data::DataFormat;
use snapbox::report::Palette;
use snapbox::{Assert, Data, IntoData};
use std::collections::BTreeSet;
use std::path::Path;

/// The programs of a folder of rules, in order of name.
pub fn programs(area: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder().join(area)).expect("the area has a folder");
    let names = entries.map(|entry| {
        entry
            .expect("entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let mut names: Vec<String> = names
        .filter(|name| name.ends_with(".c") || name.ends_with(".cpp"))
        .map(|name| format!("{area}/{name}"))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "{area} has programs");
    names
}

fn check(area: &str) {
    let wrong: Vec<String> = programs(area)
        .iter()
        .filter_map(|name| check_program(name).err())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn check_program(name: &str) -> Result<(), String> {
    let program = Program::new(name);
    for topology in [Topology::One, Topology::Split] {
        let run = program.run(topology, "");
        let alone = program.run_alone(topology);
        if (run.code, &run.stdout) != (alone.code, &alone.stdout) || run.code != program.exit() {
            return Err(format!(
                "{name} ({topology:?}): alone {} and `{}`, under the shim {} and `{}`\n{}",
                alone.code, alone.stdout, run.code, run.stdout, run.stderr
            ));
        }
        if topology == Topology::One {
            check_sampled(name, &program, &run)?;
        }
        let path = folder().join(name).with_extension("report");
        let report = normalise::report(&run.stderr);
        if is_silent(name) {
            // Leaks are found at the end, and only counted.
            if report
                .lines()
                .any(|line| line.contains(": aclsan: ") && !line.contains("SUMMARY"))
            {
                return Err(format!("{name} ({topology:?}) must stay silent:\n{report}"));
            }
        } else {
            compare(&path, &report)
                .map_err(|difference| format!("{name} ({topology:?}): {difference}"))?;
        }
    }
    Ok(())
}

/// With a sample of the blocks, about every second one, a program runs as before, and nothing is reported that is not without.
fn check_sampled(name: &str, program: &Program, whole: &Run) -> Result<(), String> {
    let sampled = program.run(Topology::One, "block_sample=1000");
    let (known, found) = (rules(&whole.stderr), rules(&sampled.stderr));
    let is_same = (sampled.code, &sampled.stdout) == (whole.code, &whole.stdout);
    match is_same && found.is_subset(&known) {
        true => Ok(()),
        false => Err(format!(
            "{name}, a sample: {} and `{}`, {found:?} beside {known:?}\n{}",
            sampled.code, sampled.stdout, sampled.stderr
        )),
    }
}

/// The rules of the findings that were printed.
fn rules(stderr: &str) -> BTreeSet<&str> {
    let severities = ["ERROR", "WARNING", "NOTE"];
    let findings = stderr.lines().filter_map(|line| {
        let (severity, rest) = line.split_once(": aclsan: ")?;
        let is_finding = severities.iter().any(|known| severity.ends_with(known));
        let (rule, _) = rest.split_once(": ")?;
        is_finding.then_some(rule)
    });
    findings.collect()
}

fn is_silent(name: &str) -> bool {
    name.ends_with("_silent.c") || name.ends_with("_silent.cpp")
}

/// Compares a report with the one that is on file. `SNAPSHOTS=overwrite` writes the file instead.
pub fn compare(path: &Path, report: &str) -> Result<(), String> {
    // Raw: a report's own `...` and `[..]` are no wildcards.
    let wanted = Data::read_from(path, Some(DataFormat::Text)).raw();
    Assert::new()
        .action_env(DEFAULT_ACTION_ENV)
        .palette(Palette::plain())
        .try_eq(None, report.into_data(), wanted)
        .map_err(|difference| difference.to_string())
}

#[test]
fn releases() {
    check("releases");
}

#[test]
fn copies_and_sets() {
    check("copies");
}

#[test]
fn guard_regions() {
    check("guards");
}

#[test]
fn names_and_trimmed_stacks() {
    check("stacks");
}

#[test]
fn unmapped_pages() {
    check("guard_pages");
}

#[test]
fn life_cycle() {
    check("lifecycle");
}

#[test]
fn virtual_memory() {
    check("virtual_memory");
}

#[test]
fn media_units_and_pools() {
    check("media");
}

#[test]
fn the_legacy_matrix() {
    if artifacts::has_matrix() {
        check("hiai");
    }
}

#[test]
fn operators() {
    check("operators");
}

#[test]
fn indices() {
    check("indices");
}

#[test]
fn models() {
    check("models");
}

#[test]
fn collectives() {
    check("collectives");
}

#[test]
fn pools_and_shared_buffers() {
    check("pools");
}

#[test]
fn batches_described_copies_and_values() {
    check("moves");
}

#[test]
fn shared_memory() {
    check("sharing");
}
