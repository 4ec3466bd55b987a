//! `vmm-order`: virtual memory was mapped, unmapped or released out of order.
//!
//! ## What it reports
//! `aclrtUnmapMem` where nothing is mapped, or inside a mapping.
//! `aclrtReleaseMemAddress` while something is mapped in the range. `aclrtMapMem` over
//! a mapping, over a range that was released, past the end of a range, of memory that
//! was freed, or with a size other than the memory's. `aclrtMemSetAccess` of anything
//! but a whole mapping. Copies and fills in a part of a reserved range where nothing
//! was mapped.
//!
//! ## Why it matters
//! The runtime refuses most of it, and a program that ignores the code continues with
//! addresses that have no memory: the next copy or kernel there fails with 507899,
//! 507001 or 507015. A range that was not released stays reserved, memory that was not
//! unmapped stays in use.
//!
//! ## Example
//! ```c
//! aclrtMapMem(range, 2097152, 0, memory, 0);
//! aclrtReleaseMemAddress(range);   // vmm-order: one mapping is left
//! ```
//! Silent, for they are legal: `aclrtFreePhysical` while the memory is mapped (it
//! goes with the last mapping), and release and free in either order after the unmap.
//!
//! ## How to fix it
//! Undo in reverse: wait for the work, unmap each mapping by the address that was
//! mapped, then release the range and free the memory.
//!
//! ## What it cannot see
//! Ranges and memory that were not seen created. A mapping of a size other than the
//! memory's within the same 2 MiB. Mappings that silently replace others: what the
//! runtime accepts is taken to be right, except for a wrong size or a wrong range of
//! access, which are warnings then.
//!
//! Source: AscendCL API reference, virtual memory management (CANN 8.1 to 9.2); the
//! driver's checks: its source, ef377e95.

use crate::api::block::{AddressInfo, Block, End};
use crate::api::family::Family;
use crate::api::functions::Call;
use crate::evidence::access;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};

/// `vmm-order`.
pub static RULE: Rule = Rule {
    name: "vmm-order",
    severity: Severity::Error,
    summary: "virtual memory was mapped, unmapped or released out of order",
    is_live: true,
    source: include_str!("vmm_order.rs"),
};

/// Page size of the driver for memory without an address: requests are rounded up to whole pages.
pub const PAGE: u64 = 2 << 20;

/// A requested mapping.
pub struct Map {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub size: u64,
    /// What the runtime returned.
    pub status: i32,
    /// The current state.
    pub target: AddressInfo,
    /// The memory.
    pub memory: AddressInfo,
    /// A live mapping that is there already.
    pub over: Option<Block>,
    /// Whether the memory is mapped somewhere already; computed for freed memory only.
    pub is_mapped: bool,
}

/// Checks a mapping, after the runtime has answered.
pub fn check_map(call: &Call, map: &Map) -> Option<Finding> {
    let refused = (map.status != 0).then(|| refused(map.status));
    size_differs(call, map)
        .or_else(|| over_another(call, map, refused.clone()?))
        .or_else(|| memory_gone(call, map))
        .or_else(|| wrong_target(call, map, refused?))
}

fn size_differs(call: &Call, map: &Map) -> Option<Finding> {
    let &AddressInfo::Live(memory, _) = &map.memory else {
        return None;
    };
    let is_known = memory.size > 0 && map.size > 0;
    if !is_known || map.size.div_ceil(PAGE) == memory.size.div_ceil(PAGE) {
        return None;
    }
    let message = format!(
        "`{}` was asked to map {} of memory that has {}",
        call.function.name,
        bytes(map.size),
        bytes(memory.size)
    );
    let finding = Finding::new(&RULE, call.site, message).after(Earlier::Allocated, memory.site);
    let instead = format!(
        "map the memory whole, with the size that `{}` was given",
        call.function.vendor().calls.allocate_physical
    );
    Some(match map.status {
        0 => finding
            .severity(Severity::Warning)
            .advise("accepts it here; other versions refuse it", instead),
        status => finding.advise(refused(status), instead),
    })
}

fn over_another(call: &Call, map: &Map, refused: String) -> Option<Finding> {
    let over = map.over?;
    let message = format!(
        "`{}` was asked to map {} where {} are mapped already",
        call.function.name,
        bytes(map.size),
        bytes(over.size)
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(map.address, &over, map.address.saturating_sub(over.address))
            .advise(
                refused,
                format!("unmap with `{}` what lies there first", over.release()),
            ),
    )
}

fn memory_gone(call: &Call, map: &Map) -> Option<Finding> {
    let &AddressInfo::Ended(memory, _, End::Released(freed)) = &map.memory else {
        return None;
    };
    if map.is_mapped {
        return None; // a mapping keeps it alive, and a second mapping is legal
    }
    let message = format!(
        "`{}` was asked to map {} of memory that was freed before",
        call.function.name,
        bytes(map.size)
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(memory.address, &memory, 0)
            .after(Earlier::Released, freed)
            .advise(
                "reads the handle's memory after it was given back: anything may happen",
                format!(
                    "free the memory after its last `{}`",
                    call.function.vendor().calls.map
                ),
            ),
    )
}

