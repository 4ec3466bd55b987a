//! `copy-overread`: a copy read past the end of its block.
//!
//! ## What it reports
//! A copy whose source begins in a live block and ends past the size that the program
//! asked for; also the range passed to an operator, a model or a collective as input.
//! For rows, the last byte of the last row counts: `pitch * (height - 1) + width`.
//!
//! ## Why it matters
//! The call has no argument for the size of the source, so nothing is compared with it.
//! The copy passes on bytes of another block. If there is none, the device raises an
//! address error, later and elsewhere.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
//! aclrtMemcpy(host, 1024, row, 1024, ACL_MEMCPY_DEVICE_TO_HOST);   // copy-overread
//! ```
//!
//! ## How to fix it
//! Copy no more than the source has. Sizes of padded and packed pictures or tensors are
//! often mixed up.
//!
//! ## What it cannot see
//! Blocks of unknown origin. Sources that begin before a block and run into it. Calls
//! that the runtime refuses or that do nothing (see `copy-overrun`). A copy of more bytes
//! than either block has is one mistake, and reported as `copy-overrun`.
//!
//! Source: AscendCL API reference, `aclrtMemcpy`, `aclrtMemcpy2d`; checks from the
//! source of runtime 681ef761 (CANN 9.2).

use crate::api::family::Family;
use crate::evidence::access::{Access, Side};
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `copy-overread`.
pub static RULE: Rule = Rule {
    name: "copy-overread",
    severity: Severity::Error,
    summary: "a copy read past the end of its block",
    is_live: true,
    source: include_str!("copy_overread.rs"),
};

/// Checks the read end of a copy.
pub fn check(access: &Access) -> Option<Finding> {
    if access.side != Side::Read {
        return None;
    }
    let (block, offset, past) = access.overrun()?;
    let message = format!(
        "{} from offset {offset} of a block of {}, {past} past its end",
        access.action(),
        bytes(block.size)
    );
    let runtime = match block.family() {
        Family::Mapped => access.call.function.vendor().answers.past_mapping,
        _ if access.is_copy() => {
            "goes ahead: nothing knows the size of the source, and bytes of other blocks are copied"
        }
        _ => {
            "goes ahead: nothing compares the range with the block, and bytes of other blocks may be read"
        }
    };
    Some(
        Finding::new(&RULE, access.call.site, message)
            .on(access.address, &block, offset)
            .advise(runtime, "read no more than was allocated"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::AddressInfo;
    use crate::evidence::access::Shape;
    use crate::evidence::testing::*;

    fn found(side: Side, count: u64, info: &AddressInfo) -> Option<Finding> {
        let call = call("aclrtMemcpyAsync");
        let access = Access {
            call: &call,
            side,
            address: 0x1000,
            shape: Shape::Run(count),
            info,
        };
        check(&access)
    }

    #[test]
    fn a_read_past_the_end_is_reported() {
        let info = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 128), 0);
        assert_eq!(
            found(Side::Read, 129, &info).unwrap().message,
            "`aclrtMemcpyAsync` read 129 bytes from offset 0 of a block of 128 bytes, 1 past its end"
        );
    }

    #[test]
    fn a_read_of_the_whole_block_is_silent() {
        let info = AddressInfo::Live(device_block(0x1000, 128), 0);
        assert_eq!(found(Side::Read, 128, &info), None);
    }

    #[test]
    fn the_written_end_is_silent() {
        let info = AddressInfo::Live(device_block(0x1000, 128), 0);
        assert_eq!(found(Side::Written, 129, &info), None);
    }

    #[test]
    fn a_source_of_unknown_origin_is_silent() {
        assert_eq!(found(Side::Read, 129, &AddressInfo::Unknown), None);
    }
}
