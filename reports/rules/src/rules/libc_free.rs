//! `libc-free`: a block was given to libc's `free`.
//!
//! ## What it reports
//! `free`, `realloc`, `reallocarray` or `delete` of an address in a live AscendCL
//! block, of any family. Enabled by the option `libc_free=1`: `aclsan run` then
//! preloads `libaclsan_free.so`, through which every release of host memory passes. The
//! finding comes first; then libc is called, as the program asked. Without the option,
//! the block is named where the process dies of it: at glibc's abort or fault, if what
//! its functions were given is still known.
//!
//! ## Why it matters
//! libc looks for its own bookkeeping before the block. Before device memory there is
//! nothing that the host can read, and the program ends by SIGSEGV. Before pinned
//! memory there are bytes of somebody else's, and it aborts with `free(): invalid
//! pointer`, or continues with a corrupted heap. Neither says which block it was, nor
//! who allocated it.
//!
//! ## Example
//! ```c
//! aclrtMallocHost(&staging, 4096);
//! free(staging);   // libc-free: aclrtFreeHost
//! ```
//!
//! ## How to fix it
//! Release with the family's own function, such as `aclrtFreeHost` for pinned memory. A
//! smart pointer needs that function as its deleter.
//!
//! ## What it cannot see
//! Blocks of unknown origin. Releases by an allocator that is linked into the program
//! itself, and by AddressSanitizer's, which reports them itself. Blocks that were
//! released before: their addresses may be libc's by now. Pinned blocks after
//! `aclFinalize`.
//!
//! Source: AscendCL API reference (CANN 8.1), `aclrtMalloc` and `aclrtMallocHost`,
//! which name the release of each; glibc 2.36, `malloc/malloc.c`.

use crate::api::block::AddressInfo;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `libc-free`.
pub static RULE: Rule = Rule {
    name: "libc-free",
    severity: Severity::Error,
    summary: "a block was given to libc's `free`",
    is_live: true,
    source: include_str!("libc_free.rs"),
};

/// Checks a call of libc that releases `address`.
pub fn check(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Live(block, offset) = info else {
        return None;
    };
    let inside = match offset {
        0 => String::new(),
        offset => format!("an address {} inside ", bytes(offset)),
    };
    let message = format!(
        "`{}` was given {inside}a block of {} that `{}` allocated",
        call.function.name,
        bytes(block.size),
        block.function.name
    );
    let family = block.family();
    let libc_does = if family.is_host() {
        "never sees it; libc takes the bytes before it for its own bookkeeping, and aborts or damages its heap"
    } else {
        "never sees it; libc reads in front of it, where the host can read nothing: SIGSEGV"
    };
    let instead = format!("release it with `{}`", block.release());
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, offset)
            .advise(libc_does, instead),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::{block, call, device_block, ended};

    #[test]
    fn a_block_of_any_family_is_reported_with_its_own_release() {
        for (allocator, release) in [
            ("aclrtMalloc", "aclrtFree"),
            ("aclrtMallocHost", "aclrtFreeHost"),
            ("acldvppMalloc", "acldvppFree"),
        ] {
            let info = AddressInfo::Live(block(allocator, 0x1000, 400), 0);
            let finding = check(&call("free"), 0x1000, &info).unwrap();
            assert!(finding.message.contains(allocator), "{}", finding.message);
            assert!(finding.instead.contains(release), "{}", finding.instead);
        }
    }

    #[test]
    fn an_address_inside_a_block_is_reported_as_that() {
        let info = AddressInfo::Live(device_block(0x1000, 400), 64);
        let finding = check(&call("realloc"), 0x1040, &info).unwrap();
        assert_eq!(
            finding.message,
            "`realloc` was given an address 64 bytes inside a block of 400 bytes that `aclrtMalloc` allocated"
        );
    }

    #[test]
    fn what_is_libcs_own_is_silent() {
        assert_eq!(check(&call("free"), 0x5000, &AddressInfo::Unknown), None);
        let released = ended(device_block(0x1000, 400), 0);
        assert_eq!(check(&call("free"), 0x1000, &released), None);
    }
}
