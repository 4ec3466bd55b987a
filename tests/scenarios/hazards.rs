//! Process hazards: processes that fork, exec, end in many ways, exhaust resources, or never call AscendCL. Each run is
//! compared with one without the shim.

mod crashes; // signals that end the process
mod deaths; // calls that returned are in the log, however the process dies
mod disk; // full, small and remote disks
mod ends; // ways to end, and releases after the end
mod forks; // child processes
mod interruptions; // interruptions of a call
mod kernel; // system calls
mod limits; // limits on files, descriptors, space
mod odd; // a runtime with odd answers
mod options; // user options and runtime failures
mod pipes; // stderr
mod protected; // host memory that the CPU must not touch
mod readers; // concurrent readers of the log
mod sandbox; // seccomp filters
mod silence; // processes without AscendCL
mod storms; // too many stacks, findings or events
mod surroundings; // limits, clocks, identities
mod threads; // many, small, deep, interrupted, canceled

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
