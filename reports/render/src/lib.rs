#![forbid(unsafe_code)]
//! How aclsan tells what it found: models hold numbers, renderers choose words and layout. Neither decides what is a finding.

/// Version of the JSON report. It rises when a field changes its meaning or goes; new fields don't raise it.
pub const SCHEMA_VERSION: u32 = 1;

pub mod ci;
pub mod flamegraph;
pub mod folded;
pub mod html;
pub mod json;
pub mod model;
#[cfg(test)]
mod testing;
pub mod text;
mod totals;
pub mod units;
pub mod viewers;

pub use model::Report;
