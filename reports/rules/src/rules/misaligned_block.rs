//! `misaligned-block`: the runtime returned a block below the promised alignment.
//!
//! ## What it reports
//! A block whose start is not a multiple of 64, or of 128 for DVPP memory.
//!
//! ## Why it matters
//! The documentation promises the alignment, and vector units, DVPP and older
//! asynchronous copies rely on it. The open runtime returns 512-byte alignment, so a
//! block that breaks the promise points to another allocator in between.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);   // misaligned-block: ...f10
//! ```
//!
//! ## How to fix it
//! Look for an allocator between the program and the runtime, and for its version.
//!
//! ## What it cannot see
//! Segments that programs cut out of larger blocks. Pinned memory if host and device
//! share their memory: there it comes from ordinary pages without a promise.
//!
//! Source: AscendCL API reference, `aclrtMalloc`, `aclrtMallocHost` (64),
//! `acldvppMalloc`, `hi_mpi_dvpp_malloc` (128), CANN 8.0 and 8.1; the runtime's
//! request for 512 from its source, 681ef761 (CANN 9.2).

use crate::api::block::Block;
use crate::api::functions::{Family, Function};
use crate::api::profile::Profile;
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `misaligned-block`.
pub static RULE: Rule = Rule {
    name: "misaligned-block",
    severity: Severity::Warning,
    summary: "the runtime returned a block below the promised alignment",
    is_live: true,
    source: include_str!("misaligned_block.rs"),
};

/// Checks a new block.
#[inline]
pub fn check(block: &Block, profile: &Profile) -> Option<Finding> {
    let low_bits = low_bits(block.function, profile);
    (block.address & low_bits != 0).then(|| finding(block, low_bits + 1))
}

/// Bits that are clear in the start of a block that `allocator` allocates, if the promise is kept.
#[inline]
pub fn low_bits(allocator: &Function, profile: &Profile) -> u64 {
    promised(allocator, profile).map_or(0, |alignment| alignment - 1)
}

#[cold]
fn finding(block: &Block, alignment: u64) -> Finding {
    let message = format!(
        "`{}` returned a block of {} that is not aligned to {alignment} bytes",
        block.function.name,
        bytes(block.size)
    );
    let past = block.address % alignment;
    Finding::new(&RULE, block.site, message)
        .of(block)
        .detail(format!(
            "starts {} past a multiple of {alignment}",
            bytes(past)
        ))
        .advise(
            "promises the alignment in its documentation",
            "look for an allocator between the program and the runtime, and for its version",
        )
}

/// The promised alignment of a block; `None` without a promise.
#[inline]
fn promised(allocator: &Function, profile: &Profile) -> Option<u64> {
    let vendor = allocator.vendor();
    match allocator.family()? {
        Family::Pinned if profile.shared_memory => None,
        Family::Device | Family::Pinned => Some(vendor.alignment),
        Family::Dvpp | Family::DvppMpi => Some(vendor.media_alignment),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn is_found(allocator: &str, address: u64, shared_memory: bool) -> bool {
        let profile = Profile {
            shared_memory,
            ..Profile::default()
        };
        check(&block(allocator, address, 1000), &profile).is_some()
    }

    #[test]
    fn a_start_below_the_promise_is_reported() {
        assert!(is_found("aclrtMalloc", 0x1020, false));
        assert!(is_found("aclrtMallocHost", 0x1020, false));
        assert!(is_found("acldvppMalloc", 0x1040, false));
        assert!(is_found("hi_mpi_dvpp_malloc", 0x1040, false));
    }

    #[test]
    fn a_promised_start_is_silent() {
        assert!(!is_found("aclrtMalloc", 0x1040, false));
        assert!(!is_found("acldvppMalloc", 0x1080, false));
    }

    #[test]
    fn pinned_memory_has_no_promise_where_memory_is_shared() {
        assert!(!is_found("aclrtMallocHost", 0x1020, true));
        assert!(is_found("aclrtMalloc", 0x1020, true));
    }

    #[test]
    fn the_finding_is_at_the_allocation() {
        let found = check(&device_block(0x1010, 64), &Profile::default()).unwrap();
        assert_eq!((found.here, found.earlier.len()), (ALLOCATION_SITE, 0));
        assert_eq!(found.details, ["starts 16 bytes past a multiple of 64"]);
    }
}
