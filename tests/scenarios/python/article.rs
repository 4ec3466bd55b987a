//! The test framework of an article about aclnn's memory, whose mistakes must show: as the real pyACL shows them, and in the report.

use super::Script;
use super::installed::{Installed, each};
use super::leaks::Leaks;
use crate::program::Run;
use crate::watchdog::finish;
use aclsan_left_out::left_out;
use aclsan_tests::artifacts;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One run of a script, in a folder of its own.
struct Ran {
    script: Script,
    run: Run,
}

impl Ran {
    fn new(script: Script, python: &Installed, argument: &str) -> Self {
        let mut command = script.command(&python.path, Some("quiet=1"));
        let run = finish(command.arg(argument), &script.place);
        assert_eq!(run.logs.len(), 1, "{}", run.stderr);
        Self { script, run }
    }

    /// The framework in our words with the first mistakes put right.
    fn with(right: &str, python: &Installed) -> Self {
        let name = format!("article-{right}");
        Self::new(
            Script::new("pyacl_article.py", python, &name),
            python,
            right,
        )
    }

    /// The verdict about it, and what failed it.
    fn check(&self, fail_on: &str) -> (i32, String) {
        let mut command = Command::new(artifacts::command());
        command
            .args(["check", "--fail-on", fail_on])
            .args(&self.run.logs);
        let output = command.output().expect("it starts");
        let code = output.status.code().unwrap_or(-1);
        (code, String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Checks that it ended with this error.
    fn stopped(self, error: &str) -> Self {
        assert_eq!(self.run.code, 1, "{}", self.run.stderr);
        assert!(self.last_line().starts_with(error), "{}", self.run.stderr);
        self
    }

    fn last_line(&self) -> &str {
        self.run.stderr.lines().last().unwrap_or_default()
    }

    /// Checks that it left something behind: `size` bytes, 0 for a stream, allocated by the Python functions of `stack`.
    fn leaves(&self, rule: &str, size: u64, stack: &str) {
        let (code, said) = self.check("note");
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(rule), "no {rule}:\n{said}");
        let leaks = Leaks::of(&self.run.logs[0], &self.script.path);
        assert_eq!(leaks.stack(size), stack, "{}", self.run.stderr);
    }

    /// Checks that it finished.
    fn finished(self) -> Self {
        let ended = (self.run.code, &*self.run.stdout);
        assert_eq!(ended, (0, "holds: 1\n"), "{}", self.run.stderr);
        self
    }
}

/// `acl.rt.create_stream` and `acl.rt.malloc` return the code last, and there are no enumerations (pyACL API reference, CANN 7.0 and 8.0;
/// `rt_stream.cpp`, `rt_memory.cpp` of its source, 2026).
#[test]
fn each_mistake_of_the_articles_framework_shows_once_those_before_it_are_put_right() {
    each(|python| {
        let swapped = Ran::with("0", python).stopped("RuntimeError: no stream: ");
        let pointer = swapped.last_line().rsplit(' ').next().expect("a word");
        let pointer: u64 = pointer
            .parse()
            .expect("the handle where the code was expected");
        assert!(pointer > 1_000_000, "no code of AscendCL's: {pointer}");
        let stack = "__init__:stream test_fill:framework <module>:module";
        swapped.leaves("leak-descriptor", 0, stack);

        let policy = "AttributeError: module 'acl.rt' has no attribute 'malloc_type'";
        Ran::with("1", python).stopped(policy);

        let swapped = Ran::with("2", python).stopped("RuntimeError: no memory: ");
        swapped.leaves(
            "leak",
            4096,
            "to_device:swapped test_fill:test <module>:module",
        );

        let kind = "AttributeError: module 'acl.rt' has no attribute 'memcpy_kind'";
        let stack = "to_device:malloc test_fill:test <module>:module";
        Ran::with("3", python)
            .stopped(kind)
            .leaves("leak", 4096, stack);

        Ran::with("4", python)
            .finished()
            .leaves("leak", 4096, stack);
        let (code, said) = Ran::with("5", python).finished().check("warning");
        assert_eq!(code, 0, "{said}");
    });
}

/// The article's own code is not in this repository: `../shared/seeds` beside it, or what `ACLSAN_ARTICLE` names.
fn article() -> Option<String> {
    let beside =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/seeds/003_215f69ac471981ba.txt");
    let path = std::env::var_os("ACLSAN_ARTICLE").map_or(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(&path) else {
        left_out(format_args!("there is no {}", path.display()));
        return None;
    };
    let start = text.find("# test_framework.py").expect("the framework");
    let code = &text[start..];
    let end = code.find("acl.finalize()\n\n4.").expect("its last call");
    Some(format!("{}acl.finalize()\n", &code[..end]))
}

/// As much of NumPy as the framework asks for before it reaches the device.
const NUMPY: &str = "float16 = float32 = int32 = dtype = ndarray = object\n\n\ndef empty_like(array):\n    return array\n";

/// Runs the framework unchanged, or one of the parts that it never reaches.
const DRIVER: &str = r#"
import sys
import types


def part():
    acl.init()
    acl.rt.set_device(0)
    framework = AclnnTestFramework.__new__(AclnnTestFramework)
    framework.device_id = 0
    framework.stream, ret = acl.rt.create_stream()
    return framework


data = types.SimpleNamespace(nbytes=64, ctypes=types.SimpleNamespace(data=0))
if sys.argv[1] == "whole":
    AclnnTestFramework()
elif sys.argv[1] == "allocate":
    part().allocate_device_memory(data)
elif sys.argv[1] == "verify":
    part().verify_results(0, data)
else:
    framework = part()
    block, ret = acl.rt.malloc(64, 0)
    assert framework.execute_operator(acl.rt.memset_async, block, 64, 0, 64, framework.stream) > 0
    acl.rt.free(block)
    framework.cleanup()
"#;

#[test]
fn the_articles_own_code_ends_where_it_ends_on_the_real_pyacl() {
    let Some(article) = article() else { return };
    each(|python| {
        for (part, error) in [
            ("whole", "RuntimeError: Create stream failed: "),
            (
                "allocate",
                "AttributeError: module 'acl.rt' has no attribute 'malloc_type'",
            ),
            (
                "verify",
                "AttributeError: module 'acl.rt' has no attribute 'memcpy_kind'",
            ),
            ("execute", ""),
        ] {
            let mut script = Script::new("pyacl_article.py", python, &format!("own-{part}"));
            script.path = script.place.join("framework.py");
            std::fs::write(&script.path, format!("{article}{DRIVER}")).expect("writable");
            std::fs::write(script.place.join("numpy.py"), NUMPY).expect("writable");
            let ran = Ran::new(script, python, part);
            if error.is_empty() {
                assert_eq!(ran.run.code, 0, "{}", ran.run.stderr);
                continue;
            }
            let ran = ran.stopped(error);
            if part == "whole" {
                let (_, said) = ran.check("note");
                assert!(said.contains("leak-descriptor"), "{said}");
                assert!(said.contains("_init_acl "), "{said}");
            }
        }
    });
}
