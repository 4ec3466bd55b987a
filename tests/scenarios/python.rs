//! Python programs on every CPython found: their stacks, and that they run as without the shim.

mod article; // the test framework of an article
mod doors; // ways to start Python
mod ends; // children, exits, embedded interpreters
pub mod installed; // the interpreters of this machine
mod leaks;
mod pyacl;
mod queued; // operators that another thread runs
mod stacks; // what a person reads // `import acl` // what a log says was never released, by its Python stack

use crate::program::{Run, folder};
use crate::trial::{self, library};
use crate::watchdog::finish;
use aclsan_tests::artifacts::{self, Topology};
use installed::{Installed, each};
use leaks::Leaks;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A script of `tests/programs/python` and the folder that it runs in.
pub struct Script {
    path: PathBuf,
    place: PathBuf,
}

impl Script {
    /// `test` distinguishes the tests that use the script.
    fn new(name: &str, python: &Installed, test: &str) -> Self {
        let place = artifacts::scratch(&format!("python-{name}-{}-{test}", python.version));
        Self {
            path: folder().join("python").join(name),
            place,
        }
    }

    /// Runs the script under `python`, with or without the shim.
    fn command(&self, python: &Path, shim: Option<&str>) -> Command {
        let mut command = Command::new(python);
        command.arg(&self.path).current_dir(&self.place);
        command.env("LD_LIBRARY_PATH", Topology::One.libraries());
        let modules = [
            self.place.clone(),
            artifacts::folder().join("simulator/python"),
        ];
        let modules = std::env::join_paths(modules).expect("no colons in them");
        command.env("PYTHONPATH", modules);
        command.env_remove("LD_PRELOAD");
        if let Some(options) = shim {
            let log = self.place.join("%p.aclsan");
            let options = format!("symbols=0:log_path='{}':{options}", log.display());
            command.env("LD_PRELOAD", artifacts::shim());
            command.env("ACLSAN_OPTIONS", options);
        }
        command
    }

    /// Runs it with and without the shim and checks that the results are the same.
    fn same(&self, python: &Installed) -> Run {
        let alone = finish(&mut self.command(&python.path, None), &self.place);
        let watched = finish(&mut self.command(&python.path, Some("")), &self.place);
        let what = format!("{} on {}", self.path.display(), python.version);
        trial::same(&alone, &watched, &what);
        watched
    }

    /// Runs it under the shim and returns the leaks of its only log.
    fn leaks(&self, python: &Installed) -> Leaks {
        let run = self.same(python);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let [log] = run.logs.as_slice() else {
            panic!("{} logs\n{}", run.logs.len(), run.stderr)
        };
        Leaks::of(log, &self.path)
    }
}

#[test]
fn every_shape_of_python_code_is_named_with_its_line() {
    each(|python| {
        let leaks = Script::new("shapes.py", python, "stacks").leaks(python);
        for (size, stack) in [
            (
                1001,
                "allocate:call inner:inner nested:nested <module>:nesting",
            ),
            (1002, "allocate:call generate:generate <module>:generating"),
            (
                1003,
                "allocate:call leaf:leaf coroutine:coroutine <module>:awaiting",
            ),
            (1004, "allocate:call load:load <module>:loading"),
            (1005, "allocate:call __lt__:less <module>:sorting"),
            (1007, "allocate:call thread:thread"),
            (1008, "allocate:call caught:caught <module>:catching"),
            (1009, "allocate:call caught:finally <module>:catching"),
            (1010, "allocate:call <module>:twice"),
        ] {
            assert_eq!(leaks.stack(size), stack, "{}", python.version);
        }
        let deep = leaks.stack(1006);
        let start = "allocate:call recurse:bottom recurse:again recurse:again recurse:again";
        assert!(deep.starts_with(start), "{}: {deep}", python.version);
    });
}

