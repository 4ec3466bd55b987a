//! Asks the shared rules about one call; prints and counts what they find.
//!
//! Never touches the runtime, nor any block's memory. Judging is an extension trait of [`Recorder`](crate::record::Recorder), which is
//! below: who judges imports it.
#![forbid(unsafe_code)]

mod ledger;
mod report;
mod stream_order;
mod summary;

pub use ledger::AskLedger;
pub use report::{Judge, is_reporting};
pub use stream_order::AskOrder;
pub use summary::summarize;
