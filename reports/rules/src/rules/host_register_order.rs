//! `host-register-order`: host memory was registered off a page, or went too early.
//!
//! ## What it reports
//! The release of pinned host memory while a part of it is still registered. The
//! unregistering of a range whose memory has already been unmapped. And a registration
//! whose address is not a multiple of 4 KiB, accepted or refused.
//!
//! ## Why it matters
//! Devices continue to see the pages of a registered range. If the memory goes first,
//! they see pages that belong to somebody else by then, or fault. Unaligned addresses
//! are refused by some drivers and kernels and accepted by others; if the kernel's page
//! has 64 KiB, the address must be a multiple of that.
//!
//! ## Example
//! ```c
//! aclrtHostRegister(rows, 65536, ACL_HOST_REGISTER_MAPPED, &seen);
//! munmap(rows, 65536);
//! aclrtHostUnregister(rows);   // host-register-order
//! ```
//!
//! ## How to fix it
//! Call `aclrtHostUnregister` before the memory is released. Take memory that starts at
//! a page, from `mmap` or `aligned_alloc`.
//!
//! ## What it cannot see
//! `free` and `munmap` themselves: that such memory is gone is only seen when it is
//! unregistered, and only if no later mapping took its place. Memory that `free` kept
//! for the next `malloc` looks as if it were still there. Registering a range twice
//! (507910) and unregistering one that is not registered (507911) are refused by the
//! runtime, which says so; unregistering twice is a `double-free`, never unregistering
//! a `leak-registration`.
//!
//! Source: AscendCL API reference, `aclrtHostRegister`, `aclrtHostRegisterV2`,
//! `aclrtHostUnregister`, CANN 8.1 to 9.0; codes: source of runtime 681ef761.

use crate::api::block::{AddressInfo, Block};
use crate::api::family::Family;
use crate::api::functions::Call;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `host-register-order`.
pub static RULE: Rule = Rule {
    name: "host-register-order",
    severity: Severity::Error,
    summary: "host memory was registered off a page, or went too early",
    is_live: true,
    source: include_str!("host_register_order.rs"),
};

/// The documented alignment of registered addresses.
const PAGE: u64 = 4096;

/// Checks the release of `block`, of which `range` is registered.
pub fn check_release(call: &Call, block: &Block, range: &Block) -> Finding {
    let message = format!(
        "`{}` released host memory of which {} were registered",
        call.function.name,
        bytes(range.size)
    );
    Finding::new(&RULE, call.site, message)
        .on(block.address, block, 0)
        .after(Earlier::Registered, range.site)
        .advise(
            "releases it, and devices go on seeing its pages",
            format!("call `{}` before the memory is released", range.release()),
        )
}

/// Checks the unregistering of `range`, whose memory is gone.
pub fn check_unmapped(call: &Call, range: &Block) -> Finding {
    let message = format!(
        "`{}` was given a range of {} whose memory was unmapped before",
        call.function.name,
        bytes(range.size)
    );
    Finding::new(&RULE, call.site, message)
        .after(Earlier::Registered, range.site)
        .advise(
            "has let devices see pages that were no longer the program's",
            format!("call `{}` before `free` or `munmap`", range.release()),
        )
}

/// Checks the registration of `size` bytes from `address` on, where `info` is, which returned `status`.
pub fn check_alignment(
    call: &Call,
    address: u64,
    size: u64,
    info: AddressInfo,
    status: i32,
) -> Option<Finding> {
    let past = address % PAGE;
    if address == 0 || size == 0 || past == 0 {
        return None;
    }
    let message = format!(
        "`{}` was given an address that is not aligned to {PAGE} bytes",
        call.function.name
    );
    let runtime = match status {
        0 => "accepted it here; other drivers and kernels refuse it".to_owned(),
        _ => format!("refused it with {status}"),
    };
    let finding = Finding::new(&RULE, call.site, message);
    let finding = match info {
        AddressInfo::Live(block, offset) if block.family() == Family::Pinned => {
            finding.on(address, &block, offset)
        }
        _ => finding.at(address),
    };
    Some(
        finding
            .detail(format!("starts {} past a multiple of {PAGE}", bytes(past)))
            .advise(
                runtime,
                "take the memory from `mmap`, or from `aligned_alloc` with the kernel's page size",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn range() -> Block {
        block("aclrtHostRegister", 0x10000, 65536)
    }

    #[test]
    fn memory_that_goes_too_early_is_reported_with_its_registration() {
        let pinned = block("aclrtMallocHost", 0x10000, 65536);
        let found = check_release(&call("aclrtFreeHost"), &pinned, &range());
        assert_eq!(found.earlier[0], (Earlier::Registered, ALLOCATION_SITE));
        let found = check_unmapped(&call("aclrtHostUnregister"), &range());
        assert_eq!(found.earlier, [(Earlier::Registered, ALLOCATION_SITE)]);
    }

    #[test]
    fn an_address_off_a_page_is_reported_accepted_or_refused() {
        let call = call("aclrtHostRegister");
        let found = check_alignment(&call, 0x10040, 4096, AddressInfo::Unknown, 0).unwrap();
        assert_eq!(found.details, ["starts 64 bytes past a multiple of 4096"]);
        let pinned = AddressInfo::Live(block("aclrtMallocHost", 0x10000, 65536), 64);
        let found = check_alignment(&call, 0x10040, 4096, pinned, 107000).unwrap();
        assert_eq!(found.runtime, "refused it with 107000");
        assert_eq!(
            found.block.map(|(block, offset)| (block.address, offset)),
            Some((0x10000, 64))
        );
    }

    #[test]
    fn pages_of_any_length_and_calls_without_arguments_are_silent() {
        let call = call("aclrtHostRegisterV2");
        for (address, size) in [(0x10000, 4096), (0x11000, 100), (0, 4096), (0x10040, 0)] {
            assert_eq!(
                check_alignment(&call, address, size, AddressInfo::Unknown, 0),
                None
            );
        }
    }
}
