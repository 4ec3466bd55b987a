//! Mutexes with a rank, and the one order in which a thread may take them: the list below, from the outermost to the
//! innermost. A debug build aborts at the first lock that breaks the order, at a message that would be printed under a
//! lock (a reader of stderr that stalls must stall one thread at most), and at pages that would be protected under one.
//!
//! A thread that reports a crash may hold any of them below the signal: it gives up what needs one that it cannot get.
//!
//! A panic of the holder leaves the value as it is: what a hook leaves out is better than a hook that fails for ever.

use crate::crash_memory::is_reporting;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{PoisonError, TryLockError};

/// A lock's place in the order.
pub trait Rank {
    /// A thread that holds a lock may only take one with a higher number.
    const NUMBER: u32;
    /// The lock's name, for messages.
    const NAME: &'static str;
}

macro_rules! ranks {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// The ranks.
        pub mod rank {
            $($(#[$doc])* #[derive(Debug)] pub struct $name;
            impl super::Rank for $name {
                const NUMBER: u32 = super::Order::$name as u32;
                const NAME: &'static str = stringify!($name);
            })*
        }
        #[allow(clippy::enum_variant_names, reason = "names of locks")]
        enum Order { $($name),* }
        // A thread keeps a bit for each.
        const _: () = assert!([$(stringify!($name)),*].len() <= 64);
        #[cfg(all(debug_assertions, not(loom)))]
        const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

ranks! {
    /// Stopping and starting to record.
    Switching,
    /// Modules whose calls an attach has redirected.
    Redirected,
    /// The search for an interpreter.
    Detection,
    /// The list of loaded modules.
    Modules,
    /// Blocks of the program's own pools, by pool.
    Pools,
    /// Copy descriptors.
    Descriptors,
    /// Keys of shared blocks.
    IpcKeys,
    /// Lists of tensors and scalars.
    Lists,
    /// Retained handles to physical memory.
    Retained,
    /// Video blocks.
    VideoBlocks,
    /// HiAI Matrix blocks that a send may take over.
    AutoFree,
    /// Callers of HiAI functions.
    MatrixCallers,
    /// Graph captures in progress.
    GraphCaptures,
    /// What plans out of a cache use.
    CachedPlans,
    /// Indices of planned operators.
    IndexChecks,
    /// Who planned an operator.
    Planners,
    /// Pages of host blocks that are watched.
    WatchedPages,
    /// Watched host blocks whose end is to be judged.
    PendingEnds,
    /// The last plain host address.
    PlainHost,
    /// The order of work on streams.
    StreamOrder,
    /// Objects that are no blocks.
    Objects,
    /// Devices in use, and what their resets dropped.
    Devices,
    /// Guard pages' faults.
    PageFaults,
    /// Ranges with guard pages.
    GuardRanges,
    /// Blocks filled with a pattern.
    Poison,
    /// Released blocks in quarantine.
    Quarantine,
    /// Which calls named which guarded block.
    RecentWriters,
    /// Blocks to ignore.
    IgnoredBlocks,
    /// A shard of the table of live blocks.
    LiveShard,
    /// Left redzones.
    LeftRedzones,
    /// Findings counted so far.
    FindingCounts,
    /// Call sites.
    CallSites,
    /// Python functions seen.
    CodeObjects,
    /// Names that the program gives to things.
    Strings,
    /// Names of return codes that are recorded.
    NamedStatuses,
    /// The segment of definitions.
    Definitions,
    /// Segments without an owner.
    SegmentPool,
    /// Name lookups.
    Symbolizer,
    /// The loader's list of modules.
    LoaderList,
    /// Warnings that wait until no lock is held.
    Warnings,
}

/// Attempts to take a lock that may never be free.
const MAX_TRIES: usize = 1000;

/// As that, by a thread that reports a crash, whose time is limited: on a busy machine each takes a turn of the others.
const REPORT_TRIES: usize = 20;

/// A value that one thread at a time can use, with the rank of its lock.
pub struct Mutex<R, T>(PhantomData<fn() -> R>, std::sync::Mutex<T>);

/// Holds a [`Mutex`].
pub struct MutexGuard<'a, T> {
    value: std::sync::MutexGuard<'a, T>,
    _held: Held,
}

impl<R: Rank, T> Mutex<R, T> {
    /// A free lock.
    pub const fn new(value: T) -> Self {
        Self(PhantomData, std::sync::Mutex::new(value))
    }

    /// Waits until the lock is free, and takes it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let _held = Held::in_order::<R>();
        let value = match self.1.try_lock() {
            Ok(value) => value,
            Err(TryLockError::Poisoned(value)) => value.into_inner(),
            Err(TryLockError::WouldBlock) => self.wait(),
        };
        MutexGuard { value, _held }
    }

    #[cold]
    fn wait(&self) -> std::sync::MutexGuard<'_, T> {
        if is_reporting() {
            match self.try_often(REPORT_TRIES) {
                Some(held) => return held.value,
                None => give_up_reporting(),
            }
        }
        self.1.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock if it is free, in any order: who does not wait cannot wait for ever.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let value = match self.1.try_lock() {
            Ok(value) => value,
            Err(TryLockError::Poisoned(value)) => value.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let _held = Held::in_any_order::<R>();
        Some(MutexGuard { value, _held })
    }

    /// Takes the lock unless its holder does not give it back for a while: it may be this very thread, below a signal handler, or a
    /// thread of the parent that a forked child has not got.
    pub fn try_for_a_while(&self) -> Option<MutexGuard<'_, T>> {
        self.try_often(MAX_TRIES)
    }

    fn try_often(&self, tries: usize) -> Option<MutexGuard<'_, T>> {
        (0..tries).find_map(|_| {
            let held = self.try_lock();
            if held.is_none() {
                std::thread::yield_now();
            }
            held
        })
    }
}

