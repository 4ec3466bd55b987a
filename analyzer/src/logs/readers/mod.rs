//! Readers of other tools' recordings.

pub mod memscope;
pub mod pickle;
pub mod torch_snapshot;
