//! Files for other people's viewers, each in the shape that its own reader takes.

pub mod chrome_trace;
pub mod heaptrack;
pub mod massif;
pub mod memscope;
pub mod pprof;
pub mod prometheus;
pub mod speedscope;
pub mod torch_snapshot;
pub mod valgrind;
