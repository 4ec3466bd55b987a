//! A process that never calls AscendCL gets no log and no output from the shim.

use crate::program::Run;
use crate::trial::{self, BOTH, Trial};
use crate::watchdog::finish;
use aclsan_tests::artifacts;
use std::process::{Command, Stdio};

#[test]
fn a_program_that_never_calls_ascendcl_is_left_alone() {
    let mut trial = Trial::new("process/nothing.c", "silence");
    trial.options("no_such_option=1");
    for topology in BOTH {
        let run = trial.on(topology).same();
        assert_eq!((run.code, run.stderr.as_str()), (3, "to stderr as well\n"));
        assert!(run.logs.is_empty());
    }
}

#[test]
fn commands_of_the_system_are_left_alone() {
    let shell = "echo one; cat /dev/null | wc -l; (exit 5); echo $?; ls / > /dev/null; exec sh -c 'echo two >&2; exit 6'";
    for (name, words) in [("true", vec!["true"]), ("shell", vec!["sh", "-c", shell])] {
        let run = |how: &str, is_watched: bool| -> Run {
            let place = artifacts::scratch(&format!("silence-{name}-{how}"));
            let mut command = Command::new(words[0]);
            command
                .args(&words[1..])
                .current_dir(&place)
                .stdin(Stdio::null());
            command.env_remove("LD_PRELOAD");
            if is_watched {
                command.env("LD_PRELOAD", artifacts::shim());
            }
            finish(&mut command, &place)
        };
        let watched = run("watched", true);
        trial::same(&run("alone", false), &watched, name);
        assert!(watched.logs.is_empty() && !watched.stderr.contains("aclsan"));
    }
}
