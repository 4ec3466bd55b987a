//! Start of the shim.
//!
//! Hooks do not wait for the constructor: another library's constructor may allocate before ours runs, so everything is initialized on
//! first use.

use super::{crash, fork};
use crate::state;
use crate::state::thread;
use aclsan_os::{clock, files};

/// Initializes, before there are threads, what a forked child might otherwise find half-initialized.
#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn init() {
    state::start::options();
    files::executable_path();
    clock::source();
    thread::key();
    fork::register();
    crash::register();
}
