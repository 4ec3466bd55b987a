//! Prints the warnings that came up where nothing may be printed: under a lock, or inside our allocator.

use aclsan_os::cancel::CancelGuard;
use aclsan_os::{status, stderr};

const OUT_OF_MEMORY: &str = "out of memory: recording has stopped, the program continues, and further events are only counted; \
    raise the limit (`ulimit -v`, `ulimit -d`) or lower `stack_depth`";

/// Prints what waits. Call with no lock held.
pub fn print_waiting() {
    let Some(is_memory_out) = status::take_warnings() else {
        return;
    };
    let _uncancelled = CancelGuard::enter();
    if is_memory_out {
        stderr::warning(OUT_OF_MEMORY);
    }
    for warning in stderr::take_waiting() {
        stderr::warning(&warning);
    }
}
