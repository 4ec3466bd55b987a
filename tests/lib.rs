#![forbid(unsafe_code)]
//! Builds the simulator beside the other artifacts; see `simulator/`.
