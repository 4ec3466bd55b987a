//! Whether the process is attached to (`aclsan attach`), and what is to be done when it loads libraries then.

use super::process::Process;
use super::thread::ReentrancyGuard;
use aclsan_log::record::ATTACH_SETTLES_NS;
use aclsan_os::clock;
use aclsan_os::errno::ErrnoGuard;
use aclsan_os::racy_once::RacyOnce;
use aclsan_os::status::{IDLE, NEW_MODULES, STATE, UNSETTLED};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Whether there was an attach. A forked child is attached to like its parent.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
/// When calls that began before the attach have surely returned.
static SETTLED_NS: AtomicU64 = AtomicU64::new(0);
/// Redirects the calls of modules that were loaded since.
static REDIRECT: RacyOnce<Redirect> = RacyOnce::new();

/// Redirects the calls of new modules to the hooks.
pub type Redirect = fn(&'static Process);

/// The process is attached to from here on; calls of modules that it loads are redirected with `redirect`.
pub fn begin(redirect: Redirect) {
    REDIRECT.get_or_init(|| redirect);
    SETTLED_NS.store(now_ns() + ATTACH_SETTLES_NS, Relaxed);
    STATE.fetch_and(!(IDLE | NEW_MODULES), Relaxed);
    STATE.fetch_or(UNSETTLED, Relaxed);
    HAS_BEGUN.store(true, Relaxed);
}

/// The process is no longer attached to.
pub fn end() {
    STATE.fetch_or(IDLE, Relaxed);
}

/// Whether the process is attached to.
pub fn is_attached() -> bool {
    HAS_BEGUN.load(Relaxed) && STATE.load(Relaxed) & IDLE == 0
}

/// Whether calls that began before the attach may still be under way: each may return memory that has been released meanwhile.
#[inline(always)]
pub fn is_unsettled() -> bool {
    STATE.load(Relaxed) & UNSETTLED != 0
}

/// Ends that time when it is over.
pub fn settle() {
    if now_ns() >= SETTLED_NS.load(Relaxed) {
        STATE.fetch_and(!UNSETTLED, Relaxed);
    }
}

fn now_ns() -> u64 {
    clock::nanoseconds_of(clock::ticks(clock::source()))
}

/// A library was loaded on this thread: its calls are redirected, too.
pub fn on_loaded() {
    if is_attached()
        && let Some(redirect) = REDIRECT.get()
        && let (Some(process), Some(_inside)) =
            (Process::if_initialized(), ReentrancyGuard::enter())
    {
        let _errno = ErrnoGuard::new();
        redirect(process);
    }
}

/// A library may have been loaded when the next call comes.
pub fn expect_new() {
    if is_attached() {
        STATE.fetch_or(NEW_MODULES, Relaxed);
    }
}

/// Redirects the calls of modules that were loaded since.
pub fn redirect_new() {
    STATE.fetch_and(!NEW_MODULES, Relaxed);
    on_loaded();
}

/// As [`redirect_new`], if there may be such modules.
pub fn redirect_if_expected() {
    if STATE.load(Relaxed) & NEW_MODULES != 0 {
        redirect_new();
    }
}