#[test]
fn python_frames_take_the_place_of_the_interpreters_own() {
    each(|python| {
        let script = Script::new("shapes.py", python, "merged");
        let run = finish(
            &mut script.command(&python.path, Some("stack_depth=250")),
            &script.place,
        );
        let mut leaks = Command::new(artifacts::command());
        let output = leaks
            .args(["leaks", "--limit", "0"])
            .args(&run.logs)
            .output();
        let text = String::from_utf8_lossy(&output.expect("it starts").stdout).into_owned();
        // The stack of 900 calls is truncated, and its outermost frames may be the loop's.
        let rest = text
            .split("ERROR: aclsan")
            .filter(|leak| !leak.contains(" 1006 bytes"));
        let rest: String = rest.collect();
        assert!(
            !rest.contains("_PyEval_EvalFrameDefault"),
            "{}\n{rest}",
            python.version
        );
        assert!(rest.contains("shapes.py:"), "{}\n{text}", python.version);
        // Two calls on one line are one site.
        assert!(
            rest.contains("2 blocks, 2020 bytes in all"),
            "{}\n{rest}",
            python.version
        );
    });
}

#[test]
fn a_freed_function_does_not_lend_its_name_to_the_next() {
    each(|python| {
        let script = Script::new("generated.py", python, "reuse");
        let leaks = script.leaks(python);
        for number in 0..50 {
            let stack = leaks.names(2000 + number);
            assert!(
                stack.starts_with(&format!("allocate made_{number:02}")),
                "{}: {stack}",
                python.version
            );
        }
    });
}

#[test]
fn python_and_a_module_in_c_alternate_in_a_stack() {
    each(|python| {
        let script = Script::new("relayed.py", python, "extension");
        let runtime = format!("-L{}", Topology::One.libraries().display());
        let module = script.place.join("extension.so");
        library(
            "python/extension.c",
            &module,
            &[&runtime, "-lascendcl", "-lpthread"],
        );
        let run = script.same(python);
        assert_eq!(run.stdout, "done\n", "{}", run.stderr);
        let leaks = Leaks::of(&run.logs[0], &script.path);
        assert_eq!(leaks.stack(5001), "direct:attached <module>:direct");
        assert_eq!(leaks.stack(5002), "direct:detached <module>:direct");
        assert_eq!(
            leaks.stack(5003),
            "inner:inner outer:relayed <module>:outer"
        );
        assert_eq!(
            leaks.stack(5004),
            "",
            "a thread without Python has no Python frames"
        );
        assert_eq!(leaks.stack(5005), "visited:visited");
        let modules = leaks.modules(5003, "extension.so");
        assert_eq!(
            modules, "extension.so inner extension.so outer <module>",
            "{}",
            python.version
        );
    });
}

#[test]
fn a_finding_names_python_functions_as_it_is_printed_and_in_exports() {
    each(|python| {
        let script = Script::new("twice.py", python, "printed");
        let run = script.same(python);
        let path = script.path.display();
        for line in [
            format!("  in give_back {path}:15 ← <module> twice.py:20"),
            format!("  released by: give_back {path}:15 ← <module> twice.py:19"),
        ] {
            assert!(run.stderr.contains(&line), "{line}\n{}", run.stderr);
        }
        let folded = script.place.join("folded");
        let mut export = Command::new(artifacts::command());
        export.args(["export", "--format", "folded", "--of", "allocated", "-o"]);
        let output = export
            .arg(&folded)
            .args(&run.logs)
            .output()
            .expect("it starts");
        let text = std::fs::read_to_string(&folded).unwrap_or_default();
        let error = String::from_utf8_lossy(&output.stderr);
        let names: Vec<&str> = text
            .split(';')
            .filter(|name| name.ends_with(".py)"))
            .collect();
        assert_eq!(
            names,
            ["<module> (twice.py)", "get (twice.py)"],
            "{text}{error}"
        );
    });
}

#[test]
fn without_python_stacks_are_native() {
    each(|python| {
        let script = Script::new("shapes.py", python, "off");
        let run = finish(
            &mut script.command(&python.path, Some("python=off")),
            &script.place,
        );
        let leaks = Leaks::of(&run.logs[0], &script.path);
        assert_eq!(leaks.stack(1004), "", "{}", run.stderr);
    });
}
