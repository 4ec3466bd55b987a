#![forbid(unsafe_code)]
//! Code shared by the scenarios and the benchmarks. The package's build script builds the simulator; see `simulator/`.

pub mod artifacts; // paths of the shim, the command and the simulator
pub mod reading; // cost of one run of the command over logs
pub mod serving; // `aclsan serve` for one test
pub mod synthetic_log; // synthetic logs of any length
