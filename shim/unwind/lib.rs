//! The stack of the calling thread: its return addresses, innermost first, native and Python ([`python`]), a hash that
//! stands for them, and the module of each ([`modules`]).
//!
//! It works without frame pointers. One step of a walk is a rule ([`rule::UnwindRule`]), looked up by address in a
//! cache that all threads share ([`rule_cache`]) and that is filled from `.eh_frame` ([`eh_frame`]). The walk stops as
//! soon as it reaches a frame of this thread's last stack beyond which no return slot has changed ([`incremental`]): in
//! a loop after a few frames. Nothing is written to the stack.
//!
//! A walk never reads outside the thread's own stack. Another stack (a coroutine's, a signal's) is walked by the same
//! rules after the kernel has proved it readable ([`alt_stack`]). Where `.eh_frame` says something about the thread's
//! own stack that a rule cannot hold, the `backtrace` crate walks instead: slower, and correct. A crash is walked from the
//! registers of the handler's context ([`interrupted`]).
//!
//! This crate does not know blocks or the log: modules come in through [`CodeMap`], definitions go out through a
//! function.

pub mod alt_stack;
pub mod argument;
pub mod big_stack;
pub mod eh_frame;
#[cfg(test)]
mod eh_frame_tests;
pub mod frame;
pub mod incremental;
pub mod interrupted;
pub mod modules;
pub mod python;
pub mod registers;
pub mod rule;
pub mod rule_cache;
pub mod step;
pub mod symbol_table;
pub mod symbolize;
#[cfg(test)]
mod testing;
mod word_list;

pub use incremental::{ExitRule, Stack, Trace};

use modules::Module;
use std::sync::Arc;

/// Finds the module that contains an address. Called once per address that has no cached rule.
///
/// A type, not a value: the unwinder carries no argument for it.
pub trait CodeMap {
    /// The module that contains `address`.
    fn module_at(address: u64) -> Option<Arc<Module>>;
}

/// Maximum depth of a recorded stack, in frames. The outermost frames of a deeper stack are left out.
pub const MAX_DEPTH: usize = 256;
