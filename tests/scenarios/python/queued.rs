//! Operators that a framework plans on the thread of Python and runs on one of its own.

use super::Script;
use super::installed::each;
use crate::trial::library;
use crate::watchdog::finish;
use aclsan_tests::artifacts::{self, Topology};
use serde_json::Value;
use std::process::Command;

/// The functions of a stack, those that texts leave out with the reason in brackets.
fn functions(stack: &Value) -> Vec<String> {
    let frames = stack["frames"].as_array().expect("frames");
    let text = |frame: &Value| match (&frame["function"], &frame["trimmed"]) {
        (Value::String(name), Value::Null) => Some(name.clone()),
        (_, Value::String(why)) if why == "handover" => Some("(handover)".to_owned()),
        _ => None,
    };
    let mut functions: Vec<String> = frames.iter().filter_map(text).collect();
    functions.dedup();
    functions
}

#[test]
fn an_operator_that_another_thread_runs_has_the_stack_of_who_queued_it() {
    each(|python| {
        let script = Script::new("queued.py", python, "read");
        let runtime = format!("-L{}", Topology::One.libraries().display());
        let module = script.place.join("queued.so");
        let flags = [
            &*runtime,
            "-lopapi",
            "-lnnopbase",
            "-lascendcl",
            "-lpthread",
        ];
        library("python/queued.c", &module, &flags);
        let run = finish(&mut script.command(&python.path, Some("")), &script.place);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let mut findings = Command::new(artifacts::command());
        let output = findings.args(["report", "--json"]).args(&run.logs);
        let output = output.output().expect("it starts").stdout;
        let report: Value = serde_json::from_slice(&output).expect("JSON");
        let found = report["findings"].as_array().expect("findings");
        let found = found
            .iter()
            .filter(|one| one["rule"] == "workspace-too-small");
        let mut stacks: Vec<_> = found
            .map(|one| functions(&one["stacks"]["here"]).join(" "))
            .collect();
        stacks.sort();
        let [queued, called] = &stacks[..] else {
            panic!("{}: {stacks:#?}\n{}", python.version, run.stderr)
        };
        assert!(
            queued.ends_with(" run (handover) backward <module>"),
            "{}: {queued}",
            python.version
        );
        assert!(
            called.ends_with(" run multiply update <module>"),
            "{}: {called}",
            python.version
        );
    });
}
