//! Baselines where one function has several findings.

use aclsan_log::builder::LogBuilder;
use aclsan_log::{Definition, Event, PythonFrame};
use serde_json::Value;

use super::story::*;

/// A function that leaks this many bytes at each of these lines.
fn leaking(places: &[(u32, u64)]) -> LogBuilder {
    let (mut synth, ..) = beginning();
    for (code, function) in [(1, "f"), (2, "main")] {
        synth.define(Definition::PythonCode {
            id: code,
            function: function.to_owned(),
            file: "native:/src/train.c".to_owned(),
        });
    }
    for (number, &(line, bytes)) in (1..).zip(places) {
        let frames = [(1, line), (2, 90)].map(|(code, line)| PythonFrame { code, line }.address());
        let site = synth.site("aclrtMalloc", 0, 0, &frames);
        synth.at(number).allocation(1, site, number << 20, bytes);
    }
    synth.at(1000).event(1, Event::Exit);
    synth
}

/// The lines of `after` that are new compared with a baseline of `before`; and the output and exit code of `check`.
fn new_lines(before: &[(u32, u64)], after: &[(u32, u64)]) -> (Vec<u64>, Said) {
    let folder = Folder::new();
    folder.file("before.aclsan", &leaking(before).bytes());
    folder.file("after.aclsan", &leaking(after).bytes());
    let base = folder.run(&["check", "--json", "before.aclsan"]);
    folder.file("base.json", base.out.as_bytes());
    let said = folder.run(&[
        "check",
        "--baseline",
        "base.json",
        "--sarif",
        "a.sarif",
        "--source-root",
        "/src",
        "after.aclsan",
    ]);
    let sarif = std::fs::read_to_string(folder.path().join("a.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let new = results
        .iter()
        .filter(|result| result["baselineState"] == "new");
    let line = |result: &Value| {
        let place = &result["locations"][0]["physicalLocation"];
        place["region"]["startLine"].as_u64().unwrap()
    };
    let mut lines: Vec<u64> = new.map(line).collect();
    lines.sort_unstable();
    (lines, said)
}

#[test]
fn a_mistake_before_a_known_one_in_its_function_is_the_new_one() {
    for (before, after, expected) in [
        // The same lines and bytes; lines that moved; bytes that changed.
        (&[(20, 100)][..], &[(10, 100), (20, 100)][..], &[10][..]),
        (&[(20, 100)], &[(10, 7), (21, 100)], &[10]),
        (&[(20, 100)], &[(10, 7), (20, 300)], &[10]),
        (
            &[(20, 100), (30, 100)],
            &[(10, 100), (20, 100), (30, 100), (40, 100)],
            &[10, 40],
        ),
        // No similarity: matched by order.
        (&[(20, 100)], &[(10, 7), (21, 8)], &[21]),
        (&[(20, 100), (30, 100)], &[(30, 100)], &[]),
        (&[(20, 100), (30, 100)], &[(21, 7), (31, 8)], &[]),
    ] {
        let (lines, said) = new_lines(before, after);
        assert_eq!(lines, expected, "{before:?} {after:?}");
        assert_eq!(said.code, i32::from(!expected.is_empty()), "{said:?}");
        let known = after.len() - expected.len();
        let gone = before.len() - known;
        assert_eq!(
            said.err,
            format!(
                "aclsan: the baseline has {known} of these findings, and {gone} that are gone\n"
            )
        );
    }
}
