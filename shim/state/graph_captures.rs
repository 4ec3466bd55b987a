//! Graph captures that are going on. While one is, the runtime refuses blocking copies and may take the capture for broken, so ours must
//! not be made: by no thread during a capture in the global mode, else by none that captures.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The mode in which a capture concerns every thread: `ACL_MODEL_RI_CAPTURE_MODE_GLOBAL`.
const GLOBAL: u32 = 0;

struct Capture {
    stream: u64,
    mode: u32,
    thread: libc::pthread_t,
}

/// The process's captures.
#[derive(Default)]
pub struct GraphCaptures {
    count: AtomicUsize,
    all: Mutex<Vec<Capture>>,
}

impl GraphCaptures {
    /// The calling thread is about to begin the capture of a stream.
    pub fn begin(&self, stream: u64, mode: u32) {
        let thread = this_thread();
        self.update(|all| {
            all.push(Capture {
                stream,
                mode,
                thread,
            })
        });
    }

    /// A stream's capture has ended, or has not begun.
    pub fn end(&self, stream: u64) {
        self.update(|all| {
            if let Some(last) = all.iter().rposition(|one| one.stream == stream) {
                all.remove(last);
            }
        });
    }

    fn update(&self, work: impl FnOnce(&mut Vec<Capture>)) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut all);
        self.count.store(all.len(), Relaxed);
    }

    /// Whether the calling thread must not copy.
    #[inline(always)]
    pub fn forbids_copies(&self) -> bool {
        self.is_any_active() && self.applies_to_this_thread()
    }

    /// Whether anything is being captured, by whatever thread.
    #[inline(always)]
    pub fn is_any_active(&self) -> bool {
        self.count.load(Relaxed) > 0
    }

    #[cold]
    fn applies_to_this_thread(&self) -> bool {
        let here = this_thread();
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter()
            .any(|one| one.mode == GLOBAL || one.thread == here)
    }
}

fn this_thread() -> libc::pthread_t {
    // SAFETY: asks for nothing and cannot fail.
    unsafe { libc::pthread_self() }
}
