//! The dynamic loader: what it has loaded, where its symbols are, and how often the program asked for more.

pub mod dlerror;
pub mod dlsym;
pub mod elf;
pub mod late;
pub mod link_map;
pub mod references;

use std::sync::atomic::AtomicU64;

/// Number of times the program asked for a library. If it has grown, a symbol that was missing may exist now.
pub static LOOKUPS: AtomicU64 = AtomicU64::new(0);
