//! State over many calls, kept by the shim and by replay alike.

pub mod guard_page_faults;
pub mod heap;
pub mod hiai_auto_free;
mod model_memory;
pub mod objects;
pub mod stream_order;
pub mod suballocation;
