//! Names return addresses from inside the process with the `backtrace` crate, one thread at a time.

use crate::modules::at_fork;
use aclsan_os::lock::{Mutex, rank};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Serializes name lookups. It is taken before a fork, so that no child inherits it locked by another thread.
pub static SYMBOLIZER_LOCK: Mutex<rank::Symbolizer, ()> = Mutex::new(());

/// A function at an address.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Named {
    /// Linker name, if there is one.
    pub function: Option<String>,
    /// Source file and line, if both are known.
    pub line: Option<(String, u32)>,
    /// Column from 1, if known.
    pub column: Option<u32>,
}

/// The functions at a return address, inlined ones first.
pub fn names(frame: u64) -> Vec<Named> {
    static ARE_SYMBOLS_READ: AtomicBool = AtomicBool::new(false);
    let mut named = Vec::new();
    // The first lookup reads the symbols and asks the loader where they are; a forked child must not.
    if at_fork::is_snapshot() && !ARE_SYMBOLS_READ.load(Relaxed) {
        return named;
    }
    let _naming = SYMBOLIZER_LOCK.lock();
    let name = |symbol: &backtrace::Symbol| {
        let function = symbol.name();
        let line = symbol.filename().zip(symbol.lineno());
        named.push(Named {
            function: function.map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned()),
            line: line.map(|(file, line)| (file.display().to_string(), line)),
            column: symbol.colno(),
        });
    };
    // A return address may belong to the line after the call; the byte before it, which the crate looks up, belongs to the call.
    let call = frame as *mut _;
    // SAFETY: `SYMBOLIZER_LOCK` admits one thread at a time, and nothing else of ours looks names up.
    unsafe { backtrace::resolve_unsynchronized(call, name) };
    ARE_SYMBOLS_READ.store(true, Relaxed);
    named
}
