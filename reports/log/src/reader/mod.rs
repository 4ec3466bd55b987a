//! Reading a log: definitions at once, events on demand.

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
pub use error::{Damage, LogError};
pub(crate) use live_log::cut;
pub use log::{Log, Site};
pub use modules::Module;
pub(crate) use segment::{read_segment, undecodable};
pub use source::{Holes, ReadAt};
