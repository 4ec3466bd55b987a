//! `device-address-on-host`: an address was handed to the wrong side.
//!
//! ## What it reports
//! A pointer into a device block where the runtime writes a result on the host, such as
//! the first argument of `aclrtMalloc`. The reverse: a fill of the process's own
//! memory, which no AscendCL call allocated. And a copy or fill given the address at
//! which devices see registered host memory.
//!
//! ## Why it matters
//! The host cannot write device memory: the process dies inside the runtime, far from
//! the mistake. Filling host memory that AscendCL did not allocate is undefined by the
//! documentation; the effect depends on the driver. The address that
//! `aclrtHostRegister` returns is for device code only; copies need the memory's own
//! address.
//!
//! ## Example
//! ```c
//! void **table;
//! aclrtMalloc((void **)&table, 64, ACL_MEM_MALLOC_HUGE_FIRST);
//! aclrtMalloc(&table[0], 4096, ACL_MEM_MALLOC_HUGE_FIRST);   // device-address-on-host
//!
//! char line[256];
//! aclrtMemset(line, 256, 0, 256);                            // device-address-on-host
//! ```
//!
//! ## How to fix it
//! Pass the address of the side that the call asks for: outputs of calls are host
//! variables, operands of kernels are device memory.
//!
//! ## What it cannot see
//! Fills of unknown memory after the eighth at one call site: reading the process's
//! mappings is too expensive to do each time. Addresses of unknown origin, except for
//! proven host memory in a fill: a stack, the C heap, an image, anonymous memory.
//! Pinned blocks allocated before the shim was loaded look like pinned memory that the
//! driver took from `malloc`. If host and device share their memory, neither is a
//! mistake.
//!
//! Source: AscendCL API reference, `aclrtMemset` (host memory must come from
//! AscendCL), `aclrtMalloc`; runtime 681ef761 (CANN 9.2).

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::Call;
use crate::api::profile::Profile;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::host;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::Mapping;

/// `device-address-on-host`.
pub static RULE: Rule = Rule {
    name: "device-address-on-host",
    severity: Severity::Error,
    summary: "an address was handed to the wrong side",
    is_live: true,
    source: include_str!("device_address_on_host.rs"),
};

/// Checks a fill of `address`, where the process has `mapping`.
pub fn check_fill(
    call: &Call,
    address: u64,
    info: &AddressInfo,
    mapping: Mapping,
    profile: &Profile,
) -> Option<Finding> {
    let AddressInfo::Unknown = info else {
        return None;
    };
    if profile.shared_memory {
        return None;
    }
    let vendor = call.function.vendor();
    let message = format!("`{}` filled {}", call.function.name, host::words(mapping)?);
    Some(Finding::new(&RULE, call.site, message).at(address).advise(
        format!(
            "promises nothing for host memory that {} did not allocate",
            vendor.name
        ),
        format!(
            "use `memset`, or allocate the memory with `{}`",
            vendor.calls.allocate_host
        ),
    ))
}

/// Checks an address given to a copy or fill at which devices see the registered memory `range`.
pub fn check_view(call: &Call, address: u64, range: &Block) -> Finding {
    let message = format!(
        "`{}` was given the address at which devices see registered host memory",
        call.function.name
    );
    Finding::new(&RULE, call.site, message)
        .at(address)
        .after(Earlier::Registered, range.site)
        .advise(
            "promises nothing: the address is for device code alone",
            "give it the host's own address of that memory",
        )
}

/// Checks a pointer through which the call writes its result. Not to be called if host and device share their memory.
pub fn check_result(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Live(block, offset) = info else {
        return None;
    };
    if block.family().is_host() {
        return None;
    }
    let message = format!(
        "`{}` was asked to write its result into a block of {} on the device",
        call.function.name,
        bytes(block.size)
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, offset)
            .advise(
                "writes the result on the host, which cannot reach the block: the process dies",
                "pass the address of a variable in host memory",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn fill(info: &AddressInfo, mapping: Mapping, profile: &Profile) -> Option<Finding> {
        check_fill(&call("aclrtMemset"), 0x1000, info, mapping, profile)
    }

    #[test]
    fn a_fill_of_the_stack_is_reported() {
        let found = fill(&AddressInfo::Unknown, Mapping::Stack, &Profile::default()).unwrap();
        assert_eq!(
            found.message,
            "`aclrtMemset` filled memory on a thread's stack"
        );
    }

    #[test]
    fn the_devices_view_of_registered_memory_is_no_address_for_copies() {
        let range = block("aclrtHostRegister", 0x1000, 4096);
        let found = check_view(&call("aclrtMemcpy"), 0x9000, &range);
        assert_eq!(found.earlier, [(Earlier::Registered, ALLOCATION_SITE)]);
    }

    #[test]
    fn a_fill_of_unknown_memory_is_silent() {
        assert_eq!(
            fill(&AddressInfo::Unknown, Mapping::Unknown, &Profile::default()),
            None
        );
    }

    #[test]
    fn a_fill_of_pinned_memory_is_silent_wherever_it_is_mapped() {
        let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 0);
        assert_eq!(fill(&info, Mapping::Heap, &Profile::default()), None);
    }

    #[test]
    fn shared_memory_has_no_wrong_side() {
        let shared = Profile {
            shared_memory: true,
            ..Profile::default()
        };
        assert_eq!(fill(&AddressInfo::Unknown, Mapping::Stack, &shared), None);
    }

    #[test]
    fn a_result_on_the_device_is_reported() {
        let info = AddressInfo::Live(device_block(0x1000, 64), 8);
        let found = check_result(&call("aclrtGetMemInfo"), 0x1008, &info).unwrap();
        assert!(found.message.contains("a block of 64 bytes on the device"));
    }

    #[test]
    fn a_result_in_host_memory_is_silent() {
        let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 8);
        let call = call("aclrtMalloc");
        assert_eq!(check_result(&call, 0x1008, &info), None);
        assert_eq!(check_result(&call, 0x1008, &AddressInfo::Unknown), None);
    }

    #[test]
    fn a_result_where_a_device_block_was_is_silent() {
        let info = ended(device_block(0x1000, 64), 8);
        assert_eq!(check_result(&call("aclrtMalloc"), 0x1008, &info), None);
    }
}
