//! Python stacks: the frames that the calling thread's interpreter is in, merged into the native stack.
//!
//! They are read from the interpreter's memory, never by calls that would need the GIL, create objects or run code:
//! `ctypes` has released the GIL when it calls us. A thread's frames are its own: while it is in a call of ours nobody
//! moves them, GIL or not, and each holds a reference to its code object.
//!
//! Nothing is read before the layout has been validated ([`validate`]): the version must be known, and a first walk,
//! whose reads cannot fault, must reach only objects of the right types. Without an interpreter a call costs one load
//! and one branch.
//!
//! Limits: free-threaded and debug builds get native stacks, and a message says so; at most 256 frames; no Python
//! frames in calls made while the interpreter shuts down and frees the states of running threads. A thread that checked
//! just before that, and was stopped in the middle of its walk until the interpreter had shut down, would read freed
//! memory; the walk takes a tenth of a microsecond.

mod code_objects;
mod frames;
mod interpreter;
mod layout;
mod merge;
mod reader;
mod strings;
mod validate;

pub use code_objects::CodeObjects;
pub use interpreter::{hash, is_own_thread, is_read};

use crate::frame::NativeFrame;
use crate::modules::{LoadCounts, at_fork};
use aclsan_log::Definition;
use aclsan_os::lock::{Mutex, rank};
use aclsan_os::stderr;
use interpreter::Interpreter;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The search for an interpreter.
pub struct Detection(Mutex<rank::Detection, DetectionState>);

impl Default for Detection {
    fn default() -> Self {
        Self(Mutex::new(DetectionState::Nothing((0, 0))))
    }
}

/// Whether this process, or one that it was forked from, has searched.
static WAS_DETECTED: AtomicBool = AtomicBool::new(false);

/// The state of the search.
enum DetectionState {
    /// There was none when the loader's counts were these.
    Nothing(LoadCounts),
    /// One is loaded, and none of its frames has been seen yet.
    Found(&'static Interpreter),
    /// It is being read, or cannot be.
    Over,
}

/// Looks for an interpreter before a call site is recorded. Once found, the thread's Python frames are part of its
/// stacks, and its version is written by `define`. `loaded` are the loader's counts: while they are unchanged no
/// interpreter can have come.
pub fn detect(
    detection: &Detection,
    is_wanted: bool,
    loaded: LoadCounts,
    define: &dyn Fn(&Definition),
) {
    if !is_wanted || interpreter::is_read() {
        return;
    }
    // Never waits: another searching thread may be waiting for the loader, whose lock this thread may hold.
    let Some(mut search) = detection.0.try_lock() else {
        return;
    };
    if let DetectionState::Nothing(seen) = *search {
        if seen == loaded || at_fork::is_snapshot() && WAS_DETECTED.load(Relaxed) {
            return;
        }
        WAS_DETECTED.store(true, Relaxed);
        *search = match Interpreter::find() {
            None => DetectionState::Nothing(loaded),
            Some(Ok(found)) => DetectionState::Found(found),
            Some(Err(reason)) => {
                *search = DetectionState::Over;
                drop(search);
                return warn(&reason);
            }
        };
    }
    let DetectionState::Found(found) = *search else {
        return;
    };
    match validate::validate_layout(found) {
        Ok(0) => return,
        Ok(_) => {
            interpreter::read(found);
            *search = DetectionState::Over;
        }
        Err(reason) => {
            *search = DetectionState::Over;
            drop(search);
            return warn(&format!("Python {}: {reason}", found.version));
        }
    }
    drop(search);
    define(&Definition::Property {
        key: "python".into(),
        value: found.version.clone(),
    });
}

fn warn(reason: &str) {
    stderr::warning(&format!(
        "{reason}; stacks show native frames only (python=off silences this message)"
    ));
}

/// The native stack, with the thread's Python frames in place of the interpreter's own.
pub fn merge_native(
    codes: &CodeObjects,
    define: &dyn Fn(&Definition),
    native: &[NativeFrame],
    most: usize,
) -> Box<[u64]> {
    let mut frames = match interpreter::reader() {
        Some(interpreter) => merge::merge(
            native,
            &code_objects::groups(codes, define, interpreter),
            |pc| interpreter.is_eval(pc),
        ),
        None => native.iter().map(|frame| frame.pc).collect(),
    };
    frames.truncate(most);
    frames.into_boxed_slice()
}
