//! Guard regions behind blocks: how many bytes to ask for, laying the pattern, comparing it.
//!
//! ```text
//! address ─▶ the program's bytes │ slack: the runtime's own rounding │ guard: asked for on top │
//!            0              size                                 rounded              rounded + guard
//! ```
//! Device memory is only touched by the runtime's own copies: one when the pattern is laid, one when it is compared. A pattern that cannot be
//! laid or read back (no context on this thread, a capture going on) is not an error; the block is then not guarded.

use crate::capture;
use crate::front::{self, Pages};
use crate::heap::Request;
use crate::live::Entry;
use crate::mapping;
use crate::options::Guard;
use crate::process::Process;
use crate::record::Hook;
use crate::runtime::copies;
use aclsan_log::record::Found;
use aclsan_rules::Function;
use aclsan_rules::functions::Family;
use aclsan_rules::pattern;
use aclsan_rules::profile::HUGE_ABOVE;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes that are compared without much room on the stack: the guard of the default length, and its slack.
const FEW: usize = 256;

/// What the driver cuts small blocks to: the runtime asks it for 2^9 (source of runtime 681ef761).
const STEP: u64 = 512;

/// A device's small page.
const DEVICE_PAGE: u64 = 4096;

/// How a block is going to be guarded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Bytes to ask the runtime for in place of the program's.
    pub ask: u64,
    /// Bytes of rounding behind the program's.
    pub slack: u8,
    /// Bytes of guard behind those.
    pub guard: u16,
    /// Bytes before the program's, of `ask`: see [`front`].
    pub front: u32,
}

/// Whether our copies may reach blocks of this call's: not of managed memory, which comes in steps of 2 MiB and whose pages belong to
/// whoever touched them last, and not while a capture forbids them.
pub fn may_touch(function: &Function) -> bool {
    function.family() != Some(Family::Managed) && !capture::forbids_copies()
}

/// The plan for a request; `None` when it is not to be guarded. One request in `guard_sample` is.
#[inline(always)]
pub fn plan(hook: &Hook, request: &Request) -> Option<Plan> {
    let process = Process::current();
    // How much the runtime rounds depends on the SoC.
    let is_ready = process.devices.is_soc_known();
    if hook.is_off() {
        return None;
    }
    if process.options.guard() == Guard::Off || !is_ready || !may_touch(hook.function) {
        return unguarded(process, hook.function);
    }
    static REQUESTS: AtomicU64 = AtomicU64::new(0);
    let options = process.options;
    let request_number = REQUESTS.fetch_add(1, Relaxed);
    let is_chosen = is_chosen(options.seed, request_number, options.guard_sample.0);
    let is_padded = is_padded(hook.function.name, request.argument);
    let is_host = hook.function.family().is_some_and(Family::is_host);
    let plan = (is_chosen && request.size > 0)
        .then(|| layout(process, hook.function, request, is_padded, is_host))?;
    match options.guard() {
        Guard::Both => plan.map(|plan| with_front(process, hook.function, request, plan)),
        _ => plan,
    }
}

/// No plan; says of a family that has none ever that it has none.
#[cold]
fn unguarded(process: &Process, function: &Function) -> Option<Plan> {
    if process.options.guard() == Guard::Both && function.family() == Some(Family::Managed) {
        front::lacking(process, "family managed", false);
    }
    None
}

/// Where slack and guard of a block lie; `is_padded` if the call itself adds the SoC's padding.
fn layout(
    process: &Process,
    function: &Function,
    request: &Request,
    is_padded: bool,
    is_host: bool,
) -> Option<Plan> {
    let size = request.size;
    let options = process.options;
    let profile = process.devices.profile();
    let rounded = profile.rounded(size, is_padded)?;
    let guard = u64::from(options.guard_bytes.0).next_multiple_of(32);
    let taken = taken(rounded, guard, page(is_host))?;
    // What the call adds by itself it adds to our request too, so it is left out of what we ask for.
    let ask = taken - (rounded - profile.rounded(size, false)?);
    let slack = u8::try_from(rounded - size).ok()?;
    // Guard bytes must not be what takes a block to larger pages.
    let crosses = rounded <= HUGE_ABOVE
        && taken > HUGE_ABOVE
        && front::pages(function, request.argument) == Pages::Huge;
    if crosses {
        return (slack > 0).then_some(Plan {
            ask: size,
            slack,
            guard: 0,
            front: 0,
        });
    }
    Some(Plan {
        ask,
        slack,
        guard: guard as u16,
        front: 0,
    })
}

