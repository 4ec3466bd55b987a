//! Beginning, fork, end.
//!
//! Hooks don't wait for the constructor: another library's may allocate before ours has run, so everything is made when first used. The end
//! is the loader's last step, after every exit handler; what the program releases even later is recorded all the same.

use crate::hook::Hook;
use crate::next::Interposed;
use crate::process::{self, Process};
use crate::stack::registers;
use crate::thread::{self, Inside};
use crate::{clock, front, inspection, modules, own_memory, plain, quarantine, scan, verdict};
use aclsan_log::Event;
use aclsan_rules::functions;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{MutexGuard, Once};

/// What is made once and may be found half made in a forked child is made here, before there are threads.
#[cfg(not(test))]
#[ctor::ctor(unsafe)]
fn begin() {
    process::options();
    plain::program();
    clock::source();
    thread::key();
    // SAFETY: the handlers have the types asked for and touch nothing that a fork may have left locked.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child)) };
}

/// Locks whose holders may be inside the loader, whose own lock a child would inherit locked.
type Held = (
    MutexGuard<'static, ()>,
    MutexGuard<'static, ()>,
    front::Hold,
    Inside,
);

thread_local! {
    /// What a forking thread holds meanwhile. Without a destructor, as all thread-local storage of ours.
    static HELD: Cell<Option<ManuallyDrop<Held>>> = const { Cell::new(None) };
}

extern "C" fn before_fork() {
    // Inside a hook, where a signal handler may fork, the locks may be this very thread's.
    if let Some(inside) = Inside::enter() {
        let held = (verdict::hold(), modules::hold(), front::hold(), inside);
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

/// Has [`at_exit`] called. Asked for when a device is in use: what the runtime had loaded by then is torn down after us.
pub fn watch_exit() {
    static ONCE: Once = Once::new();
    if cfg!(not(test)) {
        ONCE.call_once(|| {
            // SAFETY: the handler has the type asked for, and this library is never unloaded.
            unsafe { libc::atexit(at_exit) };
        });
    }
}

/// The last looks at guards and at what is held back. The runtime is still there, unless the program has finalised it.
extern "C" fn at_exit() {
    static ROW: Interposed = Interposed::new("exit\0", std::ptr::null(), functions::number("exit"));
    let Some(process) = Process::if_begun() else {
        return;
    };
    if !process.options.touches_memory() || process.is_finalized.load(Relaxed) {
        return;
    }
    if let Some(hook) = Hook::enter(&ROW, registers::here()) {
        hook.record(|recorder| {
            inspection::at_end(recorder, |_| true);
            quarantine::empty(recorder, -1);
        });
    }
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
