//! Start, fork, snapshot, crash, exit, and the leak scan at the end. Knows no prototypes.

pub mod control;
pub mod crash;
mod exit;
mod fork;
mod fork_safety;
pub mod leak_scan;
pub mod snapshot;
mod start;
pub mod warnings;