/// The same plan, and bytes before the block where it may have some.
fn with_front(process: &Process, function: &Function, request: &Request, plan: Plan) -> Plan {
    let is_host = function.family().is_some_and(Family::is_host);
    let rounded = request.size.saturating_add(plan.slack.into());
    let guard = u64::from(plan.guard);
    let whole = taken(rounded, guard, page(is_host)).unwrap_or(u64::MAX);
    if plan.guard == 0 && process.options.guard_bytes.0 > 0 {
        return plan; // It has no room even for a guard behind it.
    }
    if front::pages(function, request.argument) == Pages::Giant {
        front::lacking(process, "1 GiB pages", true);
    }
    let front = front::length(function, request.argument, (rounded, whole), page(is_host));
    match front.and_then(|front| Some((front, plan.ask.checked_add(front)?))) {
        Some((front, ask)) => Plan {
            ask,
            front: front as u32,
            ..plan
        },
        None => plan,
    }
}

/// What blocks of whole pages start on.
fn page(is_host: bool) -> u64 {
    if is_host {
        mapping::page()
    } else {
        DEVICE_PAGE
    }
}

/// Bytes that the runtime was asked for behind a block's rounding.
pub fn added(entry: &Entry) -> u64 {
    let rounded = entry.size.saturating_add(entry.slack.into());
    let taken = taken(rounded, entry.guard.into(), page(entry.is_host()));
    match entry.guard {
        0 => 0,
        _ => taken.map_or(0, |taken| taken - rounded),
    }
}

/// Bytes that a block of `rounded` bytes takes together with its guard. Blocks of whole pages stay so: the driver cuts the next block
/// behind this one, and where programs take whole pages alone each starts on one, as registrations and exports want it.
fn taken(rounded: u64, guard: u64, page: u64) -> Option<u64> {
    let together = rounded.checked_add(guard)?;
    let is_whole = rounded.checked_next_multiple_of(STEP)?.is_multiple_of(page);
    if is_whole {
        return together.checked_next_multiple_of(page);
    }
    Some(together)
}

/// Lays the pattern behind the block at `address`; `false` if the runtime would not.
pub fn lay(family: Family, address: u64, size: u64, plan: &Plan) -> bool {
    let length = usize::from(plan.slack) + usize::from(plan.guard);
    pattern::behind_end(length).is_some_and(|bytes| {
        copies::copy_to(family.is_host(), (address + size) as *mut c_void, bytes)
    })
}

/// What a look at a guard has shown.
pub struct Compared {
    /// What differs, if anything does.
    pub damage: Option<Run>,
}

/// A run of bytes behind a block that differ from the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// From the block's start to the first of them.
    pub offset: u64,
    /// From the first to the last of them.
    pub extent: u64,
    /// The first of them.
    pub found: Found,
}

/// Compares what lies behind a block with the pattern; `None` if it has no guard or the runtime would not read it.
pub fn compare(address: u64, entry: &Entry) -> Option<Compared> {
    if entry.slack == 0 && entry.guard == 0 {
        return None;
    }
    let length = usize::from(entry.slack) + usize::from(entry.guard);
    let laid = pattern::behind_end(length)?;
    let differs = difference(entry.is_host(), address + entry.size, laid)?;
    let damage = differs.map(|(range, found)| Run {
        offset: entry.size + range.start as u64,
        extent: range.len() as u64,
        found,
    });
    Some(Compared { damage })
}

