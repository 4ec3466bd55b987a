//! Log files: which ones an argument names; packed and imported ones; and files that are written whole or not at all.
//!
//! Knows no rules.

pub mod atomic_file;
pub mod in_memory;
pub mod packed;
pub mod readers;
pub mod run_id;
pub mod select;
mod sparse;
pub mod standard_input;
pub mod writer;
