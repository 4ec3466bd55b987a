#![forbid(unsafe_code)]
//! What aclsan finds. Rules judge facts; they print nothing, read nothing and keep no time.
//!
//! The same functions run in two hosts: the shim asks [`judge`] at the call, with its live table; the analyzer asks again from the
//! log, with [`heap::Heap`]. A rule is one file in `rules/`, whose module documentation is its page (`aclsan explain NAME`).

mod access;
pub mod block;
pub mod cann;
pub mod carving;
pub mod catalogue;
pub mod damage;
mod element;
mod family;
pub mod fences;
pub mod finding;
pub mod functions;
pub mod heap;
mod hold;
mod host;
pub mod judge;
mod kinds;
pub mod ledger;
pub mod matrix;
mod model_memory;
pub mod numbers;
pub mod order;
pub mod pattern;
pub mod profile;
mod quantity;
pub mod rules;
pub mod statuses;
pub mod suspects;
pub mod tensor;
mod trend;
pub mod waste;
pub mod words;

pub use block::{Block, End, Place};
pub use catalogue::{Rule, Severity};
pub use family::{Family, Loss};
pub use fences::Fences;
pub use finding::{Earlier, Finding};
pub use functions::{Call, Function};
pub use hold::Hold;
pub use ledger::{Ledger, Scene};
pub use order::Order;
pub use trend::{Confidence, Growth};
