//! Stacks: return addresses of the calling thread, innermost first, and a hash that stands for them.
//!
//! Works without frame pointers. One step of the walk is a rule ([`rule::Rule`]) looked up by address in a table that all threads share
//! ([`cache`]), filled from `.eh_frame` ([`table`]). The walk stops as soon as it meets a frame that this thread's last stack had, below
//! which no return slot has changed ([`trace`]): in a loop that is after a few frames. Nothing is written to the stack.
//!
//! A walk never reads outside the thread's own stack. Another one (a coroutine's, a signal's) is walked by the same rules where the kernel
//! has read it first ([`foreign`]). Where `.eh_frame` says something of the thread's own that a rule cannot hold, the `backtrace` crate
//! walks instead: slower, and right.

pub mod cache;
pub mod extent;
pub mod foreign;
pub mod registers;
pub mod room;
pub mod rule;
pub mod table;
#[cfg(test)]
mod table_tests;
pub mod trace;

pub use trace::Trace;

/// Deepest stack that is told apart and recorded, in frames; of a deeper one the outermost frames are left out.
pub const DEEPEST: usize = 256;
