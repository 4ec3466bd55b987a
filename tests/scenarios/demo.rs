//! The demo and its output as quoted in README.md.

use crate::normalise;
use aclsan_tests::artifacts;
use std::path::Path;
use std::process::Command;

#[test]
fn readme_quotes_what_the_demo_prints_today() {
    let output = Command::new(artifacts::command())
        .arg("demo")
        .env_remove("LD_PRELOAD")
        .env_remove("ACLSAN_OPTIONS")
        .env("LC_ALL", "C")
        .output()
        .expect("aclsan runs");
    let printed = [output.stdout, output.stderr].map(|text| {
        let text = String::from_utf8_lossy(&text).into_owned();
        normalise::report(&text)
    });
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).expect("README.md");
    let (_, quoted) = readme.split_once("```text\n==").expect("a quotation");
    let (quoted, _) = quoted.split_once("\n```").expect("its end");
    let quoted = normalise::report(&format!("=={quoted}"));
    // In the order printed, with … for omitted parts.
    let reported: Vec<&str> = printed.iter().flat_map(|text| text.lines()).collect();
    let mut at = 0;
    for line in quoted.lines().filter(|line| *line != "…") {
        let found = reported[at..].iter().position(|printed| *printed == line);
        let found = found.unwrap_or_else(|| panic!("not printed: {line}\n{}", reported.join("\n")));
        at += found + 1;
    }
    assert!(at > 0, "nothing is quoted");
}
