//! `mismatched-free`: a block was released by another family than the one that allocated it.
//!
//! ## What it reports
//! A release call that belongs to another family than the block's allocation, such
//! as `aclrtFree` on memory from `acldvppMalloc`. Says whether the runtime accepts
//! it silently, or refuses it and the block leaks.
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
//! Blocks of unknown origin. Memory that changes hands inside the runtime. Releases
//! at the layer below (`rtFree`, `rtFreeHost`): they take what the driver allocated
//! for anybody, and no document says that they should not.
//!
//! Source: AscendCL API reference, `aclrtFree`, `aclrtFreeHost`, `acldvppFree`; the
//! runtime's behaviour from its source, 681ef761 (CANN 9.2).

use crate::block::Place;
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
    if is_legal(owner, releaser) || call.function.name.starts_with("rt") {
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
    match (owner.is_host(), releaser) {
        (_, Family::Device) => "accepts it silently: all families end in the same driver call",
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
