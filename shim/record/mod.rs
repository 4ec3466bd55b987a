//! One hooked call: reentrancy, its call site, its events.
//!
//! Records and nothing else: what is recorded is judged above (`judge`), and what lies around blocks is not known here.
#![forbid(unsafe_code)]

mod call_site;
mod hook;
mod recorder;

pub use hook::{Hook, log_event};
pub use recorder::Recorder;
