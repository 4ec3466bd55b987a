//! Reads a log: definitions at once, events on demand.

mod clock;
mod definitions;
mod error;
mod live_log;
mod log;
mod modules;
mod open;
mod segment;
mod source;
mod torn;

pub use clock::Clock;
pub use error::{Corruption, LogError};
pub(crate) use live_log::{NEARLY_FULL, Prefix, SegmentScan, newest_time, truncate_after};
pub use log::{CallSite, Log};
pub use modules::Module;
pub(crate) use open::open_file;
pub(crate) use segment::{malformed, read_segment};
pub(crate) use source::Source;
pub use source::{ReadAt, SparseMap};
