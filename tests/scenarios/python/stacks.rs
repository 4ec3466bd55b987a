//! What a person reads of a Python program's stacks: its own lines.

use super::Script;
use super::installed::each;
use crate::normalise;
use crate::trial::library;
use crate::watchdog::finish;
use aclsan_tests::artifacts::{self, Topology};
use std::process::Command;

/// The frames that are shown, of the release, the earlier one, and the allocation.
const SHOWN: [&str; 9] = [
    "Pool::drop(long) python/bound.cpp:37",
    "unload python/bindings.py:10",
    "<module> python/bindings.py:15",
    "Pool::drop(long) python/bound.cpp:37",
    "unload python/bindings.py:10",
    "<module> python/bindings.py:14",
    "Pool::grow(long) python/bound.cpp:35",
    "load python/bindings.py:6",
    "<module> python/bindings.py:13",
];

/// The frames in a text, without their numbers and addresses, which differ between versions of Python.
fn frames(text: &str) -> Vec<String> {
    let text = normalise::report(text);
    let frames = text.lines().filter(|line| line.contains("    #"));
    let frames = frames.filter_map(|line| line.split_once(" in "));
    frames.map(|(_, frame)| frame.to_owned()).collect()
}

/// A double free has three stacks: of each, the C++ function and two lines of Python remain.
#[test]
fn the_interpreter_and_bindings_are_counted_in_place() {
    each(|python| {
        let script = Script::new("bindings.py", python, "read");
        let runtime = format!("-L{}", Topology::One.libraries().display());
        let module = script.place.join("bound.so");
        library("python/bound.cpp", &module, &[&runtime, "-lascendcl"]);
        let run = finish(
            &mut script.command(&python.path, Some("symbols=1:verbose=1")),
            &script.place,
        );
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(
            frames(&run.stderr),
            SHOWN,
            "{}\n{}",
            python.version,
            run.stderr
        );
        // 3.14 has no frame of its own between a Python function and a binding that it calls.
        let both = [
            " frames of Python bindings, the Python interpreter\n",
            " frames of Python bindings\n",
        ];
        assert!(
            both.iter().any(|line| run.stderr.contains(line)),
            "{}",
            run.stderr
        );
        let read = |flags: &[&str]| {
            let mut findings = Command::new(artifacts::command());
            findings
                .args(["findings", "-v"])
                .args(flags)
                .args(&run.logs);
            let output = findings.output().expect("it starts");
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let text = read(&[]);
        assert_eq!(frames(&text), SHOWN, "{}\n{text}", python.version);
        assert!(!text.contains("_PyEval"), "{}\n{text}", python.version);
        // The source of the function that called the runtime.
        assert!(
            text.contains("long failed = aclrtFree(block);"),
            "{}\n{text}",
            python.version
        );
        let full = read(&["--full-stacks", "--no-source"]);
        assert!(!full.contains(" … "), "{}\n{full}", python.version);
        assert!(
            full.contains("pybind11::cpp_function::dispatcher<"),
            "{}\n{full}",
            python.version
        );
        assert!(!full.contains(" | "), "{}\n{full}", python.version);
    });
}
