//! Of the shim's sink, how it names a log.

#[path = "../../../../shim/sink/path.rs"]
pub mod path;
