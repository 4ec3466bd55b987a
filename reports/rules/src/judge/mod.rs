//! The questions that a host asks: which rules apply to a fact. For a release, the first rule with a finding wins. The
//! ends of a copy are judged separately, and a copy that the runtime refuses touches nothing.

pub mod registry;

use crate::api::block::{AddressInfo, Block};
use crate::api::family::{Family, Loss};
use crate::api::functions::{Call, Effect, Function, Role};
use crate::api::profile::Profile;
use crate::evidence::access::{Access, Shape, Side};
use crate::evidence::corruption::Corruption;
use crate::evidence::finding::Finding;
use crate::evidence::reachability::Reachability;
use crate::rules::*;
use aclsan_log::record as log;
use aclsan_log::{CallSiteId, Mapping};

/// The widest row that `aclrtMemcpy2dAsync` accepts, in bytes (runtime 681ef761).
const MAX_ASYNC_ROW_BYTES: u64 = 5_000_000;
/// The most rows that `aclrtMemcpy2dAsync` accepts (runtime 681ef761).
const MAX_ASYNC_ROWS: u64 = 5_242_880;

/// A release, before the runtime is called. `mapping` is what is at `address` if no block explains it.
pub fn release(
    call: &Call,
    address: u64,
    info: &AddressInfo,
    mapping: Mapping,
    profile: &Profile,
) -> Option<Finding> {
    if call.function.family().is_some_and(Family::is_handle) {
        return double_free::check(call, address, info);
    }
    free_null::check(call, address)
        .or_else(|| free_after_reset::check(call, address, info))
        .or_else(|| ipc_order::check_free(call, address, info))
        .or_else(|| hiai_ownership::check_release(call, address, info))
        .or_else(|| double_free::check(call, address, info))
        .or_else(|| mismatched_free::check_range(call, address, info))
        .or_else(|| interior_free::check(call, address, info))
        .or_else(|| invalid_free::check(call, address, info, mapping, profile))
        .or_else(|| mismatched_free::check(call, address, info, profile))
        .or_else(|| context_mismatch::check_release(call, address, info))
}

/// Whether neither [`release`] nor a tracker that ignores plain blocks can have a finding for the release of a live
/// block by its start. A cheap first check for logs with millions of releases; `false` if unsure.
#[inline]
pub fn is_plain_release(call: &Call, block: &Block) -> bool {
    let Role::Release(family) = call.function.role else {
        return false;
    };
    block.function.role == Role::Allocate(family)
        && is_plain(family)
        && block.address != 0
        && (block.device == call.device || block.device < 0 || call.device < 0)
}

/// Whether blocks of the family are plain memory to everybody.
#[inline]
pub fn is_plain(family: Family) -> bool {
    matches!(
        family,
        Family::Device | Family::Dvpp | Family::DvppMpi | Family::Pinned
    )
}

/// A release that the runtime refused with `status`, and for which [`release`] had no finding.
pub fn refused(call: &Call, address: u64, info: &AddressInfo, status: i32) -> Option<Finding> {
    context_mismatch::check_refused(call, info, status)
        .or_else(|| release_failed::check(call, address, info, status))
}

/// A copy or fill on `stream` that the runtime refused with `status`.
pub fn refused_on(call: &Call, stream: &AddressInfo, status: i32) -> Option<Finding> {
    context_mismatch::check_refused(call, stream, status)
}

/// Bits that are clear in the start of every block of `allocator` for which [`allocation`] has no finding. Computed
/// once, for logs with millions of allocations.
pub fn start_bits(allocator: &Function, profile: &Profile) -> u64 {
    misaligned_block::low_bits(allocator, profile)
}

/// A new block.
#[inline]
pub fn allocation(block: &Block, profile: &Profile) -> Option<Finding> {
    misaligned_block::check(block, profile)
}

/// A call that writes a host result through `address`.
pub fn out_parameter(
    call: &Call,
    address: u64,
    info: &AddressInfo,
    profile: &Profile,
) -> Option<Finding> {
    (!profile.shared_memory).then(|| device_address_on_host::check_result(call, address, info))?
}

/// A copy, before the runtime is called.
pub fn copy(
    call: &Call,
    copy: &Copy,
    to: &AddressInfo,
    from: &AddressInfo,
    profile: &Profile,
) -> Vec<Finding> {
    // NULL and numbers that are no `kind` are refused with 100000; a count of 0 returns before anything else is
    // checked.
    let is_null = copy.to == 0 || copy.from == 0;
    if copy.count == 0 || is_null || (call.function.vendor().copy_kind)(call.argument).is_none() {
        return Vec::new();
    }
    // A wrong `destMax` is wrong whatever becomes of the call: 107000 for a larger `count`, nothing at all for a copy
    // onto itself.
    let is_done = copy.count <= copy.room && copy.to != copy.from;
    let written = if is_done { copy.count } else { 0 };
    let claim = destmax_overstated::check(call, copy.to, copy.room, written, to);
    if !is_done {
        return Vec::from_iter(claim);
    }
    let shape = Shape::Run(copy.count);
    let mut found = both_ends(
        call,
        (copy.to, to, shape),
        (copy.from, from, shape),
        profile,
    );
    found.extend(claim);
    found.extend(copy_misaligned::check(
        call,
        (copy.to, to),
        (copy.from, from),
    ));
    found
}

