//! Reports and histories for the tests of several renderers.

mod history;
mod report;

pub use history::history;
pub use report::*;
