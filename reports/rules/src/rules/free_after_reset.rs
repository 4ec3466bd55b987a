//! `free-after-reset`: a block was released after a reset had dropped it.
//!
//! ## What it reports
//! The release of a block that the last reset of its device had already dropped. Shows
//! the release, the reset and the allocation.
//!
//! ## Why it matters
//! The reset that brings a device's count to zero closes the device, and the driver
//! takes every block back. A later release is refused. Once the device is set again,
//! the address may belong to another block, which is released instead.
//!
//! ## Example
//! ```c
//! aclrtResetDevice(0);
//! aclrtFree(buffer);   // free-after-reset: the other way round
//! ```
//!
//! ## How to fix it
//! Release blocks before the last `aclrtResetDevice` of their device. Destructors of
//! global objects run too late for it.
//!
//! ## What it cannot see
//! Whether a reset was the last one if the device was set before the shim was loaded.
//! Pinned host memory is not dropped by a reset, and not reported.
//!
//! Source: AscendCL API reference, `aclrtResetDevice`; the drop: source of runtime
//! 681ef761 and driver ef377e95 (CANN 9.2).

use crate::api::block::{AddressInfo, End};
use crate::api::functions::Call;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `free-after-reset`.
pub static RULE: Rule = Rule {
    name: "free-after-reset",
    severity: Severity::Error,
    summary: "a block was released after a reset had dropped it",
    is_live: true,
    source: include_str!("free_after_reset.rs"),
};

/// Checks the release of `address`.
pub fn check(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Ended(block, 0, End::Reset(reset)) = info else {
        return None;
    };
    let message = format!(
        "`{}` released a block of {} that a reset had dropped",
        call.function.name,
        bytes(block.size)
    );
    let runtime = format!(
        "{}, unless the address has been allocated again: then that block is released",
        call.refusal(Some(block.family()))
    );
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, 0)
            .after(Earlier::Reset, reset)
            .advise(runtime, "release blocks before the device's last reset"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    #[test]
    fn a_release_after_the_reset_is_reported_with_the_reset() {
        let info = dropped(device_block(0x1000, 64), 0);
        let found = check(&call("aclrtFree"), 0x1000, &info).unwrap();
        assert_eq!(
            found.earlier,
            [
                (Earlier::Reset, RESET_SITE),
                (Earlier::Allocated, ALLOCATION_SITE)
            ]
        );
    }

    #[test]
    fn a_release_before_the_reset_is_silent() {
        let info = AddressInfo::Live(device_block(0x1000, 64), 0);
        assert_eq!(check(&call("aclrtFree"), 0x1000, &info), None);
    }

    #[test]
    fn a_block_that_was_released_is_silent() {
        let info = ended(device_block(0x1000, 64), 0);
        assert_eq!(check(&call("aclrtFree"), 0x1000, &info), None);
    }
}
