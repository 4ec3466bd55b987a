//! Python as people start it: by the command, in a virtual environment, as a module, as a script of its own.

use super::{Script, each, leaks::Leaks};
use crate::watchdog::finish;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts::{self, Topology};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Runs `aclsan run -- words…` and returns the log of the one process that called AscendCL.
fn run(script: &Script, words: &[&OsStr]) -> Leaks {
    let mut command = Command::new(artifacts::command());
    command
        .args(["run", "--log"])
        .arg(script.place.join("%p.aclsan"));
    command.arg("--").args(words);
    command
        .current_dir(&script.place)
        .env("LD_LIBRARY_PATH", Topology::One.libraries());
    let run = finish(&mut command, &script.place);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (0, "done\n"),
        "{words:?}\n{}",
        run.stderr
    );
    let [log] = run.logs.as_slice() else {
        panic!("{words:?}: {} logs\n{}", run.logs.len(), run.stderr)
    };
    Leaks::of(log, &script.path)
}

fn assert_named(script: &Script, words: &[&OsStr]) {
    let leaks = run(script, words);
    assert_eq!(leaks.names(1004), "allocate load <module>", "{words:?}");
}

#[test]
fn python_through_the_path_and_its_wrappers_is_watched() {
    each(|python| {
        let script = Script::new("shapes.py", python, "path");
        // `python3` may be a shell script that looks for the real one, as pyenv's is.
        let wrapper = script.place.join("wrapper");
        let text = format!("#!/bin/sh\n\"{}\" \"$@\"\n", python.path.display());
        write(&wrapper, &text);
        assert_named(&script, &[wrapper.as_os_str(), script.path.as_os_str()]);
    });
}

#[test]
fn a_virtual_environment_a_module_and_a_script_are_watched() {
    each(|python| {
        let script = Script::new("shapes.py", python, "environment");
        let environment = script.place.join("venv");
        let mut make = Command::new(&python.path);
        make.args(["-m", "venv", "--without-pip"]).arg(&environment);
        if !make.output().is_ok_and(|output| output.status.success()) {
            return left_out(format_args!("Python {} has no venv", python.version));
        }
        let interpreter = environment.join("bin/python");
        let first = fresh(&script, "in-environment");
        assert_named(&first, &[interpreter.as_os_str(), script.path.as_os_str()]);

        let second = fresh(&script, "as-module");
        std::fs::copy(&script.path, second.place.join("shapes.py")).expect("a copy");
        assert_eq!(
            run(
                &second,
                &[interpreter.as_os_str(), "-m".as_ref(), "shapes".as_ref()]
            )
            .names(1001),
            "allocate inner nested <module> _run_code _run_module_as_main"
        );

        let third = fresh(&script, "as-script");
        let source = std::fs::read_to_string(&script.path).expect("the script");
        let own = third.place.join("own");
        write(&own, &format!("#!{}\n{source}", interpreter.display()));
        assert_named(&third, &[own.as_os_str()]);
    });
}

/// The same script in its own folder, which then holds a single log.
fn fresh(script: &Script, name: &str) -> Script {
    let place = script.place.join(name);
    std::fs::create_dir_all(&place).expect("scratch");
    Script {
        path: script.path.clone(),
        place,
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("scratch");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, mode).expect("a mode");
}
