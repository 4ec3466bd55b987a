//! Guards before blocks: `guard=both`. The program is given an address behind the guard, and the runtime is told the block's real start
//! where it wants one.
//!
//! ```text
//! real start ─▶ front, asked for on top │ the program's bytes │ slack │ guard
//!               start − length          start, as the program knows it
//! ```
//! What takes any address inside a block needs no translation: copies, kernels, descriptors, models, exports of whole pages, host
//! registrations, pointer attributes. Releases and `aclrtMemGetAddressRange` do.

use crate::guard::{self, Run};
use crate::live::Entry;
use crate::process::Process;
use crate::runtime::copies;
use crate::say;
use aclsan_log::Definition;
use aclsan_log::record::Found;
use aclsan_rules::numbers::ByNumber;
use aclsan_rules::profile::HUGE_ABOVE;
use aclsan_rules::{Family, Function, pattern};
use std::collections::BTreeSet;
use std::ffi::c_void;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bytes directly before a block that are compared at most.
const WATCHED_MOST: usize = 4096;
/// What the driver cuts small blocks to.
const STEP: u64 = 512;
/// A device's small page.
const DEVICE_PAGE: u64 = 4096;
/// A device's large page, which blocks of large pages start on.
const HUGE_PAGE: u64 = 2 << 20;

/// What lies before a block.
#[derive(Clone, Copy)]
struct Front {
    /// Bytes from the real start to the program's.
    length: u64,
    /// Whether its pattern is compared: until damage was told.
    is_watched: bool,
}

/// Fronts by the program's address, and the program's addresses by the real start. It is no part of the process's state: a forked child
/// goes on using its parent's pointers.
pub struct Table {
    fronts: ByNumber<u64, Front>,
    starts: ByNumber<u64, u64>,
    lacking: BTreeSet<&'static str>,
}

/// Held across a fork, so that the child finds it whole.
pub static TABLE: Mutex<Table> = Mutex::new(Table {
    fronts: ByNumber::with_hasher(BuildHasherDefault::new()),
    starts: ByNumber::with_hasher(BuildHasherDefault::new()),
    lacking: BTreeSet::new(),
});
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Table {
    fn put(&mut self, address: u64, front: Front) {
        self.fronts.insert(address, front);
        self.starts.insert(address - front.length, address);
    }

    fn take(&mut self, address: u64) -> Option<Front> {
        let front = self.fronts.remove(&address)?;
        self.starts.remove(&(address - front.length));
        Some(front)
    }
}

fn change<T>(work: impl FnOnce(&mut Table) -> T) -> T {
    let mut table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
    let done = work(&mut table);
    COUNT.store(table.fronts.len(), Relaxed);
    done
}

/// Whether any block has a front.
#[inline(always)]
fn any() -> bool {
    COUNT.load(Relaxed) > 0
}

/// What pages a request comes from, as far as its start depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pages {
    /// Small ones, or large ones that blocks are cut from.
    Cut,
    /// Large ones if it is large.
    Huge,
    /// Large ones whatever its size.
    HugeOnly,
    /// 1 GiB.
    Giant,
}

/// The pages that `policy` of the call asks for.
pub fn pages(function: &Function, policy: u32) -> Pages {
    if function.family() != Some(Family::Device) {
        return Pages::Cut;
    }
    if function.name.starts_with("rt") {
        return Pages::Huge; // Below AscendCL the argument is no policy of its.
    }
    match policy & 0xff {
        1 | 4 => Pages::HugeOnly,
        2 | 5 => Pages::Cut,
        6 | 7 => Pages::Giant,
        _ => Pages::Huge,
    }
}

