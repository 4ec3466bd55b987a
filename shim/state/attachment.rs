//! Whether the process is attached to (`aclsan attach`), and what is to be done when it loads libraries then.

use super::process::Process;
use super::thread::ReentrancyGuard;
use aclsan_os::errno::ErrnoGuard;
use aclsan_os::racy_once::RacyOnce;
use aclsan_os::status::{IDLE, NEW_MODULES, STATE};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether there was an attach. A forked child is attached to like its parent.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
/// Redirects the calls of modules that were loaded since.
static REDIRECT: RacyOnce<Redirect> = RacyOnce::new();

/// Redirects the calls of new modules to the hooks.
pub type Redirect = fn(&'static Process);

/// The process is attached to from here on; calls of modules that it loads are redirected with `redirect`.
pub fn begin(redirect: Redirect) {
    REDIRECT.get_or_init(|| redirect);
    STATE.fetch_and(!(IDLE | NEW_MODULES), Relaxed);
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
