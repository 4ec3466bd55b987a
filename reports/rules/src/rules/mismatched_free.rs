//! `mismatched-free`: a block was released by another family than the one that allocated it.
//!
//! ## What it reports
//! A release call that belongs to another family than the block's allocation, such
//! as `aclrtFree` on memory from `acldvppMalloc`, or on the data of a shared buffer. Says
//! whether the runtime accepts it silently, or refuses it and the block leaks.
//!
//! ## Why it matters
//! Half of the mismatches succeed in today's runtime, because all families end in
//! the same driver call; the documentation forbids them all, older and newer
//! versions differ, and a DVPP block given to `aclrtFree` is lost to DVPP's own
//! accounts.
//!
//! ## Example
//! ```c
//! acldvppMalloc(&picture, 4096);
//! aclrtFree(picture);   // mismatched-free: acldvppFree
//! ```
//!
//! ## What it cannot see
//! Blocks of unknown origin. Memory that changes hands inside the runtime.
//!
//! Source: AscendCL API reference, `aclrtFree`, `aclrtFreeHost`, `acldvppFree`; the
//! runtime's behaviour from its source, 681ef761 (CANN 9.2).

use crate::block::{Block, Place};
use crate::catalogue::{Rule, Severity};
use crate::finding::Finding;
use crate::functions::{Call, Family, Role};
use crate::profile::Profile;

/// `mismatched-free`.
pub static RULE: Rule = Rule {
    name: "mismatched-free",
    severity: Severity::Error,
    summary: "a block was released by another family than the one that allocated it",
    is_live: true,
    source: include_str!("mismatched_free.rs"),
};

/// Judges the release of `address`, where a live block starts.
pub fn check(call: &Call, address: u64, place: &Place, profile: &Profile) -> Option<Finding> {
    let (&Place::Live(block, 0), Role::Release(releaser)) = (place, call.function.role) else {
        return None;
    };
    let owner = block.family();
    if is_legal(owner, releaser) {
        return None;
    }
    let message = format!(
        "`{}` released a block that `{}` allocated",
        call.function.name, block.function.name
    );
    let runtime = if profile.shared_memory {
        "may accept it or refuse it with 107000: host and device share their memory here"
    } else {
        runtime_does(owner, releaser)
    };
    let instead = format!("release it with `{}`", owner.release());
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, 0)
            .advise(runtime, instead),
    )
}

/// The finding of a release that was given `address`, where the data of `buffer` begins.
pub fn of_data(call: &Call, address: u64, buffer: &Block) -> Finding {
    let message = format!(
        "`{}` was given the data of a buffer that `{}` allocated",
        call.function.name, buffer.function.name
    );
    let data = Block { address, ..*buffer };
    Finding::new(&RULE, call.site, message)
        .on(address, &data, 0)
        .advise(
            "keeps the data, which is no block of its own: it goes with the buffer's last handle",
            format!("release the buffer with `{}`", buffer.family().release()),
        )
}

/// Judges the release of `address` in a reserved range by a call that is made for blocks. Not its start alone: a program that mapped memory
/// there knows no other address of it.
pub fn check_range(call: &Call, address: u64, place: &Place) -> Option<Finding> {
    let (&Place::Live(range, offset), Role::Release(releaser)) = (place, call.function.role) else {
        return None;
    };
    if range.family() != Family::Reserved || releaser == Family::Reserved {
        return None;
    }
    let message = format!(
        "`{}` was given an address of a range that `{}` reserved",
        call.function.name, range.function.name
    );
    let finding = Finding::new(&RULE, call.site, message).on(address, &range, offset);
    Some(finding.advise(
        "refuses it with 107000 (\"should be freed by halMemAddressFree\"), and what is mapped there stays",
        "unmap with `aclrtUnmapMem`, then release the range with `aclrtReleaseMemAddress`",
    ))
}

/// Whether the documents let `releaser`'s function have a block of `owner`. Pools and plain memory take each other's (runtime 681ef761,
/// `MemPoolFreeSync` and the callback that `aclrtMemPoolFreeAsync` queues).
fn is_legal(owner: Family, releaser: Family) -> bool {
    owner == releaser
        || matches!(
            (owner, releaser),
            (Family::Managed | Family::Pool, Family::Device) | (Family::Device, Family::Pool)
        )
}

/// What the runtime does with a block of `owner` given to `releaser`'s function.
fn runtime_does(owner: Family, releaser: Family) -> &'static str {
    match (owner.is_host() && !owner.is_shared(), releaser) {
        (_, Family::Reserved) => "refuses it with 107000: it is no reserved range",
        (_, Family::Device) => "accepts it silently: all families end in the same driver call",
        (_, Family::Pool) => {
            "accepts it silently, and frees it when the stream comes to it: all families end in the same driver call"
        }
        (false, Family::Pinned) => {
            "refuses it with 107000 (not a host address), and the block leaks if the code is ignored"
        }
        (true, Family::Dvpp | Family::DvppMpi) => {
            "refuses it with 107000 (not a device address), and the block leaks if the code is ignored"
        }
        (false, Family::Dvpp | Family::DvppMpi) => {
            "accepts it silently: only the location is checked"
        }
        (true, Family::Pinned) => "releases it",
        _ => "is not made for it: what it does differs from version to version",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::*;

    #[test]
    fn every_pair_of_different_families_is_reported_and_no_other() {
        for (allocate, family) in [
            ("aclrtMallocCached", Family::Device),
            ("aclrtMallocHost", Family::Pinned),
            ("acldvppMalloc", Family::Dvpp),
            ("hi_mpi_dvpp_malloc", Family::DvppMpi),
        ] {
            for release in [
                "aclrtFree",
                "aclrtFreeWithDevSync",
                "aclrtFreeHost",
                "acldvppFree",
                "hi_mpi_dvpp_free",
            ] {
                let place = Place::Live(block(allocate, 0x1000, 64), 0);
                let found = check(&call(release), 0x1000, &place, &Profile::default());
                let same = crate::functions::function(release).unwrap().family() == Some(family);
                assert_eq!(found.is_none(), same, "{allocate} then {release}");
                assert!(found.is_none_or(|found| found.instead.contains(family.release())));
            }
        }
    }

    #[test]
    fn any_address_of_a_reserved_range_is_reported_but_to_its_own_release() {
        let range = block("aclrtReserveMemAddress", 0x20_0000, 0x40_0000);
        for offset in [0, 0x20_0000] {
            let place = Place::Live(range, offset);
            let found = |name| check_range(&call(name), 0x20_0000 + offset, &place);
            assert!(found("aclrtFree").is_some());
            assert_eq!(found("aclrtReleaseMemAddress"), None);
        }
        let place = Place::Live(device_block(0x1000, 64), 0);
        assert_eq!(check_range(&call("acldvppFree"), 0x1000, &place), None);
    }

    #[test]
    fn an_unknown_pointer_is_silent() {
        let (call, profile) = (call("aclrtFree"), Profile::default());
        assert_eq!(check(&call, 0x1000, &Place::Unknown, &profile), None);
    }

    #[test]
    fn it_is_a_mismatch_where_memory_is_shared_too() {
        let shared = Profile {
            shared_memory: true,
            ..Profile::default()
        };
        let place = Place::Live(block("aclrtMallocHost", 0x1000, 64), 0);
        assert!(check(&call("aclrtFree"), 0x1000, &place, &shared).is_some());
    }
}
