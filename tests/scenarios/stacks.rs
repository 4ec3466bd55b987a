//! Stacks as a person reads them, live and from the log.

use crate::program::Program;
use aclsan_tests::artifacts::{self, Topology};
use std::path::Path;
use std::process::Command;

/// What a command prints about a program's logs.
fn read(verb: &str, flags: &[&str], logs: &[std::path::PathBuf], place: &Path) -> String {
    let mut command = Command::new(artifacts::command());
    command.current_dir(place).arg(verb).args(flags).args(logs);
    let output = command.output().expect("it starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The lines of stacks, in alphabetical order: live findings come as they happen, a report sorts them.
fn frames(text: &str) -> Vec<&str> {
    // A report has no prefix.
    let lines = text.lines().map(|line| match line.split_once("==     ") {
        Some((_, line)) => line,
        None => line.trim_start(),
    });
    let mut frames: Vec<&str> = lines
        .filter(|line| line.starts_with('#') || line.starts_with('…'))
        .collect();
    frames.sort_unstable();
    frames
}

#[test]
fn live_stacks_are_those_of_the_report() {
    for name in [
        "stacks/lambdas.cpp",
        "stacks/deep.cpp",
        "stacks/wrappers.cpp",
    ] {
        let program = Program::new(name);
        for (options, flags) in [
            ("", &["-v", "--no-source"][..]),
            ("stack_trim=0", &["--no-source", "--full-stacks"]),
        ] {
            let run = program.run(Topology::One, options);
            let place = run.logs[0].parent().expect("a folder");
            let text = read("findings", flags, &run.logs, place);
            let live = frames(&run.stderr);
            assert!(live.len() > 3, "{name}: {}", run.stderr);
            assert_eq!(live, frames(&text), "{name} {options}");
        }
    }
}

#[test]
fn names_in_texts_are_bounded_and_whole_in_json() {
    let run = Program::new("stacks/deep.cpp").run(Topology::One, "");
    let place = run.logs[0].parent().expect("a folder");
    for text in [&run.stderr, &read("findings", &["-v"], &run.logs, place)] {
        let name = |line: &str| {
            let (_, rest) = line.split_once(" in ")?;
            Some(rest.rsplit_once(' ')?.0.chars().count())
        };
        let longest = frames(text).into_iter().filter_map(name).max();
        assert!(longest <= Some(200 + 80), "{longest:?}: {text}");
        assert!(
            text.contains("wrap_kernel_functor_unboxed_<std::function<…>, void, "),
            "{text}"
        );
    }
    let json = read("findings", &["--json"], &run.logs, place);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let stack = &json["findings"][0]["stacks"]["here"]["frames"];
    let frames = stack.as_array().expect("frames");
    let names = frames.iter().filter_map(|frame| frame["function"].as_str());
    assert!(names.map(str::len).max() > Some(400), "{stack:#}");
    let is_start_up = |frame: &serde_json::Value| frame["trimmed"] == "start-up";
    assert!(frames.iter().any(is_start_up), "{stack:#}");
}

#[test]
fn wrappers_of_the_folder_are_skipped_and_change_the_fingerprint() {
    let run = Program::new("stacks/deep.cpp").run(Topology::One, "");
    let place = artifacts::scratch("wrappers-of-the-folder");
    let parsed = |place: &Path| -> serde_json::Value {
        let json = read("findings", &["--json"], &run.logs, place);
        serde_json::from_str(&json).expect("JSON")
    };
    let plain = parsed(&place);
    std::fs::write(
        place.join("aclsan.toml"),
        "[report]\nwrappers = ['^at::empty_cache$', '^device$']\n",
    )
    .expect("a file");
    let wrapped = parsed(&place);
    let site = |report: &serde_json::Value| report["findings"][0]["site"]["function"].to_string();
    assert_eq!(site(&plain), "\"at::empty_cache(at::Tensor&)\"");
    assert!(site(&wrapped).contains("redispatch("), "{}", site(&wrapped));
    let print = |report: &serde_json::Value| report["findings"][0]["fingerprint"].to_string();
    assert_ne!(print(&plain), print(&wrapped));
    let folded = read(
        "export",
        &["--format", "folded", "--of", "allocated"],
        &run.logs,
        &place,
    );
    assert!(folded.contains("main;aclrtMalloc 256"), "{folded}");
}

#[test]
fn threads_have_their_names_in_reports() {
    let run = Program::new("stacks/lambdas.cpp").run(Topology::One, "");
    let place = run.logs[0].parent().expect("a folder");
    let text = read("findings", &[], &run.logs, place);
    for text in [&run.stderr, &text] {
        assert!(text.contains(" `late loader`"), "{text}");
    }
    let json = read("findings", &["--json"], &run.logs, place);
    assert!(json.contains("\"thread_name\": \"late loader\""), "{json}");
}