/// A copy of rows, before the runtime is called.
pub fn copy_2d(
    call: &Call,
    copy: &Copy2d,
    to: &AddressInfo,
    from: &AddressInfo,
    profile: &Profile,
) -> Vec<Finding> {
    let &Copy2d {
        width,
        height,
        to_pitch,
        from_pitch,
        ..
    } = copy;
    let is_null = copy.to == 0 || copy.from == 0;
    let is_too_large = width > MAX_ASYNC_ROW_BYTES || height > MAX_ASYNC_ROWS;
    let is_refused = width > to_pitch
        || width > from_pitch
        || is_null
        || !(call.function.vendor().is_copy_kind_of_rows)(call.argument)
        || call.function.is_async && is_too_large;
    if width == 0 || height == 0 || is_refused {
        return Vec::new();
    }
    let rows = |pitch| Shape::Rows {
        pitch,
        width,
        height,
    };
    both_ends(
        call,
        (copy.to, to, rows(to_pitch)),
        (copy.from, from, rows(from_pitch)),
        profile,
    )
}

/// Findings for both ends of a copy that the runtime performs.
fn both_ends(
    call: &Call,
    to: (u64, &AddressInfo, Shape),
    from: (u64, &AddressInfo, Shape),
    profile: &Profile,
) -> Vec<Finding> {
    let end = |side, (address, info, shape)| Access {
        call,
        side,
        address,
        shape,
        info,
    };
    let (written, read) = (end(Side::Written, to), end(Side::Read, from));
    let mut found = Vec::new();
    found.extend(touched(&written, profile));
    // A size that is too large for either block, wherever the copy begins, is one mistake.
    if !(written.is_too_large() && read.is_too_large()) {
        found.extend(touched(&read, profile));
    }
    // Nobody meant to copy bytes beyond the end of a block.
    if written.overrun().is_none() && read.overrun().is_none() {
        found.extend(copy_overlap::check(&written, &read));
    }
    found.extend(copy_wrong_direction::check(
        call,
        (to.0, to.1),
        (from.0, from.1),
        profile,
    ));
    found
}

/// Findings for one end by itself.
fn touched(access: &Access, profile: &Profile) -> Option<Finding> {
    if access.is_plain() {
        return None;
    }
    vmm_order::check_reach(access)
        .or_else(|| use_after_reset::check(access))
        .or_else(|| copy_use_after_free::check(access, profile))
        .or_else(|| copy_overrun::check(access, profile))
        .or_else(|| copy_overread::check(access))
}

/// A range that a call reads or writes, before the runtime is called.
pub fn uses(call: &Call, used: &RangeUse, info: &AddressInfo, profile: &Profile) -> Vec<Finding> {
    if used.size == 0 || used.address == 0 {
        return Vec::new();
    }
    let touch = |side| {
        let access = Access {
            call,
            side,
            address: used.address,
            shape: Shape::Run(used.size),
            info,
        };
        workspace_too_small::check_block(&access).or_else(|| touched(&access, profile))
    };
    let found = match used.access {
        log::Access::Read => touch(Side::Read),
        log::Access::Write | log::Access::Both => touch(Side::Written),
    };
    Vec::from_iter(found)
}

/// A fill, before the runtime is called.
pub fn set(call: &Call, set: &Memset, to: &AddressInfo, profile: &Profile) -> Vec<Finding> {
    if set.count == 0 || to.has(set.count.max(set.room)) {
        return Vec::new();
    }
    // For bytes, only the queued form compares the count with `maxCount`. Both forms for words do, and require a
    // multiple of 4.
    let is_words = call.function.effect() == Effect::FillWords;
    let is_short = set.count > set.room;
    let is_refused = (call.function.is_async || is_words) && is_short
        || is_words && (!set.to.is_multiple_of(4) || set.to == 0);
    let written = if is_refused { 0 } else { set.count };
    let claim = destmax_overstated::check(call, set.to, set.room, written, to);
    let mut found = Vec::new();
    if !is_refused {
        let (side, shape) = (Side::Written, Shape::Run(set.count));
        found.extend(touched(
            &Access {
                call,
                side,
                address: set.to,
                shape,
                info: to,
            },
            profile,
        ));
        // Fills with words refuse memory that AscendCL did not allocate.
        if !is_words {
            found.extend(device_address_on_host::check_fill(
                call,
                set.to,
                to,
                set.mapping,
                profile,
            ));
        }
    }
    // After the overrun that it follows from.
    found.extend(claim);
    found
}

