//! What memory is for, as programs say it.

use super::{annotated_python, reported};
use crate::program::folder as programs;
use crate::trial::Trial;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::process::Command;

/// Name, allocations, live and peak bytes, idle and oversized bytes of each category.
fn categories(report: &Value) -> Vec<(String, [Option<u64>; 5])> {
    let list = report["annotations"]["categories"].as_array();
    let row = |one: &Value| {
        let numbers = [
            "allocations",
            "live_bytes",
            "peak_bytes",
            "idle_bytes",
            "oversized_bytes",
        ];
        let name = one["name"].as_str().expect("a name").to_owned();
        (name, numbers.map(|member| one[member].as_u64()))
    };
    list.expect("a list").iter().map(row).collect()
}

fn row(name: &str, numbers: [u64; 5]) -> (String, [Option<u64>; 5]) {
    (name.to_owned(), numbers.map(Some))
}

#[test]
fn memory_is_added_up_by_what_the_program_says_it_is_for() {
    let run = Trial::new("annotations/categories.cpp", "categories").same();
    let report = reported(&run, "report");
    let (whole, part) = (1 << 20, 8192);
    assert_eq!(
        categories(&report),
        [
            row("weights", [1, 0, whole, 0, 0]),
            row("activations", [1, 0, part, part, 0]),
            row("kv_cache", [1, 0, whole, whole - part, 0]),
            row("temporary", [4, 0, 2048, 0, 0]),
            row("other", [1, 0, 10, 0, 0]),
        ]
    );
    let file = run.logs[0].with_extension("toml");
    let table = "[check]\nmax_peak = { kv_cache = '1MiB', activations = '4KiB', total = '1GiB' }\n";
    std::fs::write(&file, table).expect("scratch");
    let mut check = Command::new(artifacts::command());
    check
        .arg("check")
        .arg("--config")
        .arg(&file)
        .args(&run.logs);
    let output = check.env("LC_ALL", "C").output().expect("aclsan runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("of `activations` live, `max_peak` allows 4096 bytes"),
        "{text}"
    );
    assert!(!text.contains("kv_cache` live, `max_peak`"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_is_behind_all_that_a_step_uses_is_oversized() {
    let run = Trial::new("annotations/oversized.c", "oversized").same();
    let oversized = |name: &str| {
        let report = reported(&run, "report");
        let all = categories(&report).into_iter();
        let one = all.filter(|(of, _)| of == name).map(|(_, numbers)| numbers);
        one.map(|[.., idle, oversized]| [idle, oversized].map(Option::unwrap))
            .next()
    };
    let kib = |count: u64| count << 10;
    assert_eq!(oversized("weights"), Some([0, kib(768)]), "a tail");
    assert_eq!(oversized("kv_cache"), Some([0, kib(512)]), "of an arena");
    assert_eq!(oversized("gradients"), Some([0, kib(2)]), "of a part");
    for name in ["activations", "optimizer_state", "workspace", "temporary"] {
        assert_eq!(oversized(name), Some([0, 0]), "{name}");
    }
    assert_eq!(oversized("communication"), Some([kib(1024), 0]), "idle");
}

#[test]
fn one_import_says_what_the_memory_of_a_torch_program_is_for() {
    let Some(watched) = annotated_python("torch_like.py", "mode=record") else {
        return;
    };
    let report = reported(&watched, "report");
    assert_eq!(
        categories(&report),
        [
            row("weights", [2, 4196, 4196, 4196, 0]),
            row("gradients", [6, 0, 4196, 0, 0]),
            row("optimizer_state", [2, 4196, 4196, 4196, 0]),
            row("activations", [6, 0, 2000, 0, 0]),
            row("kv_cache", [2, 3500, 3500, 3500, 0]),
            row("communication", [1, 64, 64, 0, 0]),
        ]
    );
}

#[test]
fn eight_ranks_that_train_are_added_up_by_category_and_kept_apart() {
    let Some(_) = annotated_python("torch_like.py", "mode=record") else {
        return;
    };
    let folder = artifacts::scratch("annotations-ranks");
    let log = folder.join("rank%q{RANK}-%p.aclsan");
    let ranks = (0..8).map(|rank| {
        let mut command = Command::new("python3");
        command
            .arg("-B")
            .arg(programs().join("annotations/torch_like.py"));
        command.env("PYTHONPATH", artifacts::folder().join("include"));
        command.env("LD_LIBRARY_PATH", Topology::One.libraries());
        command.env("LD_PRELOAD", artifacts::shim());
        command.env("RANK", rank.to_string());
        let options = format!("quiet=1:mode=record:log_path='{}'", log.display());
        command
            .env("ACLSAN_OPTIONS", options)
            .spawn()
            .expect("python3 runs")
    });
    for mut rank in ranks.collect::<Vec<_>>() {
        assert!(rank.wait().expect("it ends").success());
    }
    let run = |arguments: &[&str]| {
        let mut command = Command::new(artifacts::command());
        command.args(arguments).arg(&folder).env("LC_ALL", "C");
        let output = command.output().expect("aclsan runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let report: Value = serde_json::from_str(&run(&["report", "--json"])).expect("JSON");
    let all = categories(&report);
    assert_eq!(all.len(), 8 * 6);
    let weights = all.iter().filter(|(name, _)| name == "weights");
    assert!(weights.clone().all(|(_, numbers)| numbers[2] == Some(4196)));
    let state: Value = serde_json::from_str(&run(&["top", "--json"])).expect("JSON");
    let processes = state["processes"].as_array().expect("processes");
    assert_eq!(processes.len(), 8);
    for process in processes {
        let first = &process["categories"][0];
        assert_eq!(
            (&first["category"], &first["live_bytes"]),
            (&"weights".into(), &4196.into())
        );
    }
    // Live bytes of all ranks: 8 times 4196 and 3500.
    let screen = run(&["top", "--once"]);
    assert!(
        screen.contains("weights 32.8K") && screen.contains("kv_cache 27.3K"),
        "{screen}"
    );
}
