//! Reads logs, replays them in parallel, resolves names and assembles one report.
//!
//! Does not decide what fails a run: that is [`crate::policy`].

mod annotations;
pub mod assemble;
pub mod dataset;
pub mod dump;
pub mod history;
pub mod moments;
pub mod nothing;
pub mod pipeline;
mod process_end; // how a process ended
pub mod report_table;
mod sites;
