//! What happens to processes: they fork, become others, end in many ways, run out of things, or never call AscendCL. Each run is
//! compared with one without the shim.

mod deaths; // calls that have returned are on record, whatever ends the process amid them
mod disk; // full, small, far away
mod ends; // ways to end, and what comes after the end
mod forks; // children
mod interruptions; // what comes amid a call
mod kernel; // system calls
mod limits; // files, descriptors, space
mod odd; // a runtime that answers in odd ways
mod options; // what the user asks for, and the runtime's own failures
mod pipes; // stderr
mod readers; // who looks at the log meanwhile
mod sandbox; // filters of system calls
mod silence; // processes that are none of our business
mod storms; // too much of anything
mod surroundings; // limits, clocks, identities
mod threads; // many, small, deep, interrupted, cancelled

use crate::program::Run;
use crate::tally::Tally;

/// Every log of a run.
fn tallies(run: &Run) -> Vec<Tally> {
    run.logs.iter().map(|log| Tally::of(log)).collect()
}

/// The run's only log.
fn tally(run: &Run) -> Tally {
    assert_eq!(run.logs.len(), 1, "{}", run.stderr);
    Tally::of(&run.logs[0])
}