/// Bytes around a block that differ from the pattern written there.
pub fn corruption(call: &Call, corruption: &Corruption) -> Option<Finding> {
    guard_underrun::check(call, corruption)
        .or_else(|| guard_overrun::check(call, corruption))
        .or_else(|| slack_write::check(call, corruption))
}

/// Poison that changed in a block that was quarantined since its release at `released`.
pub fn freed(call: &Call, corruption: &Corruption, released: CallSiteId) -> Option<Finding> {
    freed_write::check(call, corruption, released)
}

/// A copy to the host returned `extent` bytes of `block` from `offset` on that still have the poison of a new block.
pub fn unwritten(call: &Call, block: &Block, offset: u64, extent: u64) -> Option<Finding> {
    uninitialised_read::check(call, block, offset, extent)
}

/// A block that the reset at `reset` dropped, now that the device is set again at `set_again`.
pub fn set_again(block: &Block, reset: CallSiteId, set_again: CallSiteId) -> Option<Finding> {
    live_at_reset::check(block, reset, set_again)
}

/// `count` blocks of one site, `bytes` in total, that the Matrix would have released had they been sent, but which were
/// neither sent nor released. `block` is the first of them.
pub fn never_sent(block: &Block, count: u64, bytes: u64) -> Option<Finding> {
    hiai_ownership::check_end(block, count, bytes)
}

/// `count` things of one site, `bytes` in total, that were not released when the process or its device ended. `block`
/// is the first of them, `reset` the reset that reclaimed them. `hold` says whether pointers to them are left; the
/// pointer to the first one is in `mapping`, and if that is a lost object, `object` is its size and class, if known.
pub fn leak(
    block: &Block,
    (count, bytes): (u64, u64),
    reset: Option<CallSiteId>,
    ((hold, mapping), object): ((Reachability, Mapping), Option<(u64, &str)>),
) -> Option<Finding> {
    match (block.family().loss(), hold) {
        (Loss::Memory, Reachability::Reachable | Reachability::Cache) => {
            let is_cache = hold == Reachability::Cache;
            leak_reachable::check(block, (count, bytes), reset, mapping, is_cache)
        }
        (Loss::Memory, Reachability::Lost) => {
            let found = leak::check(block, count, bytes, reset)?;
            Some(found.detail(match mapping {
                Mapping::LostObject => leak::lost_with(count, object),
                _ => "lost: no pointer into the memory is left in the program's own".into(),
            }))
        }
        (loss, _) => unreleased(block, loss, count, bytes, reset),
    }
}

/// `count` blocks of the pool `name`, `bytes` in total, nothing of which was in use.
pub fn cached(
    block: &Block,
    sum: (u64, u64),
    reset: Option<CallSiteId>,
    name: &str,
) -> Option<Finding> {
    cache_not_returned::check(block, sum, reset, name)
}

/// `count` blocks, `bytes` in total, that an allocator of a framework keeps for its next requests.
pub fn kept_by(
    block: &Block,
    sum: (u64, u64),
    reset: Option<CallSiteId>,
    allocator: &str,
) -> Option<Finding> {
    cache_not_returned::check_allocator(block, sum, reset, allocator)
}

/// `count` parts of blocks, `bytes` in total, that one call took from a pool and that never went back. `hold` is about
/// the blocks.
pub fn sub_block_leak(
    part: &Block,
    sum: (u64, u64),
    reset: Option<CallSiteId>,
    (hold, mapping): (Reachability, Mapping),
    (name, is_own): (&str, bool),
) -> Option<Finding> {
    match hold {
        Reachability::Reachable | Reachability::Cache => {
            leak_reachable::check_sub_blocks(part, sum, reset, mapping, name)
        }
        Reachability::Lost | Reachability::Unknown => {
            leak::check_sub_blocks(part, sum, reset, (name, is_own))
        }
    }
}

fn unreleased(
    block: &Block,
    loss: Loss,
    count: u64,
    bytes: u64,
    reset: Option<CallSiteId>,
) -> Option<Finding> {
    match loss {
        Loss::Memory => leak::check(block, count, bytes, reset),
        Loss::Registration => leak_registration::check(block, count, bytes, reset),
        Loss::Descriptor => leak_descriptor::check(block, count),
    }
}

mod waste;
pub use crate::evidence::operation::{Copy, Copy2d, Memset, RangeUse};
pub use waste::*;

#[cfg(test)]
mod tests;
