//! The actions and templates in `.github`: their steps run as scripts on test programs.

use crate::program::{Program, folder};
use aclsan_left_out::left_out;
use aclsan_tests::artifacts::{self, Topology};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The exit code of `steps.py` if no YAML parser is installed.
const NO_READER: i32 = 77;

#[test]
fn steps_of_every_system_fail_on_a_planted_leak_and_pass_without() {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("continuous/steps.py");
    let output = Command::new(python)
        .arg("-B")
        .arg(script)
        .arg(artifacts::folder())
        .arg(artifacts::scratch("continuous"))
        .output();
    let Ok(output) = output else {
        left_out("there is no python3");
        return;
    };
    let reported = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(NO_READER) => left_out(format_args!("{reported}")),
        code => assert_eq!(code, Some(0), "{reported}{wrong}"),
    }
}

/// The findings of `logs` by fingerprint, with their line numbers.
fn fingerprints(logs: &[std::path::PathBuf]) -> (BTreeSet<String>, Vec<i64>, String) {
    let output = Command::new(artifacts::command())
        .args(["check", "--json", "--fail-on", "note"])
        .args(logs)
        .output()
        .expect("aclsan runs");
    let json = String::from_utf8(output.stdout).expect("UTF-8");
    let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let findings = document["findings"].as_array().expect("findings");
    let known = findings
        .iter()
        .filter_map(|finding| finding["fingerprint"].as_str());
    let lines = findings
        .iter()
        .filter_map(|finding| finding["site"]["line"].as_i64());
    (known.map(str::to_owned).collect(), lines.collect(), json)
}

#[test]
fn fingerprints_outlive_a_rebuild_and_twenty_lines_above() {
    for (name, copy) in [
        ("leaks/leak.c", "leaks/moved_leak.c"),
        ("releases/double_free.c", "releases/moved_double_free.c"),
    ] {
        let scratch = artifacts::scratch(&copy.replace('/', "-"));
        let text = std::fs::read_to_string(folder().join(name)).expect("the program");
        let (wishes, rest) = text.split_at(text.find("#include").expect("an include"));
        let header = std::fs::read_to_string(folder().join("rt.h")).expect("the header");
        let lines = "\n".repeat(20);
        let root = scratch.join("programs");
        let twin = root.join(copy);
        std::fs::create_dir_all(twin.parent().expect("a folder")).expect("writable");
        std::fs::write(root.join("rt.h"), format!("{lines}{header}")).expect("writable");
        std::fs::write(&twin, format!("{wishes}{lines}{rest}")).expect("writable");

        let before = Program::new(name).run(Topology::One, "quiet=1");
        let after = Program::below(&root, copy).run(Topology::One, "quiet=1");
        let (old, old_lines, json) = fingerprints(&before.logs);
        let (new, new_lines, _) = fingerprints(&after.logs);
        assert!(!old.is_empty(), "{json}");
        assert_eq!(old, new, "{name}");
        let moved: Vec<i64> = old_lines.iter().map(|line| line + 20).collect();
        assert_eq!(moved, new_lines, "{name}: the lines did move");

        let base = scratch.join("base.json");
        std::fs::write(&base, json).expect("writable");
        let check = Command::new(artifacts::command())
            .args(["check", "--fail-on", "note", "--baseline"])
            .arg(&base)
            .args(&after.logs)
            .output()
            .expect("aclsan runs");
        assert_eq!(check.status.code(), Some(0), "{check:?}");
    }
}