/// Bytes to ask for before a block, so that its start is aligned as without them; `None` if it is to have none. The block takes `rounded`
/// bytes and `taken` with what lies behind it; `page` is what blocks of whole pages start on.
pub fn length(
    function: &Function,
    policy: u32,
    (rounded, taken): (u64, u64),
    page: u64,
) -> Option<u64> {
    let pages = pages(function, policy);
    // A start keeps its place in its page, whatever its block: keys to blocks want whole pages, and small blocks may start on one.
    let is_whole = rounded.checked_next_multiple_of(STEP)?.is_multiple_of(page);
    let small = if is_whole { page } else { DEVICE_PAGE };
    match pages {
        Pages::Giant => None,
        Pages::HugeOnly => Some(HUGE_PAGE),
        Pages::Huge if rounded > HUGE_ABOVE => Some(HUGE_PAGE),
        // The guard must not be what takes a block to larger pages.
        Pages::Huge if taken.checked_add(small)? > HUGE_ABOVE => None,
        Pages::Huge | Pages::Cut => Some(small),
    }
}

fn watched(length: u64) -> usize {
    usize::try_from(length).map_or(WATCHED_MOST, |length| length.min(WATCHED_MOST))
}

/// Lays a pattern at the end of the first `length` bytes behind the real start, and from there on translates. Returns the address for the
/// program; `None` if the runtime would not copy, and the block is the program's from its real start on.
#[cold]
pub fn open(is_host: bool, real: u64, length: u64) -> Option<u64> {
    let bytes = pattern::before_start(watched(length))?;
    let address = real.checked_add(length)?;
    let from = (address - bytes.len() as u64) as *mut c_void;
    if !copies::copy_to(is_host, from, bytes) {
        return None;
    }
    let is_watched = true;
    change(|table| table.put(address, Front { length, is_watched }));
    Some(address)
}

/// Bytes before the block that starts at `address`.
#[inline(always)]
pub fn before(address: u64) -> u64 {
    if !any() {
        return 0;
    }
    change(|table| table.fronts.get(&address).map_or(0, |front| front.length))
}

/// The block of the program's that really starts at `real`.
#[inline(always)]
pub fn behind(real: u64) -> Option<u64> {
    any().then(|| change(|table| table.starts.get(&real).copied()))?
}

/// Whether the bytes before the block at `address` are looked at.
pub fn is_watched(address: u64) -> bool {
    watched_before(address).is_some()
}

/// How many bytes before the block at `address` are compared.
#[inline(always)]
fn watched_before(address: u64) -> Option<usize> {
    let front = any().then(|| change(|table| table.fronts.get(&address).copied()))??;
    front.is_watched.then(|| watched(front.length))
}

/// Releases what starts at `address` as the program knows it: `forward` takes what the runtime knows. Translated from before the runtime
/// has it: afterwards the memory may be another thread's.
#[inline(always)]
pub fn release(address: *mut c_void, forward: impl FnOnce(*mut c_void) -> i32) -> i32 {
    if !any() {
        return forward(address);
    }
    release_behind(address as u64, |real| forward(real as *mut c_void))
}

#[cold]
fn release_behind(address: u64, forward: impl FnOnce(u64) -> i32) -> i32 {
    let (front, inside) = change(|table| {
        let front = table.take(address);
        // The program does not know this address; it must not end a block that it was never given.
        let inside = table.starts.get(&address).copied();
        (front, inside)
    });
    let Some(front) = front else {
        return forward(inside.unwrap_or(address));
    };
    let status = forward(address - front.length);
    if status != 0 {
        change(|table| table.put(address, front));
    }
    status
}

/// The block is gone, and its memory with it: a reset dropped it.
pub fn forget(address: u64) {
    if any() {
        change(|table| table.take(address));
    }
}

/// The damage before the block at `address` was told.
pub fn told(address: u64) {
    if any() {
        change(|table| {
            if let Some(front) = table.fronts.get_mut(&address) {
                front.is_watched = false;
            }
        });
    }
}

/// Compares what lies before a block with the pattern: the run that differs, if any does. The outer `None` if there is nothing to compare,
/// or the runtime would not read it.
#[inline(always)]
pub fn compare(address: u64, entry: &Entry) -> Option<Option<Run>> {
    let length = watched_before(address)?;
    let laid = pattern::before_start(length)?;
    let differs = guard::difference(entry.is_host(), address - length as u64, laid)?;
    Some(run(length, differs))
}

