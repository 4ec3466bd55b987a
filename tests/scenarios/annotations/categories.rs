//! What memory is for, as programs say it.

use super::{annotated_python, reported};
use crate::trial::Trial;
use aclsan_tests::artifacts;
use serde_json::Value;
use std::process::Command;

/// Name, allocations, live and peak bytes, and idle bytes of each category.
fn categories(report: &Value) -> Vec<(String, [Option<u64>; 4])> {
    let list = report["annotations"]["categories"].as_array();
    let row = |one: &Value| {
        let numbers = ["allocations", "live_bytes", "peak_bytes", "idle_bytes"];
        let name = one["name"].as_str().expect("a name").to_owned();
        (name, numbers.map(|member| one[member].as_u64()))
    };
    list.expect("a list").iter().map(row).collect()
}

fn row(name: &str, numbers: [u64; 4]) -> (String, [Option<u64>; 4]) {
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
            row("weights", [1, 0, whole, 0]),
            row("activations", [1, 0, part, part]),
            row("kv_cache", [1, 0, whole, whole - part]),
            row("temporary", [4, 0, 2048, 0]),
            row("other", [1, 0, 10, 0]),
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
fn one_import_says_what_the_memory_of_a_torch_program_is_for() {
    let Some(watched) = annotated_python("torch_like.py", "mode=record") else {
        return;
    };
    let report = reported(&watched, "report");
    assert_eq!(
        categories(&report),
        [
            row("weights", [2, 4196, 4196, 4196]),
            row("gradients", [6, 0, 4196, 0]),
            row("optimizer_state", [2, 4196, 4196, 4196]),
            row("activations", [6, 0, 2000, 0]),
            row("kv_cache", [2, 3500, 3500, 3500]),
            row("communication", [1, 64, 64, 0]),
        ]
    );
}
