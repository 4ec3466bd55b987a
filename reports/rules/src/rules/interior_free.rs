//! `interior-free`: a release was given an address inside a block.
//!
//! ## What it reports
//! The release of an address inside a live block, other than its start. Says how far
//! inside, and which block.
//!
//! ## Why it matters
//! Only the start of a block releases it. The driver refuses every other address, so
//! the block stays allocated, and a program that ignores the code leaks it.
//!
//! ## Example
//! ```c
//! aclrtMalloc((void **)&samples, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
//! samples += 64;         // on to the next batch
//! aclrtFree(samples);    // interior-free: the start is what gives it back
//! ```
//!
//! ## How to fix it
//! Keep the pointer that the allocation returned, and release that one. Offsets belong
//! in another variable.
//!
//! ## What it cannot see
//! Blocks of unknown origin. The address one past the end of a block: it may be the
//! start of another one. The inside of a block that was already released.
//!
//! Source: AscendCL API reference, `aclrtFree`; the refusal: source of driver ef377e95,
//! reached through runtime 681ef761 (CANN 9.2).

use crate::api::block::AddressInfo;
use crate::api::functions::{Call, Role};
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `interior-free`.
pub static RULE: Rule = Rule {
    name: "interior-free",
    severity: Severity::Error,
    summary: "a release was given an address inside a block",
    is_live: true,
    source: include_str!("interior_free.rs"),
};

/// Checks the release of `address`.
pub fn check(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Live(block, offset @ 1..) = info else {
        return None;
    };
    let message = format!(
        "`{}` was given an address {} inside a block of {}",
        call.function.name,
        bytes(offset),
        bytes(block.size)
    );
    let refusal = call.refusal(Some(block.family()));
    let (runtime, instead) = match call.function.role {
        Role::Annotation => (
            refusal.to_owned(),
            "give a part back by the address at which the pool handed it out".to_owned(),
        ),
        _ => (
            format!("{refusal}, and the block leaks if the code is ignored"),
            format!(
                "give `{}` the pointer that `{}` returned",
                block.release(),
                block.function.name
            ),
        ),
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, offset)
            .advise(runtime, instead),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn an_address_inside_a_block_is_reported_with_its_offset() {
        let info = AddressInfo::Live(device_block(0x1000, 128), 64);
        let found = check(&call("aclrtFree"), 0x1040, &info).unwrap();
        assert_eq!(
            found.message,
            "`aclrtFree` was given an address 64 bytes inside a block of 128 bytes"
        );
        assert_eq!(found.block.unwrap().1, 64);
    }

    #[test]
    fn the_start_of_a_block_is_silent() {
        let info = AddressInfo::Live(device_block(0x1000, 128), 0);
        assert_eq!(check(&call("aclrtFree"), 0x1000, &info), None);
    }

    #[test]
    fn the_inside_of_an_ended_block_is_silent() {
        let info = ended(device_block(0x1000, 128), 64);
        assert_eq!(check(&call("aclrtFree"), 0x1040, &info), None);
    }
}
