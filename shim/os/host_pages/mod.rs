//! Pages of host memory that are protected from the CPU while a device uses them, and the fault that an access then raises.
//!
//! A [`Claim`] says which bytes the device uses and how; its pages are unreadable if the device writes there, else
//! read-only. The first access opens them. A page with several claims has the strictest protection of them.
//!
//! **Signals.** An access faults in the middle of any code of the program, so [`fault`] takes only the lock of this table,
//! and whoever holds it has all signals blocked and touches none of the program's memory ([`lock`]).
//!
//! **The device is not stopped.** It accesses memory by physical or I/O addresses that the driver took from the page tables
//! when the copy was submitted (driver ef377e9, `svm/v2/devmm`: `devmm_svm_get_host_pa_list` collects the frames of
//! page-locked memory, `devmm_va_to_palist` needs a frame to be present, and a protected one is). The pages stay where they
//! are: `mprotect` changes what the CPU may do with them. A driver that resolves an address while a later call is submitted
//! might see the protection: hooks open what a call names before they forward it. Where a device shares the page tables of
//! the process (SVA; boards where host and device are one), none of this holds, and nothing is protected there.

pub mod fault;
#[cfg(any(target_arch = "aarch64", test))]
mod instruction;
mod lock;
mod program_action;
mod table;

pub use program_action::replace_program_action;
pub use table::{Claim, Outcome, Touch};

use crate::lock::expect_none_held;
use crate::page_range::{page_down, page_up};
use lock::SignalLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use table::Table;

static TABLE: SignalLock<Table> = SignalLock::new(Table::new());

/// Number of claims, to be read without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// All protected pages are between these two.
static LOW: AtomicU64 = AtomicU64::new(u64::MAX);
static HIGH: AtomicU64 = AtomicU64::new(0);

/// Whether no page is protected.
#[inline]
pub fn is_empty() -> bool {
    COUNT.load(Relaxed) == 0
}

/// Whether none of these bytes is on a page that may be protected.
#[inline]
fn is_apart(from: u64, to: u64) -> bool {
    is_empty() || to <= LOW.load(Relaxed) || HIGH.load(Relaxed) <= from
}

/// Runs `body` with the table, and publishes what it leaves.
fn with<T>(body: impl FnOnce(&mut Table) -> T) -> T {
    TABLE.with(|table| {
        let done = body(table);
        let (low, high) = table.bounds();
        LOW.store(low, Relaxed);
        HIGH.store(high, Relaxed);
        COUNT.store(table.len(), Relaxed);
        done
    })
}

/// Protects the pages of a claim. The pages of its block were readable and writable. Call with no lock held.
pub fn protect(claim: Claim) -> Outcome {
    expect_none_held("pages are protected");
    if !fault::install() {
        return Outcome::Refused;
    }
    with(|table| table.add(claim))
}

/// A copy of all claims, to be judged under other locks than that of the table.
pub fn claims() -> Vec<Claim> {
    let mut claims = Vec::new();
    while !is_empty() {
        // Signal handlers wait for the table, so nothing is allocated while it is held.
        claims.reserve_exact(COUNT.load(Relaxed));
        let is_whole = TABLE.with(|table| {
            let has_room = table.len() <= claims.capacity();
            if has_room {
                claims.extend_from_slice(table.claims());
            }
            has_room
        });
        if is_whole {
            break;
        }
    }
    claims
}

/// Opens the pages of these copied claims, unless somebody has opened, released or claimed them again meanwhile. Call with no
/// lock held: the kernel is asked.
pub fn end(mut over: Vec<Claim>) {
    expect_none_held("pages are opened");
    if !over.is_empty() {
        over.sort_unstable_by_key(|claim| claim.queued);
        with(|table| table.end(&over));
    }
}

/// Opens what is needed for an access of the caller's own or of the runtime, and drops the claims there.
pub fn open(from: u64, to: u64, writes: bool) {
    if !is_apart(from, to) {
        with(|table| table.open(from, to, writes));
    }
}

/// Opens every page.
pub fn open_all() {
    if !is_empty() {
        with(|table| table.retain(&mut |_| false));
    }
}

/// The claim that an access of libc conflicts with, if any. Opens the pages in any case.
pub fn access(from: u64, to: u64, writes: bool) -> Option<u64> {
    match is_apart(from, to) {
        true => None,
        false => with(|table| table.access(from, to, writes)),
    }
}

/// Somebody maps, unmaps or protects these pages: they are not ours to open any more once that is done.
pub fn remapped(from: u64, to: u64) {
    open(page_down(from), page_up(to), true);
}

/// In a forked child: nothing is in flight there, whatever its parent's threads were doing.
pub fn forked() {
    TABLE.reset();
    open_all();
}

/// Published bounds of the protected pages, for the companion library.
pub fn bounds() -> (&'static AtomicU64, &'static AtomicU64) {
    (&LOW, &HIGH)
}
