#![forbid(unsafe_code)]
//! Renders reports: models hold numbers, renderers choose words and layout. Neither decides what is a finding.
//!
//! Each room imports only earlier ones: [`units`] < [`model`] < `totals` < [`text`] < [`account`], [`plan`], [`html`], [`ci`], [`viewers`], [`json`]
//! ([`folded`] and [`flamegraph`] need `model` and `units` alone).

/// Version of the JSON report. It is raised when a field changes its meaning or is removed, but not for new fields.
pub const SCHEMA_VERSION: u32 = 2;

pub mod account;
pub mod answers;
pub mod ci;
pub mod flamegraph;
pub mod folded;
pub mod html;
pub mod json;
pub mod model;
pub mod plan;
#[cfg(test)]
mod testing;
pub mod text;
mod totals;
pub mod units;
pub mod viewers;

pub use model::Report;
