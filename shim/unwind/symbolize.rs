//! Names return addresses from inside the process with the `backtrace` crate, one thread at a time.

use crate::modules::at_fork;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Serializes name lookups. It is taken before a fork, so that no child inherits it locked by another thread.
pub static SYMBOLIZER_LOCK: Mutex<()> = Mutex::new(());

/// The functions at a return address, inlined ones first: linker name, if there is one, and file and line.
pub fn names(frame: u64) -> Vec<(Option<String>, Option<String>)> {
    static ARE_SYMBOLS_READ: AtomicBool = AtomicBool::new(false);
    let mut named = Vec::new();
    // The first lookup reads the symbols and asks the loader where they are; a forked child must not.
    if at_fork::is_snapshot() && !ARE_SYMBOLS_READ.load(Relaxed) {
        return named;
    }
    let _naming = SYMBOLIZER_LOCK
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let name = |symbol: &backtrace::Symbol| {
        let name = symbol.name();
        let name = name.map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned());
        let line = symbol
            .filename()
            .zip(symbol.lineno())
            .map(|(file, line)| format!("{}:{line}", file.display()));
        named.push((name, line));
    };
    // A return address may belong to the line after the call; the byte before it belongs to the call.
    let call = frame.wrapping_sub(1) as *mut _;
    // SAFETY: `SYMBOLIZER_LOCK` admits one thread at a time, and nothing else of ours looks names up.
    unsafe { backtrace::resolve_unsynchronized(call, name) };
    ARE_SYMBOLS_READ.store(true, Relaxed);
    named
}
