#![forbid(unsafe_code)]
//! What aclsan finds. Rules judge facts; they print nothing, read nothing and keep no time.
//!
//! The same functions run in two hosts. The shim calls [`judge`] at each call, with its live table; the analyzer calls
//! it again from the log, with [`trackers::heap::Heap`]. A rule is one file in `rules/`, whose module documentation is
//! its page (`aclsan explain NAME`).
//!
//! Six rooms, each importing only those before it:
//! * [`api`]: what the calls are;
//! * [`evidence`]: what a rule is given, and what it reports;
//! * [`rules`]: one file per rule;
//! * [`judge`]: which rules apply to a fact, and the list of rules;
//! * [`consequences`]: which findings follow from others;
//! * [`trackers`]: state over many calls.

pub mod api;
pub mod consequences;
pub mod evidence;
pub mod judge;
pub mod rules;
pub mod trackers;
