//! The shim's state, per process and per thread, and which of it a forked child replaces.
//!
//! Never calls the runtime and never judges.

pub mod attachment;
pub mod block_sampling;
pub mod cached_plans;
pub mod careless_domain;
pub mod companion;
pub mod devices;
pub mod finding_counts;
pub mod graph_captures;
pub mod host_blocks;
pub mod ignored_blocks;
pub mod index_checks;
pub mod ipc_keys;
mod language;
pub mod limits;
pub mod modules;
pub mod planners;
pub mod process;
pub mod reentrancy;
pub mod sampling;
pub mod settings;
pub mod start;
pub mod strings;
pub mod thread;
mod thread_words;
pub mod video_blocks;

/// Whether the HiAI Matrix itself made the call, by call site.
pub type Callers = std::collections::HashMap<aclsan_log::CallSiteId, bool>;
