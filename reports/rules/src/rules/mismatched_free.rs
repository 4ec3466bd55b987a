//! `mismatched-free`: a block was released by another family than the one that allocated it.
//!
//! ## What it reports
//! A release function of another family than the block's allocation, such as
//! `aclrtFree` on memory from `acldvppMalloc`, or on the data of a shared buffer. Says
//! whether the runtime accepts it silently, or refuses it so that the block leaks.
//!
//! The leak of a block that the runtime refused to give back is its consequence.
//!
//! ## Why it matters
//! Half of the mismatches succeed in today's runtime, because all families end in the
//! same driver call. The documentation forbids all of them, older and newer versions
//! differ, and DVPP's own bookkeeping loses a DVPP block passed to `aclrtFree`.
//!
//! ## Example
//! ```c
//! acldvppMalloc(&picture, 4096);
//! aclrtFree(picture);   // mismatched-free: acldvppFree
//! ```
//!
//! ## How to fix it
//! Release with the function of the family that allocated: `aclrtMalloc` with
//! `aclrtFree`, `aclrtMallocHost` with `aclrtFreeHost`, `acldvppMalloc` with
//! `acldvppFree`. In C++, let a type own the block, with a deleter of that family.
//!
//! ## What it cannot see
//! Blocks of unknown origin. Memory that changes owners inside the runtime. Releases at
//! the layer below (`rtFree`, `rtFreeHost`): they accept what the driver allocated for
//! anybody, and no document says that they should not.
//!
//! Source: AscendCL API reference, `aclrtFree`, `aclrtFreeHost`, `acldvppFree`; the
//! runtime's behavior: its source, 681ef761 (CANN 9.2).

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::{Call, Family, Role};
use crate::api::profile::Profile;
use crate::evidence::finding::Finding;
use crate::evidence::rule::{Rule, Severity};

/// `mismatched-free`.
pub static RULE: Rule = Rule {
    name: "mismatched-free",
    severity: Severity::Error,
    summary: "a block was released by another family than the one that allocated it",
    is_live: true,
    source: include_str!("mismatched_free.rs"),
};

/// Checks the release of `address`, where a live block starts.
pub fn check(call: &Call, address: u64, info: &AddressInfo, profile: &Profile) -> Option<Finding> {
    let (&AddressInfo::Live(block, 0), Role::Release(releaser)) = (info, call.function.role) else {
        return None;
    };
    let (owner, vendor) = (block.family(), call.function.vendor());
    if (vendor.may_release)(owner, releaser) || call.function.is_below() {
        return None;
    }
    let message = format!(
        "`{}` released a block that `{}` allocated",
        call.function.name, block.function.name
    );
    let runtime = if profile.shared_memory {
        vendor.answers.shared_memory_release
    } else {
        (vendor.foreign_release)(owner, releaser)
    };
    let instead = format!("release it with `{}`", block.release());
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, 0)
            .advise(runtime, instead),
    )
}

/// The finding for a release that was given `address`, where the data of `buffer` begins.
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
            format!("release the buffer with `{}`", buffer.release()),
        )
}

/// Checks the release of `address` in a reserved range by a function for blocks. Not of its start only: a program that
/// mapped memory there knows no other address of it.
pub fn check_range(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let (&AddressInfo::Live(range, offset), Role::Release(releaser)) = (info, call.function.role)
    else {
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
    let vendor = range.function.vendor();
    let (unmap, release) = ((vendor.release)(Family::Mapped), range.release());
    Some(finding.advise(
        vendor.answers.release_in_range,
        format!("unmap with `{unmap}`, then release the range with `{release}`"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::Block;
    use crate::api::functions::Function;
    use crate::evidence::testing::*;

    /// The pairs of the rule's table: a family's allocator and every release that may end it.
    const RIGHTFUL: &[(Family, &[Family])] = &[
        (Family::Device, &[Family::Device, Family::Pool]),
        (Family::Pinned, &[Family::Pinned]),
        (Family::Dvpp, &[Family::Dvpp]),
        (Family::DvppMpi, &[Family::DvppMpi]),
        (Family::Managed, &[Family::Managed, Family::Device]),
        (Family::Pool, &[Family::Pool, Family::Device]),
        (Family::Hiai, &[Family::Hiai]),
        (Family::HiaiDvpp, &[Family::HiaiDvpp]),
        (Family::Reserved, &[Family::Reserved]),
        (Family::Imported, &[Family::Imported]),
        (Family::VideoBlock, &[Family::VideoBlock]),
    ];

    /// A function with that role, for families whose functions are not all known by name here.
    fn function(name: &'static str, role: Role) -> &'static Function {
        Box::leak(Box::new(Function::unlisted(name, role)))
    }

    #[test]
    fn every_allocation_takes_its_own_releases_and_no_other() {
        for &(owner, rightful) in RIGHTFUL {
            let allocated = Block {
                function: function("allocator", Role::Allocate(owner)),
                ..device_block(0x1000, 64)
            };
            for &(releaser, _) in RIGHTFUL {
                let release = (allocated.function.vendor().release)(releaser);
                let releasing = Call {
                    function: function(release, Role::Release(releaser)),
                    ..call("aclrtFree")
                };
                let info = AddressInfo::Live(allocated, 0);
                let found = check(&releasing, 0x1000, &info, &Profile::default());
                let pair = format!("{owner:?} given to {release}");
                assert_eq!(found.is_none(), rightful.contains(&releaser), "{pair}");
                if let Some(found) = found {
                    assert!(found.instead.contains(allocated.release()), "{pair}");
                    assert!(!found.runtime.is_empty(), "{pair}");
                }
            }
        }
    }

    #[test]
    fn every_family_that_lies_at_addresses_is_in_the_table() {
        for family in Family::ALL.into_iter().filter(|family| !family.is_handle()) {
            let stands = RIGHTFUL.iter().any(|(owner, _)| *owner == family);
            assert!(stands, "{family:?}");
        }
    }

    #[test]
    fn variants_of_a_release_are_one_family() {
        for release in ["aclrtFree", "aclrtFreeWithDevSync"] {
            let info = AddressInfo::Live(block("aclrtMallocCached", 0x1000, 64), 0);
            assert_eq!(
                check(&call(release), 0x1000, &info, &Profile::default()),
                None
            );
            let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 0);
            assert!(check(&call(release), 0x1000, &info, &Profile::default()).is_some());
        }
    }

    #[test]
    fn any_address_of_a_reserved_range_is_reported_but_to_its_own_release() {
        let range = block("aclrtReserveMemAddress", 0x20_0000, 0x40_0000);
        for offset in [0, 0x20_0000] {
            let info = AddressInfo::Live(range, offset);
            let found = |name| check_range(&call(name), 0x20_0000 + offset, &info);
            assert!(found("aclrtFree").is_some());
            assert_eq!(found("aclrtReleaseMemAddress"), None);
        }
        let info = AddressInfo::Live(device_block(0x1000, 64), 0);
        assert_eq!(check_range(&call("acldvppFree"), 0x1000, &info), None);
    }

    #[test]
    fn an_unknown_pointer_is_silent() {
        let (call, profile) = (call("aclrtFree"), Profile::default());
        assert_eq!(check(&call, 0x1000, &AddressInfo::Unknown, &profile), None);
    }

    #[test]
    fn it_is_a_mismatch_where_memory_is_shared_too() {
        let shared = Profile {
            shared_memory: true,
            ..Profile::default()
        };
        let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 0);
        assert!(check(&call("aclrtFree"), 0x1000, &info, &shared).is_some());
    }
}
