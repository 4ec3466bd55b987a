//! Exports for other tools' viewers, each in the dialect that its reader accepts.

pub mod chrome_trace;
pub mod heaptrack;
pub mod massif;
pub mod memscope;
pub mod pprof;
pub mod prometheus;
pub mod speedscope;
pub mod torch_snapshot;
pub mod valgrind;
