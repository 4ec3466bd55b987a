//! pyACL: `import acl` on the simulator, with and without the shim, on every CPython found.

use super::installed::each;
use super::{Script, finish};
use aclsan_tests::artifacts::{self, Topology};
use std::path::Path;
use std::process::Command;

#[test]
fn pyacl_answers_as_its_reference_says() {
    each(|python| {
        let script = Script::new("pyacl_facts.py", python, "facts");
        let run = script.same(python);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (0, "ok\n"),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains(" ERROR: aclsan"), "{}", run.stderr);
    });
}

#[test]
fn pyacl_is_the_same_on_every_shape_of_the_runtime() {
    each(|python| {
        for program in ["pyacl_facts.py", "pyacl_shared.py", "pyacl_kernels.py"] {
            for shape in [Topology::Old, Topology::Split, Topology::Merged] {
                let script = Script::new(program, python, "shapes");
                let mut command = script.command(&python.path, Some(""));
                command.env("LD_LIBRARY_PATH", shape.libraries());
                let run = finish(&mut command, &script.place);
                assert_eq!(
                    (run.code, run.stdout.as_str()),
                    (0, "ok\n"),
                    "{program}, {shape:?}: {}",
                    run.stderr
                );
            }
        }
    });
}

#[test]
fn pyacl_takes_and_gives_dictionaries_and_keys() {
    each(|python| {
        let script = Script::new("pyacl_shared.py", python, "shared");
        let run = script.same(python);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (0, "ok\n"),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains(" ERROR: aclsan"), "{}", run.stderr);
        let once = "aclsim: `aclvencSendFrame` is not modelled: it answers 207000";
        assert_eq!(run.stderr.matches(once).count(), 1, "{}", run.stderr);
    });
}

#[test]
fn pyacl_loads_binaries_and_launches_kernels() {
    each(|python| {
        let script = Script::new("pyacl_kernels.py", python, "kernels");
        let run = script.same(python);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (0, "ok\n"),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains(" ERROR: aclsan"), "{}", run.stderr);
    });
}

#[test]
fn a_leak_through_pyacl_has_the_stack_of_its_python_functions() {
    each(|python| {
        let script = Script::new("pyacl_framework.py", python, "leak");
        let leaks = script.leaks(python);
        let stack = "to_device:malloc test_add:first <module>:test";
        assert_eq!(leaks.stack(4000), stack, "{}", python.version);
        assert!(!leaks.has(5000), "it was released");
    });
}

#[test]
fn a_double_free_through_pyacl_is_reported_once() {
    each(|python| {
        let script = Script::new("pyacl_framework.py", python, "double");
        let run = finish(&mut script.command(&python.path, Some("")), &script.place);
        assert_eq!(
            run.stderr.matches("ERROR: aclsan: double-free").count(),
            1,
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("in test_add "), "{}", run.stderr);
    });
}

#[test]
fn without_the_simulators_libraries_the_import_says_what_to_do() {
    each(|python| {
        let script = Script::new("pyacl_facts.py", python, "alone");
        let mut command = script.command(&python.path, None);
        command.env_remove("LD_LIBRARY_PATH");
        let run = finish(&mut command, &script.place);
        assert_eq!(run.code, 1);
        assert!(
            run.stderr
                .contains("ImportError: acl: libascendcl.so is not"),
            "{}",
            run.stderr
        );
    });
}

#[test]
fn the_command_brings_pyacl_along() {
    each(|python| {
        let script = Script::new("pyacl_facts.py", python, "command");
        for shape in ["--simulate", "--simulate=merged"] {
            let mut command = Command::new(artifacts::command());
            command.args(["run", shape, "--no-report", "-o", "logs/", "--"]);
            command.arg(&python.path).arg(&script.path);
            command.current_dir(&script.place).env_remove("PYTHONPATH");
            let run = finish(&mut command, &script.place);
            assert_eq!(
                (run.code, run.stdout.as_str()),
                (0, "ok\n"),
                "{}",
                run.stderr
            );
        }
        let mut command = Command::new(artifacts::command());
        command.args(["simulator", "--pythonpath"]);
        let run = finish(&mut command, &script.place);
        let module = Path::new(run.stdout.trim_end()).join("acl.abi3.so");
        assert!(module.is_file(), "{}", module.display());
    });
}
