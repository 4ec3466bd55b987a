//! `use-after-reset`: a copy or fill touched a block that a reset had dropped.
//!
//! ## What it reports
//! A copy or fill with an end in a block that the last reset of its device had already
//! dropped. Shows the call, the reset and the allocation.
//!
//! ## Why it matters
//! The reset that brings a device's count to zero closes the device, and the driver
//! takes every block back. From then on the pointer is dangling: the call is refused,
//! or works on whatever a later allocation put there.
//!
//! ## Example
//! ```c
//! aclrtResetDevice(0);
//! aclrtSetDevice(0);
//! aclrtMemcpy(row, 1000, host, 1000, ACL_MEMCPY_HOST_TO_DEVICE);   // use-after-reset
//! ```
//!
//! ## How to fix it
//! Allocate again after the device is set again; pointers from before the reset are
//! void.
//!
//! ## What it cannot see
//! Kernels and operators that use the block. Streams and events of a device that was
//! reset, which the runtime itself refuses. Managed memory, which no source says is
//! dropped by a reset. Whether a reset was the last one if the device was set before
//! the shim was loaded. `aclFinalize` alone frees nothing and drops nothing. Pinned
//! host memory survives resets.
//!
//! Source: AscendCL API reference, `aclrtResetDevice`, `aclrtResetDeviceForce`; the
//! drop: source of runtime 681ef761 and driver ef377e95 (CANN 9.2).

use crate::api::block::{AddressInfo, End};
use crate::evidence::access::Access;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `use-after-reset`.
pub static RULE: Rule = Rule {
    name: "use-after-reset",
    severity: Severity::Error,
    summary: "a copy or fill touched a block that a reset had dropped",
    is_live: true,
    source: include_str!("use_after_reset.rs"),
};

/// Checks one end of a copy or fill.
pub fn check(access: &Access) -> Option<Finding> {
    let &AddressInfo::Ended(block, offset, End::Reset(reset)) = access.info else {
        return None;
    };
    let message = format!(
        "{} a block of {} that a reset had dropped",
        access.action_on_block(),
        bytes(block.size)
    );
    Some(
        Finding::new(&RULE, access.call.site, message)
            .on(access.address, &block, offset)
            .after(Earlier::Reset, reset)
            .advise(
                "refuses it, or works on what a later allocation put there",
                "allocate again after the device is set again",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::access::{Shape, Side};
    use crate::evidence::testing::*;

    fn found(info: &AddressInfo) -> Option<Finding> {
        let call = call("aclrtMemset");
        check(&Access {
            call: &call,
            side: Side::Written,
            address: 0x1000,
            shape: Shape::Run(64),
            info,
        })
    }

    #[test]
    fn a_fill_of_a_dropped_block_is_reported_with_the_reset() {
        let found = found(&dropped(device_block(0x1000, 64), 0)).unwrap();
        assert_eq!(found.earlier[0], (Earlier::Reset, RESET_SITE));
        assert_eq!(
            found.message,
            "`aclrtMemset` wrote 64 bytes into a block of 64 bytes that a reset had dropped"
        );
    }

    #[test]
    fn live_and_released_blocks_are_silent() {
        assert_eq!(found(&AddressInfo::Live(device_block(0x1000, 64), 0)), None);
        assert_eq!(found(&ended(device_block(0x1000, 64), 0)), None);
    }
}
