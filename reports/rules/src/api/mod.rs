//! What AscendCL's calls are: functions and their values, families, blocks, return codes, chips.

pub mod block;
pub mod cann;
pub mod dtype;
pub mod family;
pub mod fast_hash;
pub mod functions;
pub mod memcpy_kind;
pub mod profile;
pub mod statuses;
pub(crate) mod sync_role;
pub mod tensor;
