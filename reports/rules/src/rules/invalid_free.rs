//! `invalid-free`: a release was given memory that no allocation returned.
//!
//! ## What it reports
//! The release of an address that is provably the process's own memory: a stack, the C
//! heap, the code or globals of a program or library, anonymous memory from `mmap` or a
//! large `malloc`.
//!
//! ## Why it matters
//! The driver refuses the address, so the memory that was meant stays allocated. In
//! modes where the driver takes pinned memory from `malloc`, `aclrtFreeHost` passes the
//! address on to `free`, which corrupts the C heap.
//!
//! ## Example
//! ```c
//! float *samples = malloc(4096);
//! aclrtFreeHost(samples);   // invalid-free: `free`
//! ```
//!
//! ## How to fix it
//! Release only what an AscendCL allocation returned. Memory of `malloc`, of the stack
//! or of a mapped file goes back where it came from, or needs no release.
//!
//! ## What it cannot see
//! Addresses of unknown origin, which were not seen allocated and are not proven to be
//! host memory either. That alone is never a finding. Where pinned memory may be memory
//! of the C heap, only stacks and images are proof: for the releases of pinned memory,
//! because some driver modes take it from `malloc`, and for every release if host and
//! device share their memory.
//!
//! Source: AscendCL API reference, `aclrtFree`, `aclrtFreeHost`, `acldvppFree`;
//! behavior: source of runtime 681ef761 and driver ef377e95 (CANN 9.2).

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::{Call, Family};
use crate::api::profile::Profile;
use crate::evidence::finding::Finding;
use crate::evidence::host;
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::Mapping;

/// `invalid-free`.
pub static RULE: Rule = Rule {
    name: "invalid-free",
    severity: Severity::Error,
    summary: "a release was given memory that no allocation returned",
    is_live: true,
    source: include_str!("invalid_free.rs"),
};

/// Checks the release of `address`, where the process has `mapping`.
pub fn check(
    call: &Call,
    address: u64,
    info: &AddressInfo,
    mapping: Mapping,
    profile: &Profile,
) -> Option<Finding> {
    let AddressInfo::Unknown = info else {
        return None;
    };
    let is_pinned = call.function.family() == Some(Family::Pinned);
    // The Matrix's memory is ordinary memory, wherever it comes from.
    let is_matrix = matches!(
        call.function.family(),
        Some(Family::Hiai | Family::HiaiDvpp)
    );
    let may_be_rightful = matches!(mapping, Mapping::Heap | Mapping::Anonymous)
        && (is_pinned || is_matrix || profile.shared_memory);
    if may_be_rightful {
        return None;
    }
    let message = format!(
        "`{}` was given {}",
        call.function.name,
        host::words(mapping)?
    );
    let runtime = if is_pinned {
        call.function.vendor().answers.release_of_host
    } else {
        call.refusal(None)
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .at(address)
            .advise(runtime, instead(call, mapping)),
    )
}

/// A pool of the program takes back what it has never handed out.
pub fn of_pool(call: &Call, address: u64, block: &Block) -> Finding {
    let message = format!(
        "`{}` was given an address at which the pool has handed out nothing",
        call.function.name
    );
    Finding::new(&RULE, call.site, message)
        .on(address, block, address.saturating_sub(block.address))
        .advise(
            call.refusal(None),
            "give back only what the pool has handed out",
        )
}

fn instead(call: &Call, mapping: Mapping) -> String {
    match mapping {
        Mapping::Heap | Mapping::Anonymous => {
            "give it back where it came from: `free`, `delete` or `munmap`".into()
        }
        _ => format!(
            "release only what {} returned; this memory needs no release",
            call.function.vendor().answers.allocation
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    const HOST: [Mapping; 4] = [
        Mapping::Stack,
        Mapping::Heap,
        Mapping::Image,
        Mapping::Anonymous,
    ];

    fn reported(release: &str, profile: &Profile) -> Vec<Mapping> {
        let found = |mapping| {
            check(
                &call(release),
                0x1000,
                &AddressInfo::Unknown,
                mapping,
                profile,
            )
            .is_some()
        };
        HOST.into_iter().filter(|&mapping| found(mapping)).collect()
    }

    #[test]
    fn host_memory_is_reported() {
        for release in ["aclrtFree", "acldvppFree", "hi_mpi_dvpp_free"] {
            assert_eq!(reported(release, &Profile::default()), HOST, "{release}");
        }
    }

    #[test]
    fn heap_memory_is_no_proof_where_pinned_memory_may_come_from_it() {
        let proof = [Mapping::Stack, Mapping::Image];
        let shared = Profile {
            shared_memory: true,
            ..Profile::default()
        };
        assert_eq!(reported("aclrtFreeHost", &Profile::default()), proof);
        assert_eq!(reported("aclrtFree", &shared), proof);
    }

    #[test]
    fn unknown_origin_is_silent() {
        let (call, profile) = (call("aclrtFree"), Profile::default());
        assert_eq!(
            check(
                &call,
                0x1000,
                &AddressInfo::Unknown,
                Mapping::Unknown,
                &profile
            ),
            None
        );
    }

    #[test]
    fn a_known_block_is_silent_wherever_it_is_mapped() {
        let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 0);
        let (call, profile) = (call("aclrtFree"), Profile::default());
        assert_eq!(
            check(&call, 0x1000, &info, Mapping::Anonymous, &profile),
            None
        );
    }
}
