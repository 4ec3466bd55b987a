//! Whether the process is attached to (`aclsan attach`), and what is to be done when it loads libraries then.

use super::process::Process;
use super::reentrancy::ReentrancyGuard;
use aclsan_log::record::ATTACH_SETTLES_NS;
use aclsan_os::clock;
use aclsan_os::errno::ErrnoGuard;
use aclsan_os::racy_once::RacyOnce;
use aclsan_os::status::{IDLE, NEW_MODULES, STATE, UNSETTLED};
use aclsan_os::thread_name::current_tid;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Whether there was an attach. A forked child is attached to like its parent.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
/// The thread that loads a library, and until when that may take.
static LOADER: AtomicU32 = AtomicU32::new(0);
static LOAD_ENDS_NS: AtomicU64 = AtomicU64::new(0);
/// When another thread looks next whether the library is there.
static NEXT_LOOK_NS: AtomicU64 = AtomicU64::new(0);
/// Time that a library takes to load at most, and between two looks.
const LOAD_NS: u64 = 2_000_000_000;
const LOOK_NS: u64 = 10_000_000;
/// When calls that began before the attach have surely returned.
static SETTLED_NS: AtomicU64 = AtomicU64::new(0);
/// Redirects the calls of modules that were loaded since.
static REDIRECT: RacyOnce<Redirect> = RacyOnce::new();

/// Redirects the calls of new modules to the hooks.
pub type Redirect = fn(&'static Process);

/// The process is attached to from here on, with a log that began at `begun_ns`, from which replay counts, too; calls of modules that it loads are
/// redirected with `redirect`.
pub fn begin(redirect: Redirect, begun_ns: u64) {
    REDIRECT.get_or_init(|| redirect);
    SETTLED_NS.store(begun_ns.saturating_add(ATTACH_SETTLES_NS), Relaxed);
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
    if clock::monotonic_ns() >= SETTLED_NS.load(Relaxed) {
        STATE.fetch_and(!UNSETTLED, Relaxed);
    }
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

/// This thread is about to load a library without telling us when that is done.
pub fn expect_new() {
    if is_attached() {
        let now = clock::monotonic_ns();
        LOADER.store(current_tid(), Relaxed);
        LOAD_ENDS_NS.store(now + LOAD_NS, Relaxed);
        NEXT_LOOK_NS.store(now + LOOK_NS, Relaxed);
        STATE.fetch_or(NEW_MODULES, Relaxed);
    }
}

/// Redirects the calls of modules that were loaded since. The thread that loads a library has done so when it comes here; others look now
/// and then, until it must be there.
pub fn redirect_new() {
    let now = clock::monotonic_ns();
    if LOADER.load(Relaxed) == current_tid() || now >= LOAD_ENDS_NS.load(Relaxed) {
        STATE.fetch_and(!NEW_MODULES, Relaxed);
    } else if now < NEXT_LOOK_NS.load(Relaxed) {
        return;
    } else {
        NEXT_LOOK_NS.store(now + LOOK_NS, Relaxed);
    }
    on_loaded();
}

/// As [`redirect_new`], if there may be such modules.
pub fn redirect_if_expected() {
    if STATE.load(Relaxed) & NEW_MODULES != 0 {
        redirect_new();
    }
}
