//! Stacks: return addresses of the calling thread, innermost first, and a hash that stands for them.
//!
//! Works without frame pointers. One step of the walk is a rule ([`rule::UnwindRule`]) looked up by address in a table that all threads share
//! ([`rule_cache`]), filled from `.eh_frame` ([`eh_frame`]). The walk stops as soon as it meets a frame that this thread's last stack had, below
//! which no return slot has changed ([`incremental`]): in a loop that is after a few frames. Nothing is written to the stack.
//!
//! A walk never reads outside the thread's own stack. Another one (a coroutine's, a signal's) is walked by the same rules where the kernel
//! has read it first ([`alt_stack`]). Where `.eh_frame` says something of the thread's own that a rule cannot hold, the `backtrace` crate
//! walks instead: slower, and right.

pub mod alt_stack;
pub mod big_stack;
pub mod eh_frame;
#[cfg(test)]
mod eh_frame_tests;
pub mod frame;
pub mod incremental;
pub mod modules;
pub mod python;
pub mod registers;
pub mod rule;
pub mod rule_cache;
pub mod step;
pub mod symbolize;
#[cfg(test)]
mod testing;

pub use incremental::{Stack, Trace};

use modules::Module;
use std::sync::Arc;

/// Finds the module that code belongs to. Asked once for each address that no rule is known for.
///
/// A type and no value, so that the walk carries no argument for it.
pub trait CodeMap {
    /// The module that `address` lies in.
    fn module_at(address: u64) -> Option<Arc<Module>>;
}

/// Deepest stack that is told apart and recorded, in frames; of a deeper one the outermost frames are left out.
pub const MAX_DEPTH: usize = 256;

// Old names, until their last use is gone.
#[doc(hidden)]
pub use self::MAX_DEPTH as DEEPEST;
