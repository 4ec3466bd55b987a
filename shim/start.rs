//! Beginning, fork, end.
//!
//! Hooks don't wait for the constructor: another library's may allocate before ours has run, so everything is made when first used. The end
//! is the loader's last step, after every exit handler; what the program releases even later is recorded all the same.

use crate::process::{self, Process};
use crate::thread::{self, Inside};
use crate::{clock, modules, own_memory, scan, verdict};
use aclsan_log::Event;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::MutexGuard;

/// What is made once and may be found half made in a forked child is made here, before there are threads.
#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn begin() {
    process::options();
    clock::source();
    thread::key();
    // SAFETY: the handlers have the types asked for and touch nothing that a fork may have left locked.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child)) };
}

/// Locks whose holders may be inside the loader, whose own lock a child would inherit locked.
type Held = (MutexGuard<'static, ()>, MutexGuard<'static, ()>, Inside);

thread_local! {
    /// What a forking thread holds meanwhile. Without a destructor, as all thread-local storage of ours.
    static HELD: Cell<Option<ManuallyDrop<Held>>> = const { Cell::new(None) };
}

extern "C" fn before_fork() {
    // Inside a hook, where a signal handler may fork, the locks may be this very thread's.
    if let Some(inside) = Inside::enter() {
        let held = (verdict::hold(), modules::hold(), inside);
        HELD.set(Some(ManuallyDrop::new(held)));
    }
}

extern "C" fn in_parent() {
    drop(HELD.take().map(ManuallyDrop::into_inner));
}

extern "C" fn in_child() {
    own_memory::forked();
    Process::forked();
    thread::heed();
    in_parent();
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
    scan::at_exit(&inside, process);
    crate::hook::note(&inside, process, &Event::Exit);
    process.verdict.summarize(process);
}