fn wrong_target(call: &Call, map: &Map, refused: String) -> Option<Finding> {
    let what = bytes(map.size);
    let (block, offset) = map.target.block()?;
    let (message, instead) = match map.target {
        AddressInfo::Live(range, offset) if range.family() == Family::Reserved => {
            let past = u128::from(offset) + u128::from(map.size);
            let past = past.saturating_sub(u128::from(range.size.next_multiple_of(PAGE)));
            if past == 0 {
                return None;
            }
            (
                format!(
                    "map {what}, {} past the end of the reserved range",
                    bytes(past)
                ),
                "reserve a range for all that is to be mapped in it".into(),
            )
        }
        AddressInfo::Live(owner, _)
            if owner.family().is_memory() && !owner.family().is_handle() =>
        {
            (
                format!(
                    "map {what} over a block that `{}` allocated",
                    owner.function.name
                ),
                format!(
                    "map into a range from `{}`",
                    call.function.vendor().calls.reserve_range
                ),
            )
        }
        AddressInfo::Ended(range, _, End::Released(_)) if range.family() == Family::Reserved => (
            format!("map {what} in a range that was already released"),
            "release a range after its last use".into(),
        ),
        _ => return None,
    };
    let message = format!("`{}` was asked to {message}", call.function.name);
    let finding = Finding::new(&RULE, call.site, message)
        .on(map.address, block, offset)
        .advise(refused, instead);
    Some(match map.target {
        AddressInfo::Ended(_, _, End::Released(site)) => finding.after(Earlier::Released, site),
        _ => finding,
    })
}

/// Checks an unmap of an address where no mapping is known to start. `around` is the live mapping that contains it,
/// `info` the range or block.
pub fn check_unmap(
    call: &Call,
    address: u64,
    around: Option<Block>,
    info: &AddressInfo,
) -> Option<Finding> {
    let &AddressInfo::Live(block, offset) = info else {
        return None;
    };
    let name = call.function.name;
    let (message, block, offset, instead) = match around {
        Some(mapping) => {
            let inside = address.saturating_sub(mapping.address);
            let message = format!(
                "`{name}` was given an address {} inside a mapping of {}",
                bytes(inside),
                bytes(mapping.size)
            );
            (
                message,
                mapping,
                inside,
                "unmap by the address that was mapped",
            )
        }
        None if block.family() == Family::Reserved => (
            format!("`{name}` was given an address where nothing is mapped"),
            block,
            offset,
            "unmap each mapping once",
        ),
        None if block.family().is_memory() => (
            format!(
                "`{name}` was given a block that `{}` allocated",
                block.function.name
            ),
            block,
            offset,
            "release a block with its family's own call",
        ),
        None => return None,
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, offset)
            .advise(call.refusal(None), instead),
    )
}

/// Checks the release of a reserved range in which these are mapped.
pub fn check_release(call: &Call, range: &Block, inside: &[Block]) -> Option<Finding> {
    let first = inside.first()?;
    let total: u128 = inside.iter().map(|mapping| u128::from(mapping.size)).sum();
    let message = format!(
        "`{}` released a range of {} in which {}, {} in all, {} left",
        call.function.name,
        bytes(range.size),
        plural(inside.len() as u64, "mapping"),
        bytes(total),
        if inside.len() == 1 { "is" } else { "are" }
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(first.address, first, 0)
            .advise(
                "refuses it as long as something is mapped there, and the range stays reserved",
                format!(
                    "unmap with `{}` everything in the range first",
                    first.release()
                ),
            ),
    )
}

/// An `aclrtMemSetAccess`.
pub struct Access {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub size: u64,
    /// What the runtime returned.
    pub status: i32,
    /// The current state.
    pub range: AddressInfo,
    /// The live mapping that contains the address.
    pub mapping: Option<Block>,
}

/// Checks a change of access rights.
pub fn check_access(call: &Call, access: &Access) -> Option<Finding> {
    let &AddressInfo::Live(range, offset) = &access.range else {
        return None;
    };
    if range.family() != Family::Reserved {
        return None;
    }
    let name = call.function.name;
    let finding = match access.mapping {
        Some(mapping) if (mapping.address, mapping.size) == (access.address, access.size) => {
            return None;
        }
        Some(mapping) => {
            let message = format!(
                "`{name}` was given {}, which is no whole mapping: the one there has {}",
                bytes(access.size),
                bytes(mapping.size)
            );
            let inside = access.address - mapping.address;
            Finding::new(&RULE, call.site, message).on(access.address, &mapping, inside)
        }
        None => {
            let message = format!("`{name}` was given an address where nothing is mapped");
            Finding::new(&RULE, call.site, message).on(access.address, &range, offset)
        }
    };
    let instead = "call it for each mapping, with the address and size that were mapped";
    Some(match access.status {
        0 => finding
            .severity(Severity::Warning)
            .advise("accepts it here; other versions refuse it", instead),
        status => finding.advise(refused(status), instead),
    })
}

/// Checks one end of a copy or fill in a reserved range where nothing was mapped.
pub fn check_reach(access: &access::Access) -> Option<Finding> {
    let &AddressInfo::Live(range, offset) = access.info else {
        return None;
    };
    if range.family() != Family::Reserved {
        return None;
    }
    let vendor = access.call.function.vendor();
    let message = format!(
        "{} a part of a reserved range where nothing is mapped",
        access.action_on_block()
    );
    Some(
        Finding::new(&RULE, access.call.site, message)
            .on(access.address, &range, offset)
            .advise(
                vendor.answers.unmapped_access,
                format!("map memory there with `{}` first", vendor.calls.map),
            ),
    )
}

fn refused(status: i32) -> String {
    format!("refuses it with {status}")
}
