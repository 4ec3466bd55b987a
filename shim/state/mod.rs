//! What the shim keeps for this process and this thread, and which child of a fork gets a new one.
//!
//! Never calls the runtime, and does not judge.

pub mod companion;
pub mod devices;
pub mod finding_counts;
pub mod graph_captures;
pub mod ignored_blocks;
pub mod ipc_keys;
pub mod modules;
pub mod process;
pub mod sampling;
pub mod start;
pub mod strings;
pub mod thread;
pub mod video_blocks;

/// By call site, whether the HiAI Matrix itself made the call.
pub type Callers = std::collections::HashMap<aclsan_log::CallSiteId, bool>;
