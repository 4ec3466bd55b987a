//! Reports and histories that tests of several renderers use.

mod history;
mod report;

pub use history::history;
pub use report::*;
