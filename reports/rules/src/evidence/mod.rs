//! What a rule is given, and what it reports.

pub mod access;
pub mod byte_span;
pub mod corruption;
pub mod death;
pub mod device_fault;
pub mod diagram;
pub mod estimate;
pub mod finding;
pub mod gap;
pub mod host;
pub mod message;
pub mod operation;
pub mod pattern;
pub mod plural;
pub mod race;
pub mod reachability;
pub mod recent_writers;
pub mod rule;
pub mod suballocation;
pub mod summary;
#[cfg(test)]
pub(crate) mod testing;
pub mod trend;
pub mod waste;
