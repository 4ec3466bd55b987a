//! Asks the shared rules about one call; prints and counts what they find.
//!
//! Never touches the runtime or a block's memory. Its methods are extension traits of [`Recorder`](crate::record::Recorder), which is in a
//! room below, so every file that judges imports one.
#![forbid(unsafe_code)]

mod death;
mod frame;
mod host_access;
mod objects;
mod report;
mod stack;
mod stream_order;
mod summary;

pub use death::print_death;
pub use host_access::WatchHost;
pub use objects::{AskObjects, with_objects};
pub use report::{Judge, is_halting, is_reporting, set_dying};
pub use stream_order::{AskOrder, with_order};
pub use summary::{End, summarize};
