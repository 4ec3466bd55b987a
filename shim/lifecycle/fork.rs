//! Fork: which locks are held across it, and what a child resets.

use super::control;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use crate::state::{self, limits, thread};
use aclsan_guards::left_redzone;
use aclsan_os::lock::{Mutex, MutexGuard, Rank};
use aclsan_os::panic;
use aclsan_os::{arena, host_pages, stderr};
use aclsan_unwind::modules::{self, ModuleList, at_fork};
use aclsan_unwind::symbolize;
use std::cell::Cell;
use std::mem::ManuallyDrop;

/// Registers the handlers, before there are threads.
pub fn register() {
    // SAFETY: the handlers have the types asked for and touch nothing that a fork may have left locked.
    unsafe { libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child)) };
}

/// Locks whose holders may be inside the loader (a child would inherit the loader's own lock locked), and locks that a child does not
/// replace; and what the child takes over.
struct Fork {
    modules: Option<Box<ModuleList>>,
    _redzones: Option<MutexGuard<'static, left_redzone::Table>>,
    _symbolizer: Option<MutexGuard<'static, ()>>,
    _loader_list: Option<MutexGuard<'static, ()>>,
    _guard: Option<ReentrancyGuard>,
}

thread_local! {
    /// The fork that the thread is in. No destructor, like all our thread-local storage.
    static FORK: Cell<Option<ManuallyDrop<Fork>>> = const { Cell::new(None) };
}

extern "C" fn before_fork() {
    // Inside a hook, where the runtime or a signal handler may fork, this very thread may hold a lock, so it is only tried.
    let guard = ReentrancyGuard::enter();
    let is_outside = guard.is_some();
    // With no lock of ours held: this takes the loader's.
    let is_known = is_outside && Process::if_initialized().is_some();
    let modules = is_known.then(|| panic::contain(|| Box::new(state::modules::snapshot())));
    let fork = Fork {
        modules: modules.flatten(),
        _redzones: acquire(&left_redzone::TABLE, is_outside),
        _symbolizer: acquire(&symbolize::SYMBOLIZER_LOCK, is_outside),
        _loader_list: acquire(&modules::LOADER_LIST_LOCK, is_outside),
        _guard: guard,
    };
    FORK.set(Some(ManuallyDrop::new(fork)));
}

fn acquire<R: Rank, T>(
    lock: &'static Mutex<R, T>,
    may_wait: bool,
) -> Option<MutexGuard<'static, T>> {
    match may_wait {
        true => Some(lock.lock()),
        false => lock.try_for_a_while(),
    }
}

extern "C" fn in_parent() {
    drop(end_fork());
}

fn end_fork() -> Option<Fork> {
    FORK.take().map(ManuallyDrop::into_inner)
}

extern "C" fn in_child() {
    let mut fork = end_fork();
    arena::forked();
    host_pages::forked();
    at_fork::forked(fork.as_mut().and_then(|fork| fork.modules.take()));
    Process::forked();
    stderr::forked();
    limits::take_sentences(); // the parent's
    control::forked();
    thread::reset_ignores();
    drop(fork);
}
