//! Beginning, fork, end.
//!
//! Hooks don't wait for the constructor: another library's may allocate before ours has run, so everything is made when first used. The end
//! is the loader's last step, after every exit handler; what the program releases even later is recorded all the same.

use crate::process::{self, Process};
use crate::thread::Inside;
use aclsan_log::Event;

#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn begin() {
    process::options();
    // SAFETY: the handler has the type asked for and touches nothing that a fork may have left locked.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
}

extern "C" fn forked() {
    Process::forked();
}

#[cfg(not(test))]
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// Prints the summary, if the process ever called AscendCL.
extern "C" fn end() {
    let Some(process) = Process::if_begun() else {
        return;
    };
    let Some(inside) = Inside::enter() else {
        return;
    };
    crate::hook::note(&inside, &Event::Exit);
    process.verdict.summarize(process);
}
