//! One hooked call: reentrancy, its call site, its events.
//!
//! Does not judge (`judge`, above, does that) and knows nothing of guards.
#![forbid(unsafe_code)]

mod call_site;
mod hook;
mod planned_call;
mod recorder;

pub use hook::{Hook, Recorder, Recording, log_event};
