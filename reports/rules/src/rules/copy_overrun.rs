//! `copy-overrun`: a copy or fill wrote past the end of its block.
//!
//! ## What it reports
//! A copy or fill that begins in a live block and ends past the size that the program
//! asked for; also the range passed to an operator, a model, a collective or a media
//! unit for its output. For a picture, that is what its strides and its format take.
//! For rows, the last byte of the last row counts: `pitch * (height - 1) + width`.
//!
//! What follows from it is listed below it and not counted: `destmax-overstated` of the
//! same end, and damage that guards find later, if the copy wrote its first and its last
//! byte.
//!
//! ## Why it matters
//! The runtime compares `count` with `destMax`, but nothing with the block. Up to 63
//! bytes too many land in its own rounding; the next ones belong to another block.
//! Copies of rows have no `destMax` at all, and `aclrtMemset` ignores `maxCount`.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
//! aclrtMemcpy(row, 1024, host, 1024, ACL_MEMCPY_HOST_TO_DEVICE);   // copy-overrun
//! ```
//!
//! ## How to fix it
//! Copy no more than was allocated, and pass what is left of the block as `destMax`,
//! not the size of the source.
//!
//! ## What it cannot see
//! Blocks of unknown origin. Destinations that begin before a block and run into it.
//! How much of its range an operator, a model or a collective really writes: the whole
//! range counts. Calls that the runtime refuses before it writes (`count` above
//! `destMax`, an unknown `kind`) and calls that do nothing (`count` 0, `dst` equal to
//! `src`) are silent. In a reserved range, the block is the run of mappings around the
//! address.
//!
//! Source: AscendCL API reference, `aclrtMemcpy`, `aclrtMemcpy2d`, `aclrtMemset`;
//! checks from the source of runtime 681ef761 (CANN 9.2).

use crate::api::family::Family;
use crate::api::profile::Profile;
use crate::evidence::access::{Access, Side};
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `copy-overrun`.
pub static RULE: Rule = Rule {
    name: "copy-overrun",
    severity: Severity::Error,
    summary: "a copy or fill wrote past the end of its block",
    is_live: true,
    source: include_str!("copy_overrun.rs"),
};

/// Checks the written end of a copy or fill.
pub fn check(access: &Access, profile: &Profile) -> Option<Finding> {
    if access.side != Side::Written {
        return None;
    }
    let (block, offset, past) = access.overrun()?;
    let message = format!(
        "{} from offset {offset} of a block of {}, {past} past its end",
        access.action(),
        bytes(block.size)
    );
    let rounding = profile
        .rounded(block.size, false)
        .map_or(0, |rounded| rounded - block.size);
    let runtime = if block.family() == Family::Mapped {
        access.call.function.vendor().answers.past_mapping
    } else if past <= u128::from(rounding) {
        "goes ahead: the bytes land in its own rounding after the block"
    } else if access.is_copy() {
        "goes ahead: nothing compares the copy with the block, and the memory after the block is overwritten"
    } else {
        "goes ahead: nothing compares the range with the block, and the memory after the block may be overwritten"
    };
    Some(
        Finding::new(&RULE, access.call.site, message)
            .on(access.address, &block, offset)
            .with_bytes(access.bytes())
            .advise(runtime, "write no more than was allocated"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::block::AddressInfo;
    use crate::evidence::access::Shape;
    use crate::evidence::testing::*;

    fn found(shape: Shape, info: &AddressInfo) -> Option<Finding> {
        let call = call("aclrtMemcpy");
        let access = Access {
            call: &call,
            side: Side::Written,
            address: 0x1000,
            shape,
            info,
        };
        check(&access, &Profile::default())
    }

    #[test]
    fn a_write_past_the_end_is_reported_with_both_numbers() {
        let info = AddressInfo::Live(device_block(0x1000, 128), 64);
        assert_eq!(
            found(Shape::Run(256), &info).unwrap().message,
            "`aclrtMemcpy` wrote 256 bytes from offset 64 of a block of 128 bytes, 192 past its end"
        );
    }

    #[test]
    fn a_write_into_the_rounding_is_reported_as_one_that_works_today() {
        let info = AddressInfo::Live(device_block(0x1000, 100), 0);
        assert!(
            found(Shape::Run(128), &info)
                .unwrap()
                .runtime
                .contains("rounding")
        );
    }

    #[test]
    fn the_last_row_counts_without_the_rest_of_its_pitch() {
        let rows = |height| Shape::Rows {
            pitch: 128,
            width: 100,
            height,
        };
        let info = AddressInfo::Live(device_block(0x1000, 3 * 128 + 100), 0);
        assert_eq!(found(rows(4), &info), None);
        assert!(found(rows(5), &info).is_some());
    }

    #[test]
    fn a_write_up_to_the_end_is_silent() {
        let info = AddressInfo::Live(device_block(0x1000, 128), 64);
        assert_eq!(found(Shape::Run(64), &info), None);
    }

    #[test]
    fn unknown_and_ended_destinations_are_silent() {
        assert_eq!(found(Shape::Run(64), &AddressInfo::Unknown), None);
        let info = ended(device_block(0x1000, 8), 0);
        assert_eq!(found(Shape::Run(64), &info), None);
    }
}
