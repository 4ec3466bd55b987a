//! Seccomp filters that deny a system call: the program works as before, and losses are reported. Filters that kill the process for a call are
//! survived if the call is optional for the shim.

use super::tally;
use crate::trial::Trial;
use aclsan_left_out::left_out;

/// Blocks that the program allocates: 2 before, 2 on a stack of its own, and 2 below each of 256 stacks on two threads.
const BLOCKS: usize = 2 + 2 + 2 * 2 * 256;

/// System calls made after startup, and the loss if denied; see `plain.rs`.
const REFUSED: [(&str, &str); 30] = [
    ("fallocate", ""), // zeros are written
    ("fstatfs", ""),
    ("mremap", ""),
    ("pwrite64", "the event log cannot"),
    ("openat", ""), // later; before the first call there is no log
    ("close", ""),
    ("read", ""),
    ("fcntl", ""),
    ("fstat", "the event log cannot"), // this or the next, as libc has it
    ("newfstatat", "the event log cannot"),
    ("statx", ""),
    ("lseek", ""),
    ("prlimit64", ""),
    ("getpid", ""),
    ("gettid", ""),
    ("getppid", ""),
    ("rt_sigpending", ""),
    ("rt_sigtimedwait", ""),
    ("rt_sigprocmask", ""),
    ("rt_sigaction", ""),
    ("ioctl", ""),
    ("sched_getaffinity", ""),
    ("process_vm_readv", ""),
    ("process_vm_writev", ""),
    ("mincore", ""),
    ("sigaltstack", ""),
    ("getrandom", ""),
    ("prctl", ""),
    ("clock_gettime", ""),
    ("poll", ""),
];

/// The optional ones, for which a filter may kill the process.
const DONE_WITHOUT: [&str; 15] = [
    "fallocate",
    "fstatfs",
    "mremap",
    "statx",
    "lseek",
    "prlimit64",
    "getppid",
    "rt_sigpending",
    "rt_sigtimedwait",
    "ioctl",
    "sched_getaffinity",
    "process_vm_readv",
    "process_vm_writev",
    "mincore",
    "sigaltstack",
];

fn sandbox(test: &str) -> Option<Trial> {
    if !cfg!(target_arch = "x86_64") {
        left_out("other processors have other calls");
        return None;
    }
    let mut trial = Trial::new("odd/sandbox.c", test);
    trial.on_runtime("odd/runtime.c");
    trial.arguments(["uname", "EPERM", "first"]);
    if trial.alone().code == 111 {
        left_out("no filter may be set here");
        return None;
    }
    Some(trial)
}

#[test]
fn a_system_call_that_is_refused_costs_the_program_nothing() {
    let Some(mut trial) = sandbox("refused") else {
        return;
    };
    for (number, (call, said)) in REFUSED.iter().enumerate() {
        let code = ["EPERM", "ENOSYS"][number % 2];
        let run = trial.arguments([call, code, "later"]).watched();
        let what = format!("{call}, {code}");
        assert_eq!(
            (run.code, &*run.stdout),
            (0, "done\n"),
            "{what}: {}",
            run.stderr
        );
        let times = run.stderr.matches("event log cannot").count();
        assert!(
            times <= usize::from(!said.is_empty()),
            "{what}: {}",
            run.stderr
        );
        let tally = tally(&run);
        match times == 0 {
            true => assert_eq!(tally.allocations, BLOCKS, "{what}: {}", run.stderr),
            false => assert!(
                run.stderr.contains(said) && run.stderr.contains(" dropped"),
                "{what}: {}",
                run.stderr
            ),
        }
    }
}

#[test]
fn a_filter_from_the_start_that_refuses_files_leaves_no_log_and_says_so() {
    let Some(mut trial) = sandbox("files") else {
        return;
    };
    let run = trial.arguments(["openat", "EPERM", "first"]).watched();
    assert_eq!((run.code, &*run.stdout), (0, "done\n"), "{}", run.stderr);
    assert_eq!(run.stderr.matches("cannot write the event log").count(), 1);
    assert!(run.logs.is_empty());
}

#[test]
fn a_filter_that_ends_the_process_for_what_can_be_done_without_does_not_end_it() {
    let Some(mut trial) = sandbox("killed") else {
        return;
    };
    for (number, call) in DONE_WITHOUT.iter().enumerate() {
        // Guards make the most calls.
        let options = ["guard=rear", "guard=both", "mode=record"][number % 3];
        let when = ["first", "later"][number % 2];
        let run = trial
            .options(options)
            .arguments([call, "KILL", when])
            .watched();
        let what = format!("{call}, {options}, {when}");
        assert_eq!(
            (run.code, &*run.stdout),
            (0, "done\n"),
            "{what}: {}",
            run.stderr
        );
        assert_eq!(tally(&run).allocations, BLOCKS, "{what}: {}", run.stderr);
    }
}
