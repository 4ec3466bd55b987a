//! What calls are: functions and their values, families, blocks; and for each vendor, in a folder, its tables.

pub mod ascend;
pub mod block;
pub mod dtype;
pub mod family;
pub mod fast_hash;
pub mod function;
pub mod functions;
pub mod indices;
pub mod profile;
pub mod tensor;
pub mod vendor;
