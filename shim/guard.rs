//! Guard regions behind blocks: how many bytes to ask for, laying the pattern, comparing it.
//!
//! ```text
//! address ─▶ the program's bytes │ slack: the runtime's own rounding │ guard: asked for on top │
//!            0              size                                 rounded              rounded + guard
//! ```
//! Device memory is only touched by the runtime's own copies: one when the pattern is laid, one when it is compared. A pattern that cannot be
//! laid or read back (no context on this thread, a capture going on) is not an error; the block is then not guarded.

use crate::capture;
use crate::heap::Request;
use crate::hook::Hook;
use crate::interpose;
use crate::live::Entry;
use crate::mapping;
use crate::options::Guard;
use crate::process::Process;
use aclsan_log::record::Found;
use aclsan_rules::functions::{FUNCTIONS, Family};
use aclsan_rules::pattern;
use aclsan_rules::profile::HUGE_ABOVE;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Largest guard and slack together, in bytes: they are compared on the stack.
const MOST: usize = 4096 + 64;

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
}

/// The plan for a request; `None` when it is not to be guarded. One request in `guard_sample` is.
#[inline(always)]
pub fn plan(hook: &Hook, request: &Request) -> Option<Plan> {
    let process = Process::current();
    // How much the runtime rounds depends on the SoC.
    let is_ready = process.devices.is_soc_known() && !capture::forbids_copies();
    if process.options.guard() == Guard::Off || !is_ready {
        return None;
    }
    // Managed memory comes in steps of 2 MiB, and its pages belong to whoever touched them last.
    if hook.function.family() == Some(Family::Managed) {
        return None;
    }
    static REQUESTS: AtomicU64 = AtomicU64::new(0);
    let sample = u64::from(process.options.guard_sample.0);
    let is_chosen = REQUESTS.fetch_add(1, Relaxed).is_multiple_of(sample);
    let is_padded = is_padded(hook.function.name, request.argument);
    let is_host = hook.function.family().is_some_and(Family::is_host);
    (is_chosen && request.size > 0).then(|| layout(process, request.size, is_padded, is_host))?
}

/// Where slack and guard of a block lie; `is_padded` if the call itself adds the SoC's padding.
fn layout(process: &Process, size: u64, is_padded: bool, is_host: bool) -> Option<Plan> {
    let options = process.options;
    let profile = process.devices.profile();
    let rounded = profile.rounded(size, is_padded)?;
    let guard = u64::from(options.guard_bytes)
        .min(4096)
        .next_multiple_of(32);
    let page = if is_host {
        mapping::page()
    } else {
        DEVICE_PAGE
    };
    let taken = taken(rounded, guard, page)?;
    // What the call adds by itself it adds to our request too, so it is left out of what we ask for.
    let ask = taken - (rounded - profile.rounded(size, false)?);
    let slack = u8::try_from(rounded - size).ok()?;
    // Guard bytes must not be what takes a block to larger pages.
    let crosses = rounded <= HUGE_ABOVE && taken > HUGE_ABOVE;
    if crosses {
        return (slack > 0).then_some(Plan {
            ask: size,
            slack,
            guard: 0,
        });
    }
    Some(Plan {
        ask,
        slack,
        guard: guard as u16,
    })
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
    let mut bytes = [0; MOST];
    let length = usize::from(plan.slack) + usize::from(plan.guard);
    let Some(bytes) = bytes.get_mut(..length) else {
        return false;
    };
    bytes
        .iter_mut()
        .zip(0..)
        .for_each(|(byte, i)| *byte = pattern::byte(i));
    let behind = (address + size) as *mut c_void;
    interpose::copy_to(family.is_host(), behind, bytes)
}

/// A run of bytes behind a block that differ from the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Damage {
    /// From the block's start to the first of them.
    pub offset: u64,
    /// From the first to the last of them.
    pub extent: u64,
    /// The first of them.
    pub found: Found,
}

/// Compares what lies behind a block with the pattern.
pub fn compare(address: u64, entry: &Entry) -> Option<Damage> {
    if entry.slack == 0 && entry.guard == 0 {
        return None;
    }
    let mut bytes = [0; MOST];
    let bytes = bytes.get_mut(..usize::from(entry.slack) + usize::from(entry.guard))?;
    let is_host = FUNCTIONS[usize::from(entry.function)]
        .family()
        .is_some_and(Family::is_host);
    if !interpose::copy_from(is_host, (address + entry.size) as *const c_void, bytes) {
        return None;
    }
    let differs = |i: usize| bytes[i] != pattern::byte(i as u64);
    let first = (0..bytes.len()).find(|&i| differs(i))?;
    let last = (first..bytes.len()).rev().find(|&i| differs(i))?;
    let found = Found::new(&bytes[first..=last]);
    Some(Damage {
        offset: entry.size + first as u64,
        extent: (last - first) as u64 + 1,
        found,
    })
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
}
