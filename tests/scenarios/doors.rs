//! The ways a call reaches a hook. Each call is recorded exactly once, whichever way the program uses.

mod below; // the layer below the public one
mod found; // lookup by name, from Python, and failed lookups
mod others; // beside other libraries
mod shapes; // programs shaped like real ones

use crate::program::Run;
use crate::tally::Tally;
use crate::trial::{ALL, BOTH, Trial};
use aclsan_tests::artifacts::Topology;

/// The run's only log.
fn tally(run: &Run) -> Tally {
    let [log] = run.logs.as_slice() else {
        panic!("{} logs\n{}", run.logs.len(), run.stderr)
    };
    Tally::of(log)
}

/// Checks that the log has `pairs` allocations, as many releases, and each of the other calls once.
fn assert_pairs(run: &Run, pairs: usize) {
    let tally = tally(run);
    assert_eq!(tally.pairs(), (pairs, pairs), "{:?}", tally.calls);
    for call in [
        "aclInit",
        "aclrtSetDevice",
        "aclrtResetDevice",
        "aclFinalize",
    ] {
        assert_eq!(tally.count(call), 1, "{call} in {:?}", tally.calls);
    }
}

#[test]
fn calls_of_a_linked_program_are_recorded_once() {
    let mut trial = Trial::new("doors/linked.c", "linked");
    for topology in ALL {
        assert_pairs(&trial.on(topology).same(), 10);
    }
}

#[test]
fn calls_of_the_second_names_are_recorded_once() {
    let mut trial = Trial::new("doors/twin.c", "twin");
    for topology in [Topology::Split, Topology::Merged] {
        assert_pairs(&trial.on(topology).same(), 10);
    }
}

#[test]
fn what_callbacks_release_is_recorded_once() {
    let mut trial = Trial::new("doors/callbacks.c", "callbacks");
    for topology in BOTH {
        let run = trial.on(topology).same();
        let tally = tally(&run);
        // Eight blocks and the stream.
        assert_eq!(tally.pairs(), (9, 9), "{:?}", tally.calls);
        assert_eq!(run.stdout, "0 blocks left\n");
    }
}

#[test]
fn what_watchers_of_beginnings_and_ends_do_is_recorded_once() {
    let mut trial = Trial::new("doors/watchers.c", "watchers");
    for topology in BOTH {
        let run = trial.on(topology).same();
        let tally = tally(&run);
        // One block made with the device, one with the stream, one that lives to the end; and the stream.
        assert_eq!(tally.pairs(), (4, 4), "{:?}", tally.calls);
        for call in [
            "aclInit",
            "aclrtSetDevice",
            "aclrtResetDevice",
            "aclFinalize",
        ] {
            assert_eq!(tally.count(call), 1, "{call} in {:?}", tally.calls);
        }
        assert_eq!(run.stdout, "start\n0 blocks left\n");
    }
}
