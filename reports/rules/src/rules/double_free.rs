//! `double-free`: a block was released twice.
//!
//! ## What it reports
//! The release of an address whose block was already released, if no later allocation is
//! known to have that address. Shows both releases and the allocation. Destroying a
//! stream, an event, a descriptor or a tensor twice is the same mistake;
//! `aclDestroyTensorList` also destroys the tensors of its list.
//!
//! ## Why it matters
//! The driver refuses the second release with 107000 and a line in its own log, so a
//! program that ignores the code never notices. But if the address has been reused in
//! between, the second release takes somebody else's block away. Tensors and data
//! buffers are objects of the C++ heap: destroying one twice corrupts the heap.
//!
//! ## Example
//! ```c
//! aclrtFree(buffer);
//! aclrtFree(buffer);   // double-free
//! ```
//!
//! ## How to fix it
//! Decide who owns the block, and release it there once. Set the pointer to NULL where
//! it is released; in C++, give the block to one owner that cannot be copied.
//!
//! ## What it cannot see
//! A second release after the address was allocated again: it is then a release of the
//! new block. Releases before the shim was loaded. Blocks that ended too long ago to be
//! still in the table of ended blocks.
//!
//! Source: AscendCL API reference, `aclrtFree`; observed in the open runtime 681ef761
//! and driver ef377e95 (CANN 9.2).

use crate::api::block::{AddressInfo, Block, End};
use crate::api::functions::{Call, Family, Role};
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, with_article};
use crate::evidence::rule::{Rule, Severity};

/// `double-free`.
pub static RULE: Rule = Rule {
    name: "double-free",
    severity: Severity::Error,
    summary: "a block was released twice",
    is_live: true,
    source: include_str!("double_free.rs"),
};

/// Checks the release of `address`.
pub fn check(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Ended(block, 0, End::Released(released)) = info else {
        return None;
    };
    Some(finding(call, address, &block).after(Earlier::Released, released))
}

fn finding(call: &Call, address: u64, block: &Block) -> Finding {
    // An import is closed by its key.
    if block.family().is_handle() || block.family() == Family::Imported {
        return handle(call, address, block);
    }
    let message = format!(
        "`{}` released a block of {} that was already released",
        call.function.name,
        bytes(block.size)
    );
    let refusal = call.refusal(Some(block.family()));
    let runtime = match call.function.role {
        Role::Annotation => refusal.to_owned(),
        _ => format!(
            "{refusal}, unless the address has been allocated again: then that block is released"
        ),
    };
    Finding::new(&RULE, call.site, message)
        .on(address, block, 0)
        .advise(
            runtime,
            "release a block once, and set the pointer to NULL where it is released",
        )
}

fn handle(call: &Call, address: u64, block: &Block) -> Finding {
    let family = block.family();
    let message = format!(
        "`{}` released {} that was already released",
        call.function.name,
        with_article(family.noun())
    );
    let runtime = call.refusal(Some(family));
    let instead = match family {
        Family::Tensor => "destroy a tensor once: by itself, or with the list that it is in",
        Family::Scalar => "destroy a scalar once: by itself, or with the list that it is in",
        Family::Imported => "close a key as often as it was imported",
        _ => "give a handle back once, and set it to NULL where it is given back",
    };
    Finding::new(&RULE, call.site, message)
        .on(address, block, 0)
        .advise(runtime, instead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn a_second_release_is_reported_with_both_stacks() {
        let found = check(
            &call("aclrtFree"),
            0x1000,
            &ended(device_block(0x1000, 64), 0),
        )
        .unwrap();
        assert_eq!(
            found.earlier,
            [
                (Earlier::Released, RELEASE_SITE),
                (Earlier::Allocated, ALLOCATION_SITE)
            ]
        );
    }

    #[test]
    fn a_tensor_that_its_list_destroyed_is_reported_as_such() {
        let tensor = block("aclCreateTensor", 0x1000, 0);
        let found = check(&call("aclDestroyTensor"), 0x1000, &ended(tensor, 0)).unwrap();
        assert_eq!(
            found.message,
            "`aclDestroyTensor` released a tensor that was already released"
        );
        assert!(found.instead.contains("list"));
    }

    #[test]
    fn a_first_release_is_silent() {
        assert_eq!(
            check(
                &call("aclrtFree"),
                0x1000,
                &AddressInfo::Live(device_block(0x1000, 64), 0)
            ),
            None
        );
    }

    #[test]
    fn the_inside_of_an_ended_block_is_silent() {
        // Nobody was given this address; it may belong to a block that was never seen.
        assert_eq!(
            check(
                &call("aclrtFree"),
                0x1020,
                &ended(device_block(0x1000, 64), 0x20)
            ),
            None
        );
    }
}
