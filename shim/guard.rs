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
    (is_chosen && request.size > 0).then(|| layout(process, request.size, is_padded))?
}

/// Where slack and guard of a block lie; `is_padded` if the call itself adds the SoC's padding.
fn layout(process: &Process, size: u64, is_padded: bool) -> Option<Plan> {
    let options = process.options;
    let profile = process.devices.profile();
    let rounded = profile.rounded(size, is_padded)?;
    let guard = u64::from(options.guard_bytes)
        .min(4096)
        .next_multiple_of(32);
    // What the call adds by itself it adds to our request too, so it is left out of what we ask for.
    let ask = profile.rounded(size, false)?.checked_add(guard)?;
    let slack = u8::try_from(rounded - size).ok()?;
    // Guard bytes must not be what takes a block to larger pages.
    let crosses = rounded <= HUGE_ABOVE && rounded + guard > HUGE_ABOVE;
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
