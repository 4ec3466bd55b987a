//! Threads: many of them, on small stacks, deeply nested, interrupted, left by exceptions, canceled.

use super::tally;
use crate::trial::{BOTH, Trial};
use aclsan_left_out::left_out;
use std::process::Command;

#[test]
fn threads_that_end_leave_their_room_to_others() {
    let run = Trial::new("process/short_threads.c", "short").same();
    assert_eq!(tally(&run).pairs(), (10_000, 10_000));
    let bytes = std::fs::metadata(&run.logs[0]).expect("the log").len();
    assert!(
        bytes < 64 * 1024 * 20,
        "{bytes} bytes for 8 threads at a time"
    );
}

#[test]
fn a_signal_handler_may_allocate_and_timers_may_interrupt_anything() {
    let mut trial = Trial::new("process/signals.c", "signals");
    trial.options("mode=record");
    let run = trial.same();
    let tally = tally(&run);
    assert!(tally.allocations >= 20_005 && tally.allocations == tally.releases);
    assert!(!run.stderr.contains(" dropped"), "{}", run.stderr);
}

#[test]
fn an_interrupted_log_in_shared_memory_goes_on() {
    let folder =
        std::path::PathBuf::from(format!("/dev/shm/aclsan-signals-{}", std::process::id()));
    if std::fs::create_dir(&folder).is_err() {
        return left_out("there is no /dev/shm to write to");
    }
    let mut trial = Trial::new("process/signals.c", "tmpfs");
    trial.options(&format!(
        "mode=record:log_path={}/log.aclsan",
        folder.display()
    ));
    let run = trial.watched();
    let tally = crate::tally::Tally::of(&folder.join("log.aclsan"));
    std::fs::remove_dir_all(&folder).expect("our own folder");
    assert_eq!((run.code, run.stdout.as_str()), (0, "interrupted\n"));
    assert!(tally.allocations >= 20_005 && tally.allocations == tally.releases);
}

#[test]
fn deep_recursion_and_small_stacks_are_no_trouble() {
    let mut trial = Trial::new("process/deep.c", "deep");
    for topology in BOTH {
        let run = trial.on(topology).same();
        let tally = tally(&run);
        assert_eq!(tally.pairs(), (6, 6));
        let deepest = tally
            .sites
            .iter()
            .map(|&site| tally.log.site(site).frames.len())
            .max();
        assert_eq!(deepest, Some(64), "stack_depth");
    }
}

#[test]
fn a_finding_on_a_small_stack_is_reported_with_names() {
    let mut trial = Trial::new("process/deep.c", "wrong");
    trial.options("symbols=1").arguments(["wrong"]);
    let run = trial.same();
    assert!(
        run.stderr.contains("in work ") && run.stderr.contains("deep.c:10"),
        "{}",
        run.stderr
    );
    assert_eq!(tally(&run).pairs(), (6, 12));
}

#[test]
fn a_callback_may_throw_through_the_runtime() {
    if Command::new("c++").arg("--version").output().is_err() {
        return left_out("there is no C++ compiler");
    }
    let mut trial = Trial::new("process/throws.cpp", "throws");
    for topology in BOTH {
        let run = trial.on(topology).same();
        // Four blocks, and the stream that the exception leaks.
        assert_eq!(
            (run.stdout.as_str(), tally(&run).pairs()),
            ("thrown\n", (5, 4))
        );
    }
}

#[test]
fn a_thread_may_be_cancelled_inside_the_runtime() {
    let mut trial = Trial::new("process/cancelled.c", "cancelled");
    for topology in BOTH {
        assert_eq!(trial.on(topology).same().stdout, "cancelled\n");
    }
}
