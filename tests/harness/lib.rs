#![forbid(unsafe_code)]
//! What the scenarios and the benchmarks share. The package's build script builds the simulator; see `simulator/`.

pub mod artifacts; // where cargo put the shim, the command and the simulator
pub mod reading; // what one run of the command over logs costs
pub mod synthetic_log; // a log of any length
