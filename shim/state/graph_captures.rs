//! Graph captures in progress. During one, the runtime refuses blocking copies and may invalidate the capture, so the shim must not copy:
//! in global mode no thread may, in other modes none that captures.

use aclsan_os::lock::{Mutex, rank};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The capture mode that affects every thread: `ACL_MODEL_RI_CAPTURE_MODE_GLOBAL`.
const GLOBAL: u32 = 0;

struct Capture {
    stream: u64,
    mode: u32,
    thread: libc::pthread_t,
}

/// The captures of the process.
#[derive(Default)]
pub struct GraphCaptures {
    count: AtomicUsize,
    all: Mutex<rank::GraphCaptures, Vec<Capture>>,
}

impl GraphCaptures {
    /// The calling thread is about to start capturing a stream.
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

    /// The capture of a stream has ended, or failed to start.
    pub fn end(&self, stream: u64) {
        self.update(|all| {
            if let Some(last) = all.iter().rposition(|one| one.stream == stream) {
                all.remove(last);
            }
        });
    }

    fn update(&self, work: impl FnOnce(&mut Vec<Capture>)) {
        let mut all = self.all.lock();
        work(&mut all);
        self.count.store(all.len(), Relaxed);
    }

    /// Whether the calling thread must not make copies.
    #[inline(always)]
    pub fn forbids_copies(&self) -> bool {
        self.is_any_active() && self.applies_to_this_thread()
    }

    /// Whether any thread is capturing.
    #[inline(always)]
    pub fn is_any_active(&self) -> bool {
        self.count.load(Relaxed) > 0
    }

    #[cold]
    fn applies_to_this_thread(&self) -> bool {
        let here = this_thread();
        let all = self.all.lock();
        all.iter()
            .any(|one| one.mode == GLOBAL || one.thread == here)
    }
}

fn this_thread() -> libc::pthread_t {
    // SAFETY: asks for nothing and cannot fail.
    unsafe { libc::pthread_self() }
}
