//! Beginning, fork, end.
//!
//! Hooks don't wait for the constructor: another library's may allocate before ours has run, so everything is made when first used. The end
//! is the loader's last step, after every exit handler; what the program releases even later is recorded all the same.

use crate::hook::Hook;
use crate::next::Interposed;
use crate::process::{self, Process};
use crate::stack::registers;
use crate::thread::{self, Inside};
use crate::uncancelled::Uncancelled;
use crate::{
    clock, front, inherited, inspection, modules, own_memory, plain, quarantine, say, scan,
};
use aclsan_log::Event;
use aclsan_rules::functions;
use aclsan_unwind::symbolize;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

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

/// Locks whose holders may be inside the loader, whose own lock a child would inherit locked; and what is not replaced in a child.
struct Held {
    _naming: Option<MutexGuard<'static, ()>>,
    _reading: Option<MutexGuard<'static, ()>>,
    _fronts: Option<MutexGuard<'static, front::Table>>,
    _inside: Option<Inside>,
}

/// Times that a lock is asked for which may be the forking thread's own.
const TRIES: usize = 1000;

thread_local! {
    /// What a forking thread holds meanwhile. Without a destructor, as all thread-local storage of ours.
    static HELD: Cell<Option<ManuallyDrop<Held>>> = const { Cell::new(None) };
}

extern "C" fn before_fork() {
    // Inside a hook, where the runtime or a signal handler may fork, a lock may be this very thread's: it is only tried for there.
    let inside = Inside::enter();
    let is_outside = inside.is_some();
    if is_outside && Process::if_begun().is_some() {
        inherited::prepare(modules::known_now());
    }
    let held = Held {
        _naming: hold(&symbolize::SYMBOLIZER_LOCK, is_outside),
        _reading: hold(&modules::LOADER_LIST_LOCK, is_outside),
        _fronts: hold(&front::TABLE, is_outside),
        _inside: inside,
    };
    HELD.set(Some(ManuallyDrop::new(held)));
}

fn hold<T>(lock: &'static Mutex<T>, may_wait: bool) -> Option<MutexGuard<'static, T>> {
    if may_wait {
        return Some(lock.lock().unwrap_or_else(PoisonError::into_inner));
    }
    (0..TRIES).find_map(|_| match lock.try_lock() {
        Ok(held) => Some(held),
        Err(TryLockError::Poisoned(held)) => Some(held.into_inner()),
        Err(TryLockError::WouldBlock) => {
            std::thread::yield_now();
            None
        }
    })
}

extern "C" fn in_parent() {
    inherited::drop_prepared();
    let_go();
}

fn let_go() {
    drop(HELD.take().map(ManuallyDrop::into_inner));
}

extern "C" fn in_child() {
    own_memory::forked();
    inherited::forked();
    Process::forked();
    say::forked();
    thread::heed();
    let_go();
}

/// Has [`at_exit`] called. Asked for when a device is in use: what the runtime had loaded by then is torn down after us.
pub fn watch_exit() {
    static IS_WATCHED: AtomicBool = AtomicBool::new(false);
    if cfg!(not(test)) && !IS_WATCHED.swap(true, Relaxed) {
        // SAFETY: the handler has the type asked for, and this library is never unloaded.
        unsafe { libc::atexit(at_exit) };
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
        let _uncancelled = Uncancelled::enter();
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
    let _uncancelled = Uncancelled::enter();
    scan::at_exit(&inside, process);
    crate::hook::note(&inside, process, &Event::Exit);
    process.verdict.summarize(process);
}
