//! `copy-use-after-free`: a copy or fill touched a block that was already released.
//!
//! ## What it reports
//! A copy or fill with an end in a released block, or in a reserved range where memory
//! was unmapped, if no later allocation or mapping is known to have that memory; also
//! the range passed to an operator, a model or a collective. Shows the copy, the
//! release and the allocation. Both ends of a copy can be reported.
//!
//! ## Why it matters
//! Small released blocks stay in a cache of the driver and are reused, so the copy
//! silently reads or overwrites another block. Large ones are unmapped, and the device
//! raises an address error (507015, 507035).
//!
//! ## Example
//! ```c
//! aclrtFree(row);
//! aclrtMemcpy(host, 1000, row, 1000, ACL_MEMCPY_DEVICE_TO_HOST);   // copy-use-after-free
//! ```
//!
//! ## How to fix it
//! Release the block after its last copy. If it is shared, let the last user release
//! it.
//!
//! ## What it cannot see
//! Copies of a released block whose memory has been allocated again: they are then
//! copies of the new block. Queued copies whose block is released before they run. A
//! block passed to `aclrtMemPoolFreeAsync` counts as released from the call on: a copy
//! that the release still waits for, by a notify or a value, is reported as well.
//! Pinned blocks if host and device share their memory: there they are memory of the C
//! heap, which `malloc` may have reused unseen. The same can happen where a driver had
//! to fall back to `malloc` for pinned memory, as in a process built with
//! AddressSanitizer; there the rule can be wrong.
//!
//! Source: AscendCL API reference, `aclrtFree`; the driver's cache: its source,
//! ef377e95 (CANN 9.2).

use crate::api::block::{AddressInfo, End};
use crate::api::family::Family;
use crate::api::profile::Profile;
use crate::evidence::access::Access;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `copy-use-after-free`.
pub static RULE: Rule = Rule {
    name: "copy-use-after-free",
    severity: Severity::Error,
    summary: "a copy or fill touched a block that was already released",
    is_live: true,
    source: include_str!("copy_use_after_free.rs"),
};

/// Checks one end of a copy or fill.
pub fn check(access: &Access, profile: &Profile) -> Option<Finding> {
    let &AddressInfo::Ended(block, offset, End::Released(released)) = access.info else {
        return None;
    };
    if profile.shared_memory && block.family().is_host() {
        return None;
    }
    let answers = access.call.function.vendor().answers;
    let (what, runtime, instead) = match block.family() {
        Family::Mapped => (
            "a mapping of",
            answers.unmapped_access,
            "unmap memory after its last copy, or map it again before",
        ),
        Family::Reserved => (
            "a reserved range of",
            answers.released_range,
            "release the range after the last copy",
        ),
        _ => (
            "a block of",
            "goes ahead if the memory is still mapped, whoever owns it by now",
            match access.is_copy() {
                true => "release the block after its last copy",
                false => "release the block after the last call that was given it has run",
            },
        ),
    };
    let message = format!(
        "{} {what} {} that was already released",
        access.action_on_block(),
        bytes(block.size)
    );
    Some(
        Finding::new(&RULE, access.call.site, message)
            .on(access.address, &block, offset)
            .after(Earlier::Released, released)
            .advise(runtime, instead),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::Block;
    use crate::evidence::access::{Shape, Side};
    use crate::evidence::testing::*;

    fn found(side: Side, info: &AddressInfo, profile: &Profile) -> Option<Finding> {
        let call = call("aclrtMemcpy");
        let access = Access {
            call: &call,
            side,
            address: 0x1010,
            shape: Shape::Run(16),
            info,
        };
        check(&access, profile)
    }

    fn pinned() -> Block {
        block("aclrtMallocHost", 0x1000, 64)
    }

    #[test]
    fn either_end_in_a_released_block_is_reported_with_the_release() {
        let info = ended(device_block(0x1000, 64), 16);
        for (side, words) in [
            (Side::Written, "wrote 16 bytes into"),
            (Side::Read, "read 16 bytes from"),
        ] {
            let found = found(side, &info, &Profile::default()).unwrap();
            assert!(found.message.contains(words), "{}", found.message);
            assert_eq!(found.earlier[0], (Earlier::Released, RELEASE_SITE));
        }
    }

    #[test]
    fn a_live_block_is_silent() {
        let info = AddressInfo::Live(device_block(0x1000, 64), 16);
        assert_eq!(found(Side::Read, &info, &Profile::default()), None);
    }

    #[test]
    fn a_block_that_a_reset_dropped_is_silent() {
        let info = dropped(device_block(0x1000, 64), 16);
        assert_eq!(found(Side::Read, &info, &Profile::default()), None);
    }

    #[test]
    fn released_pinned_memory_is_reported_unless_it_is_the_c_heap() {
        let info = ended(pinned(), 16);
        assert!(found(Side::Read, &info, &Profile::default()).is_some());
        let shared = Profile {
            shared_memory: true,
            ..Profile::default()
        };
        assert_eq!(found(Side::Read, &info, &shared), None);
    }
}