/// What differs among the `length` bytes before a block, placed from its start.
fn run(length: usize, differs: Option<(Range<usize>, Found)>) -> Option<Run> {
    let (range, found) = differs?;
    Some(Run {
        offset: ((length - range.start) as u64).wrapping_neg(),
        extent: range.len() as u64,
        found,
    })
}

/// As [`lacking`], of a family whose blocks can't be guarded at all.
#[cold]
pub fn unguarded(process: &Process, family: Family) {
    let kind = match family {
        Family::Pool => "family pool",
        Family::Hiai => "family hiai",
        Family::HiaiDvpp => "family hiai-dvpp",
        _ => return, // No memory that a copy of ours could reach.
    };
    lacking(process, kind, false);
}

/// A block was given out that can't have a guard before it; said once for each kind, and put on record.
#[cold]
pub fn lacking(process: &Process, kind: &'static str, has_rear: bool) {
    if !change(|table| table.lacking.insert(kind)) {
        return;
    }
    let rest = match has_rear {
        true => "none before them, and one behind them as with `guard=rear`",
        false => "no guard",
    };
    let sentence = format!("`guard=both`: blocks of {kind} have {rest}");
    say::warning(&sentence);
    process.sink.define(&Definition::Property {
        key: format!("{}{kind}", aclsan_log::record::NO_FRONT),
        value: sentence,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclsan_rules::functions;

    fn length_of(name: &str, policy: u32, rounded: u64) -> Option<u64> {
        let function = functions::function(name).unwrap();
        length(function, policy, (rounded, rounded + 64), 4096)
    }

    #[test]
    fn a_front_keeps_the_start_aligned_as_its_pages_are() {
        assert_eq!(length_of("aclrtMalloc", 0, 1056), Some(4096));
        assert_eq!(length_of("aclrtMalloc", 0, 8192), Some(4096));
        assert_eq!(length_of("aclrtMalloc", 0, (1 << 20) + 32), Some(2 << 20));
        assert_eq!(length_of("aclrtMalloc", 1, 64), Some(2 << 20)); // HUGE_ONLY
        assert_eq!(length_of("aclrtMalloc", 2, 3 << 20), Some(4096)); // NORMAL_ONLY
        assert_eq!(length_of("aclrtMallocHost", 0, 3 << 20), Some(4096));
        assert_eq!(length_of("acldvppMalloc", 0, 96), Some(4096));
        assert_eq!(length_of("rtMalloc", 2, 3 << 20), Some(2 << 20));
    }

    #[test]
    fn no_front_where_it_would_change_the_page_class_or_take_a_gigabyte() {
        // 1048576 - 64 - 4096 = 1044416 still fits below the cliff with its 64 bytes behind; 32 more do not.
        assert_eq!(length_of("aclrtMalloc", 0, 1_044_416), Some(4096));
        assert_eq!(length_of("aclrtMalloc", 0, 1_044_448), None);
        assert_eq!(length_of("aclrtMalloc", 6, 1 << 30), None);
        assert_eq!(length_of("aclrtMalloc", 0x1007, 1 << 30), None); // with an access flag
    }

    #[test]
    fn damage_before_a_block_is_placed_from_its_start() {
        let mut bytes = pattern::before_start(512).unwrap().to_vec();
        assert!(
            run(
                512,
                guard::differing(&bytes, pattern::before_start(512).unwrap())
            )
            .is_none()
        );
        (bytes[508], bytes[511]) = (0, 0); // the fourth and the first before the block
        let differs = guard::differing(&bytes, pattern::before_start(512).unwrap());
        let run = run(512, differs).unwrap();
        assert_eq!((run.offset.wrapping_neg(), run.extent), (4, 4));
    }
}
