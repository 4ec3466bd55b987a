//! Stream order: the complete output of `aclsan findings` for a program's log. `replay` checks that the same is reported at the call.

use crate::normalise;
use crate::program::{Program, Run, folder};
use crate::rules::{compare, programs};
use crate::tally::Tally;
use crate::trial::Trial;
use aclsan_tests::artifacts::{self, Topology};
use std::process::Command;

const BOTH: [Topology; 2] = [Topology::One, Topology::Split];

fn reported(run: &Run) -> String {
    let output = Command::new(artifacts::command())
        .args(["findings", "-v", "--prefix"])
        .args(&run.logs)
        .output()
        .expect("aclsan runs");
    normalise::report(&String::from_utf8_lossy(&output.stdout))
}

#[test]
fn each_mistake_is_reported_and_its_look_alike_is_not() {
    let mut wrong = Vec::new();
    for name in programs("order") {
        for topology in BOTH {
            let run = Program::new(&name).run(topology, "quiet=1");
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}");
            let report = reported(&run);
            if name.ends_with("_silent.c") {
                if !report.contains("0 errors, 0 warnings, 0 notes") {
                    wrong.push(format!("{name} ({topology:?}) must be silent:\n{report}"));
                }
            } else {
                let path = folder().join(&name).with_extension("report");
                wrong.extend(compare(&path, &report).err());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn lists_of_a_kernels_arguments_are_recorded_call_by_call() {
    let run = Program::new("simulator/named_kernels.c").run(Topology::One, "quiet=1");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let tally = Tally::of(run.logs.last().expect("a log"));
    for (call, times) in [
        ("aclrtKernelArgsInit", 1),
        ("aclrtKernelArgsAppend", 3),
        ("aclrtKernelArgsAppendPlaceHolder", 1),
        ("aclrtKernelArgsGetPlaceHolderBuffer", 1),
        ("aclrtKernelArgsParaUpdate", 1),
        ("aclrtKernelArgsFinalize", 2),
    ] {
        assert_eq!(tally.count(call), times, "{call}");
    }
}

#[test]
fn calls_that_few_programs_make_are_recorded_and_answered_as_without_the_shim() {
    let mut trial = Trial::new("odd/rare_calls.c", "rare");
    // The split libraries are older than some of the names.
    let run = trial.on(Topology::One).same();
    let none = " 0 errors, 0 warnings, 0 notes";
    assert!(run.stderr.contains(none), "{}", run.stderr);
    let [log] = run.logs.as_slice() else {
        panic!("one log")
    };
    let tally = Tally::of(log);
    for (call, times) in [
        ("aclrtCmoAsyncWithBarrier", 1),
        ("aclrtCmoWaitBarrier", 2),
        ("aclrtCmoAsyncWithDesc", 1),
        ("aclrtMemP2PMap", 1),
        ("aclrtMemMapSetLink", 1),
        ("aclrtLaunchSIMTKernelWithArgsArray", 1),
        ("aclrtLaunchSIMTKernelWithHostArgs", 1),
        ("aclrtKernelArgsInitByUserMem", 1),
        ("aclrtExceptionInfoCallbackRegister", 1),
        ("aclrtSnapShotProcessLock", 1),
        ("aclrtStreamStop", 1),
        ("aclrtActiveStream", 1),
        ("aclmdlRIAbort", 1),
    ] {
        assert_eq!(tally.count(call), times, "{call}");
    }
}