/// Which of the bytes at `from` differ from what was `laid` there, from the first to the last of them, if any do; the outer `None` if
/// the runtime would not read them.
pub fn difference(is_host: bool, from: u64, laid: &[u8]) -> Option<Option<(Range<usize>, Found)>> {
    match laid.len() {
        0..=FEW => difference_in(&mut [0; FEW], is_host, from, laid),
        _ => difference_in(&mut [0; pattern::MOST], is_host, from, laid),
    }
}

#[inline(always)]
fn difference_in(
    room: &mut [u8],
    is_host: bool,
    from: u64,
    laid: &[u8],
) -> Option<Option<(Range<usize>, Found)>> {
    let bytes = room.get_mut(..laid.len())?;
    copies::copy_from(is_host, from as *const c_void, bytes).then(|| differing(bytes, laid))
}

/// Which bytes differ, from the first to the last. Whole slices first: all but a few looks end there.
pub fn differing(bytes: &[u8], laid: &[u8]) -> Option<(Range<usize>, Found)> {
    if bytes == laid {
        return None;
    }
    let differs = |&i: &usize| bytes[i] != laid[i];
    let first = (0..bytes.len()).find(differs)?;
    let end = (first..bytes.len()).rev().find(differs)? + 1;
    Some((first..end, Found::new(&bytes[first..end])))
}

/// Whether the `request`-th request is among the one in `sample` that are guarded; every request alike, and the same for the same seed.
fn is_chosen(seed: u32, request: u64, sample: u32) -> bool {
    // splitmix64: its values are evenly spread, whatever follows whatever.
    let mut x = (u64::from(seed) << 32 ^ request).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (x ^ x >> 31).is_multiple_of(sample.into())
}

/// Whether a call adds the SoC's padding to what it is asked for.
pub fn is_padded(function: &str, policy: u32) -> bool {
    let is_1g_page = matches!(policy, 6 | 7);
    !is_1g_page
        && matches!(
            function,
            "aclrtMalloc"
                | "aclrtMallocCached"
                | "acldvppMalloc"
                | "acldvppMallocWithCfg"
                | "hi_mpi_dvpp_malloc"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found_wherever_it_lies() {
        for length in [1, 127, FEW, FEW + 1, pattern::MOST] {
            let laid = pattern::behind_end(length).unwrap();
            assert_eq!(differing(laid, laid), None);
            for (first, last) in [(0, 0), (0, length - 1), (length / 2, length - 1)] {
                let mut bytes = laid.to_vec();
                (bytes[first], bytes[last]) = (0, 0);
                let (range, found) = differing(&bytes, laid).unwrap();
                assert_eq!(range, first..last + 1);
                assert_eq!(found, Found::new(&bytes[first..=last]));
            }
        }
    }

    #[test]
    fn whole_pages_stay_whole_pages() {
        // 32768 + 256 = 33024; 36864 is 9 pages. 4000 is cut to 4096, so 4256 becomes two.
        assert_eq!(taken(32768, 256, 4096), Some(36864));
        assert_eq!(taken(4000, 256, 4096), Some(8192));
        assert_eq!(taken(65536, 256, 65536), Some(131_072));
    }

    #[test]
    fn other_sizes_take_their_guard_alone() {
        // 65536 + 32 of padding is cut to 66048, 16 pages and 512 bytes.
        assert_eq!(taken(65568, 256, 4096), Some(65824));
        assert_eq!(taken(32768, 256, 65536), Some(33024));
        assert_eq!(taken(u64::MAX - 10, 256, 4096), None);
    }

    #[test]
    fn one_request_in_sixteen_is_chosen_and_another_seed_chooses_others() {
        let chosen =
            |seed| -> Vec<u64> { (0..16_000).filter(|&n| is_chosen(seed, n, 16)).collect() };
        // 16000 / 16 = 1000, and three standard deviations: 3 * sqrt(16000 * 1/16 * 15/16) = 92
        assert!(chosen(1).len().abs_diff(1000) < 92, "{}", chosen(1).len());
        assert_eq!(chosen(1), chosen(1));
        assert_ne!(chosen(1), chosen(2));
        assert!((0..100).all(|n| is_chosen(7, n, 1)));
    }
}
