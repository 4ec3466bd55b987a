//! `tensor-out-of-block`: a tensor describes more bytes than its block has.
//!
//! ## What it reports
//! An `aclTensor` whose address is in a live block and whose last element is past the
//! size that the program asked for: when it is created or initialized, and when it is
//! given another address. What counts is the view, `(offset + sum((dimension - 1) *
//! stride) + 1) * element size`; in the device's private formats (NZ, NC1HWC0, …) it is
//! the storage shape.
//!
//! ## Why it matters
//! Nothing compares a tensor with memory. The operator that writes it overwrites the
//! next block, or faults with 507015 or 507035 in some other call. That happened with a
//! buffer of ggml-cann that was allocated for fewer dimensions than its tensor had
//! (llama.cpp issue 15330).
//!
//! ## Example
//! ```c
//! aclrtMalloc(&rows, 4 * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
//! int64_t dims[] = {4, 4};   // tensor-out-of-block
//! aclCreateTensor(dims, 2, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 2, rows);
//! ```
//!
//! ## How to fix it
//! Allocate for all of the tensor's dimensions, or describe what was allocated. Strides
//! and the offset count elements, not bytes.
//!
//! ## What it cannot see
//! Types that are no whole bytes (4-bit, 6-bit, 1-bit): `aclDataTypeSize` returns 1 for
//! them, and programs pack them as they like. Negative strides. The storage shape in
//! plain formats: nothing reads it there, and programs put other numbers in. Tensors
//! that an operator creates for itself. Blocks that the program subdivides: a tensor is
//! compared with the whole block.
//!
//! Source: CANN operator library base, `aclCreateTensor` (opbase aa3cd74b, CANN 9.2;
//! headers of CANN 8.1).

use crate::api::block::AddressInfo;
use crate::api::functions::Call;
use crate::api::profile::Profile;
use crate::api::tensor::Shape;
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `tensor-out-of-block`.
pub static RULE: Rule = Rule {
    name: "tensor-out-of-block",
    severity: Severity::Error,
    summary: "a tensor describes more bytes than its block has",
    is_live: true,
    source: include_str!("tensor_out_of_block.rs"),
};

/// Checks a tensor of this shape at `address`.
pub fn check(
    call: &Call,
    shape: &Shape,
    address: u64,
    info: &AddressInfo,
    profile: &Profile,
) -> Option<Finding> {
    let extent = shape.extent()?;
    let &AddressInfo::Live(block, offset) = info else {
        return None;
    };
    let end = u128::from(offset) + u128::from(extent);
    let past = end.saturating_sub(u128::from(block.size));
    if past == 0 {
        return None;
    }
    let (verb, from) = match call.function.values.contains(&"reach") {
        true => ("describes", "from"),
        false => ("lays a tensor of", "at"),
    };
    let message = format!(
        "`{}` {verb} {} {from} offset {offset} of a block of {}, {past} past its end",
        call.function.name,
        bytes(extent),
        bytes(block.size)
    );
    let rounding = profile
        .rounded(block.size, false)
        .map_or(0, |rounded| rounded - block.size);
    let runtime = if past <= u128::from(rounding) {
        "accepts it: the excess falls into the runtime's own rounding after the block"
    } else {
        "accepts it: nothing compares a tensor with the block, and operators use the memory after the block"
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, offset)
            .advise(
                runtime,
                "allocate for all of the tensor's dimensions, or describe what was allocated; strides and the offset count elements, not bytes",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn found(data_type: u64, reach: u64, info: &AddressInfo) -> Option<Finding> {
        let shape = Shape {
            reach,
            storage: 1_000_000,
            data_type,
            format: 2,
            is_solid: true,
            density: crate::api::tensor::Density::From(0),
        };
        check(
            &call("aclCreateTensor"),
            &shape,
            0x1000,
            info,
            &Profile::default(),
        )
    }

    #[test]
    fn a_view_past_the_end_is_reported_with_both_numbers() {
        let info = AddressInfo::Live(device_block(0x1000, 128), 64);
        assert_eq!(
            found(0, 64, &info).unwrap().message,
            "`aclCreateTensor` describes 256 bytes from offset 64 of a block of 128 bytes, 192 past its end"
        );
    }

    #[test]
    fn a_view_into_the_rounding_is_reported_as_one_that_works_today() {
        let info = AddressInfo::Live(device_block(0x1000, 100), 0);
        assert!(found(0, 26, &info).unwrap().runtime.contains("rounding"));
    }

    #[test]
    fn a_view_up_to_the_end_is_silent_whatever_the_storage() {
        assert_eq!(
            found(0, 16, &AddressInfo::Live(device_block(0x1000, 128), 64)),
            None
        );
    }

    #[test]
    fn types_of_less_than_a_byte_and_empty_views_are_silent() {
        let info = AddressInfo::Live(device_block(0x1000, 8), 0);
        assert_eq!(found(29, 64, &info), None);
        assert_eq!(found(0, 0, &info), None);
    }

    #[test]
    fn unknown_and_ended_blocks_are_silent() {
        assert_eq!(found(0, 64, &AddressInfo::Unknown), None);
        assert_eq!(found(0, 64, &ended(device_block(0x1000, 8), 0)), None);
    }
}