/// Does a step of a crash's report. `None` if that needs a lock that is not given back: the thread may have held it when
/// it crashed.
pub fn attempt<T>(step: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(step)).ok()
}

/// Call after waiting for a lock for a while: ends the step of the report if this thread reports a crash.
#[cold]
pub fn give_up_reporting() {
    if is_reporting() {
        resume_unwind(Box::new("a lock was held at the crash"));
    }
}

impl<R: Rank, T: Default> Default for Mutex<R, T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

/// Says that this thread holds a lock, until it is dropped. Nothing in a release build, and nothing under loom, whose
/// threads share ours.
pub struct Held(#[cfg(all(debug_assertions, not(loom)))] u32);

#[cfg(any(not(debug_assertions), loom))]
impl Held {
    /// Before waiting for a lock.
    pub fn in_order<R: Rank>() -> Self {
        Self()
    }

    /// After a lock was taken without waiting.
    pub fn in_any_order<R: Rank>() -> Self {
        Self()
    }
}

/// While this lives, a debug build panics at the lock whose number `ACLSAN_TEST_PANIC_AT_LOCK` gives, and faults at the
/// allocation whose number `ACLSAN_TEST_FAULT_AT_ALLOCATION` gives, for the tests of what that leaves behind.
pub struct MayFail(());

#[cfg(any(not(debug_assertions), loom))]
impl MayFail {
    /// From here on.
    pub fn begin() -> Self {
        Self(())
    }
}

/// Call with the lock of the shim's own memory held, which is none of these.
#[cfg(any(not(debug_assertions), loom))]
pub fn fault_if_asked_to() {}

/// Call before what may take long: a message is printed, whose reader may be slow, or the kernel is asked to change something.
#[cfg(any(not(debug_assertions), loom))]
pub fn expect_none_held(_what: &str) {}

#[cfg(all(debug_assertions, not(loom)))]
pub use checked::{expect_none_held, fault_if_asked_to};

#[cfg(all(debug_assertions, not(loom)))]
mod checked {
    use super::{Held, MayFail, NAMES, Rank, is_reporting};
    use std::cell::Cell;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

    thread_local! {
        /// A bit for each rank that this thread holds.
        static HELD: Cell<u64> = const { Cell::new(0) };
        static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
    }

    static LOCKS_TAKEN: AtomicU32 = AtomicU32::new(0);
    static ALLOCATIONS: AtomicU32 = AtomicU32::new(0);
    static FAULT_AT: OnceLock<Option<u32>> = OnceLock::new();

    fn number(variable: &str) -> Option<u32> {
        std::env::var(variable).ok()?.parse().ok()
    }

    impl MayFail {
        pub fn begin() -> Self {
            // Here, as reading it allocates.
            FAULT_AT.get_or_init(|| number("ACLSAN_TEST_FAULT_AT_ALLOCATION"));
            MAY_FAIL.set(true);
            Self(())
        }
    }

    impl Drop for MayFail {
        fn drop(&mut self) {
            MAY_FAIL.set(false);
        }
    }

    fn panic_if_asked_to(name: &str) {
        static AT: OnceLock<Option<u32>> = OnceLock::new();
        if MAY_FAIL.get()
            && let Some(at) = *AT.get_or_init(|| number("ACLSAN_TEST_PANIC_AT_LOCK"))
            && LOCKS_TAKEN.fetch_add(1, Relaxed) + 1 == at
        {
            panic!("the lock {name} is number {at}");
        }
    }

    pub fn fault_if_asked_to() {
        if MAY_FAIL.get()
            && let Some(Some(at)) = FAULT_AT.get()
            && ALLOCATIONS.fetch_add(1, Relaxed) + 1 == *at
        {
            // SAFETY: nothing is mapped there: the process ends by SIGSEGV, as it was asked to.
            unsafe { std::ptr::without_provenance_mut::<u8>(8).write_volatile(1) };
        }
    }

    impl Held {
        pub fn in_order<R: Rank>() -> Self {
            let held = HELD.get();
            if held >> R::NUMBER != 0 {
                abort(&format!("the lock {} is taken", R::NAME), held);
            }
            panic_if_asked_to(R::NAME);
            Self::in_any_order::<R>()
        }

        pub fn in_any_order<R: Rank>() -> Self {
            let held = HELD.get();
            HELD.set(held | 1 << R::NUMBER);
            // A second shard tried under the first is the first's to give back.
            Self(if held >> R::NUMBER & 1 == 0 {
                R::NUMBER
            } else {
                u32::MAX
            })
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            if self.0 != u32::MAX {
                HELD.set(HELD.get() & !(1 << self.0));
            }
        }
    }

    pub fn expect_none_held(what: &str) {
        if let held @ 1.. = HELD.get() {
            abort(what, held);
        }
    }

    fn names(held: u64) -> Vec<&'static str> {
        let ranks = NAMES.iter().enumerate();
        let held = ranks.filter(|(rank, _)| held >> rank & 1 != 0);
        held.map(|(_, name)| *name).collect()
    }

    fn abort(what: &str, held: u64) {
        if is_reporting() {
            return; // A crash under a lock is reported all the same.
        }
        HELD.set(0);
        let trace = std::backtrace::Backtrace::force_capture();
        eprintln!(
            "aclsan: {what} while this thread holds {}\n{trace}",
            names(held).join(", ")
        );
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_frees_the_lock_and_keeps_the_value() {
        let lock: Mutex<rank::Lists, i32> = Mutex::new(1);
        let held = std::panic::AssertUnwindSafe(|| {
            *lock.lock() = 2;
            let _held = lock.lock();
            panic!("while it is held");
        });
        assert!(std::panic::catch_unwind(held).is_err());
        assert_eq!(lock.try_lock().map(|value| *value), Some(2));
    }
}
