//! `block_sample`: of most blocks nothing is recorded, and what reports estimate of them is as far from the truth as they say.

use crate::program::{Program, Run};
use crate::watchdog::finish;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Runs `program` of `name` with these options and argument in a folder of its own.
fn run(name: &str, scratch: &str, options: &str, argument: &str) -> Run {
    let program = Program::new(name);
    let scratch = artifacts::scratch(&format!("sampled-{scratch}"));
    let built = program.build(&scratch);
    run_built(&program, &built, &scratch, (options, argument))
}

fn run_built(
    program: &Program,
    built: &Path,
    scratch: &Path,
    (options, argument): (&str, &str),
) -> Run {
    let log = scratch.join(format!("{argument}-%p.aclsan"));
    let options = format!("quiet=1:{options}:log_path='{}'", log.display());
    let mut command = program.command(built, Topology::One);
    command
        .arg(argument)
        .env("LD_PRELOAD", artifacts::preload(&options))
        .env("ACLSAN_OPTIONS", options);
    finish(&mut command, scratch)
}

fn aclsan(arguments: &[&str], logs: &[impl AsRef<std::ffi::OsStr>]) -> (String, Option<i32>) {
    let mut command = Command::new(artifacts::command());
    let output = command
        .args(arguments)
        .args(logs)
        .env("LC_ALL", "C")
        .output();
    let output = output.expect("aclsan runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (text, output.status.code())
}

fn report(run: &Run) -> Value {
    let (text, _) = aclsan(&["report", "--json"], &run.logs[run.logs.len() - 1..]);
    serde_json::from_str(&text).expect("JSON")
}

fn holds(estimate: &Value, truth: u64) -> bool {
    let bound = |name: &str| estimate[name].as_u64().expect("a number");
    (bound("low_bytes")..=bound("high_bytes")).contains(&truth)
}

#[test]
fn bounds_hold_the_truth_of_nineteen_in_twenty_workloads() {
    let program = Program::new("sampled/workload.c");
    let scratch = artifacts::scratch("sampled-bounds");
    let built = program.build(&scratch);
    let (mut live, mut peak, mut lost) = (0, 0, 0);
    for seed in 1..=20 {
        let argument = seed.to_string();
        let options = format!("profile=production:guard=off:seed={seed}");
        let run = run_built(&program, &built, &scratch, (&options, &argument));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{seed}");
        let truth: Vec<u64> = run
            .stdout
            .split_whitespace()
            .map(|word| word.parse().expect("a number"))
            .collect();
        let own = run.logs.iter().filter(|log| {
            let name = log.file_name().expect("a name").to_string_lossy();
            name.starts_with(&format!("{seed}-"))
        });
        let (text, _) = aclsan(&["report", "--json"], &own.collect::<Vec<_>>());
        let report: Value = serde_json::from_str(&text).expect("JSON");
        let family = &report["metrics"]["families"][0];
        peak += u32::from(holds(&family["peak_estimate"], truth[1]));
        live += u32::from(holds(&family["live_estimate"], truth[2]));
        let sites = report["leaks"]["sites"].as_array().expect("a list").iter();
        let is_lose = |site: &&Value| site["allocated"]["frames"][1]["function"] == "lose";
        // Forty blocks in a hundred are recorded: the site is in every report.
        let site = sites
            .clone()
            .find(is_lose)
            .unwrap_or_else(|| panic!("{seed}: {text}"));
        lost += u32::from(holds(&site["estimate"], truth[3]));
    }
    // Nineteen are expected; fewer than seventeen would be one case in sixty.
    assert!(
        live >= 17 && peak >= 17 && lost >= 17,
        "{live} {peak} {lost} of 20"
    );
}

#[test]
fn numbers_are_marked_as_estimates_wherever_they_are_told() {
    let run = run(
        "sampled/workload.c",
        "marks",
        "profile=production:guard=off",
        "3",
    );
    let (text, code) = aclsan(&["leaks"], &run.logs);
    assert_eq!(code, Some(1), "{text}");
    for part in [
        "leak: ~",
        " blocks, ~",
        "estimated from ",
        " on record (`block_sample`): ",
        " with 95 % confidence",
        " bytes in ~",
        "one block of device or pinned memory was recorded per 512.0 KiB",
    ] {
        assert!(text.contains(part), "`{part}`: {text}");
    }
    let report = report(&run);
    assert_eq!(report["self"]["block_sample"], 512 << 10);
    assert!(holds(
        &report["leaks"]["estimate"],
        report["leaks"]["bytes"].as_u64().expect("a number")
    ));
    // A budget fails by what was there with confidence, not by chance.
    let device = &report["metrics"]["devices"][0]["peak_estimate"];
    for (flag, estimate) in [
        ("--max-leak", &report["leaks"]["estimate"]),
        ("--max-peak", device),
    ] {
        let low = estimate["low_bytes"].as_u64().expect("a number");
        for (limit, code) in [(low, 0), (low - 1, 1)] {
            let limit = limit.to_string();
            // Without a budget, leaks fail a run as findings do.
            let mut arguments = vec!["check", flag, &limit];
            if flag != "--max-leak" {
                arguments.extend(["--max-leak", "1TiB"]);
            }
            let (text, found) = aclsan(&arguments, &run.logs);
            assert_eq!(found, Some(code), "{flag} {limit}: {text}");
        }
    }
    // A dataset of it says the same of the leaks.
    let dataset = artifacts::scratch("sampled-dataset").join("rows");
    let to = dataset.display().to_string();
    aclsan(&["export", "--format", "parquet", "-o", &to], &run.logs);
    let (text, _) = aclsan(&["report", "--json"], &[&dataset]);
    let stored: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(stored["self"]["block_sample"], 512 << 10);
    assert_eq!(stored["leaks"]["bytes"], report["leaks"]["bytes"]);
    let [low, high] = ["low_bytes", "high_bytes"].map(|bound| {
        let of = |report: &Value| {
            report["leaks"]["estimate"][bound]
                .as_f64()
                .expect("a number")
        };
        of(&stored) / of(&report)
    });
    assert!(
        (low - 1.0).abs() < 1e-3 && (high - 1.0).abs() < 1e-3,
        "{low} {high}"
    );
}

#[test]
fn mistakes_with_recorded_blocks_are_found_and_others_are_silent() {
    for (way, expected) in [
        ("double", "double-free"),
        ("mismatched", "mismatched-free"),
        ("reused", ""),
    ] {
        for options in [
            "block_sample=524288:guard=off",
            "block_sample=524288:guard=rear",
            "block_sample=16384:guard=off",
        ] {
            let run = run("sampled/known.c", way, options, way);
            let (text, _) = aclsan(&["findings", "--json"], &run.logs);
            let findings: Value = serde_json::from_str(&text).expect("JSON");
            let list = findings["findings"].as_array().expect("a list");
            let rules: Vec<&str> = list.iter().filter_map(|one| one["rule"].as_str()).collect();
            let expected: Vec<&str> = [expected]
                .into_iter()
                .filter(|rule| !rule.is_empty())
                .collect();
            assert_eq!(rules, expected, "{way} {options}: {text}");
        }
    }
}
