//! The dynamic loader: what it has loaded, where its symbols are, and how often the program asked it for more.

pub mod dlsym;
pub mod elf;
pub mod link_map;

use std::sync::atomic::AtomicU64;

/// How often the program asked for a library: what was not there before may be there since.
pub static LOOKUPS: AtomicU64 = AtomicU64::new(0);
