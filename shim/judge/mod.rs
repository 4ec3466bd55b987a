//! Asks the shared rules about one call; prints and counts what they find.
//!
//! Never touches the runtime or a block's memory.
#![forbid(unsafe_code)]

mod death;
mod frame;
pub mod host_access;
pub mod objects;
mod report;
mod stack;
pub mod stream_order;
mod summary;

pub use death::print_death;
pub use objects::with_objects;
pub use report::{ask_rules, is_halting, is_reporting, refused_at, release_refused, set_dying};
pub use summary::{End, summarize};
