//! The beginning.
//!
//! Hooks don't wait for the constructor: another library's may allocate before ours has run, so everything is made when first used.

use super::fork;
use crate::state;
use crate::state::thread;
use aclsan_os::{clock, files};

/// What is made once and may be found half made in a forked child is made here, before there are threads.
#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn begin() {
    state::start::options();
    files::executable_path();
    clock::source();
    thread::key();
    fork::register();
}
