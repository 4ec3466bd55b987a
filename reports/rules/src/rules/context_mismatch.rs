//! `context-mismatch`: a block or a stream was worked on under another device's context.
//!
//! ## What it reports
//! The release of device memory on a thread whose current device is not the block's.
//! And the use or destruction of a stream that the runtime refused with 107003, because
//! the stream belongs to another context.
//!
//! ## Why it matters
//! A stream belongs to the context that was current when it was created. Under another
//! context it is refused: the work given to it never runs, or the stream is never
//! destroyed. A release under another device works in the versions read, but no
//! documentation promises it, and `aclrtFreeWithDevSync` synchronizes the wrong device.
//!
//! ## Example
//! ```c
//! aclrtSetDevice(0);
//! aclrtCreateStream(&stream);
//! aclrtSetDevice(1);
//! aclrtDestroyStream(stream);   // context-mismatch: refused with 107003
//! ```
//!
//! ## How to fix it
//! Make the block's device or the stream's context current first: `aclrtSetDevice`,
//! `aclrtSetCurrentContext`.
//!
//! ## What it cannot see
//! Releases on a thread whose device is unknown, such as a thread without a context,
//! where releases are legal. Blocks allocated or released at the layer below
//! (`rtMalloc`, `rtFree`), where devices are set as well. Copies between devices, which
//! are legal under either device. Calls for which the runtime itself switches to the
//! stream's context, such as `aclrtSynchronizeStream`. Streams that were not seen
//! created.
//!
//! Source: AscendCL API reference, `aclrtDestroyStream` (the stream must be in the
//! current context); 107003 and releases from the source of runtime 681ef761 (CANN 9.2).

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::{Call, Family};
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `context-mismatch`.
pub static RULE: Rule = Rule {
    name: "context-mismatch",
    severity: Severity::Warning,
    summary: "a block or a stream was worked on under another device's context",
    is_live: true,
    source: include_str!("context_mismatch.rs"),
};

/// Checks the release of a block.
pub fn check_release(call: &Call, address: u64, info: &AddressInfo) -> Option<Finding> {
    let &AddressInfo::Live(block, 0) = info else {
        return None;
    };
    let is_device = matches!(
        block.family(),
        Family::Device | Family::Dvpp | Family::DvppMpi
    );
    // Code at the layer below sets devices there as well, which is not seen.
    if block.function.is_below() || call.function.is_below() {
        return None;
    }
    if !is_device || block.device < 0 || call.device < 0 || block.device == call.device {
        return None;
    }
    let message = format!(
        "`{}` released a block of {} under another device's context",
        call.function.name,
        bytes(block.size)
    );
    let runtime = match call.function.waits_for_device() {
        true => {
            "waits for the current device, which need not be done with the block's work, and releases it"
        }
        false => "releases it, as no document promises",
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, 0)
            .detail(devices(&block, call))
            .advise(
                runtime,
                format!(
                    "call `{}` with the block's device first",
                    call.function.vendor().calls.set_device
                ),
            ),
    )
}

/// Checks a call that was given `stream` and was refused with `status`.
pub fn check_refused(call: &Call, stream: &AddressInfo, status: i32) -> Option<Finding> {
    let (&stream, _) = stream.block()?;
    let (refused, runtime) = call.function.vendor().answers.foreign_stream;
    if status != refused || stream.family() != Family::Stream {
        return None;
    }
    let message = format!(
        "`{}` was given a stream of another context",
        call.function.name
    );
    let finding = Finding::new(&RULE, call.site, message)
        .after(Earlier::Allocated, stream.site)
        .advise(
            runtime,
            "make the context current in which the stream was created",
        );
    let are_known = stream.device >= 0 && call.device >= 0 && stream.device != call.device;
    Some(match are_known {
        true => finding.detail(devices(&stream, call)),
        false => finding,
    })
}

fn devices(thing: &Block, call: &Call) -> String {
    format!(
        "made on device {}, the current device is {}",
        thing.device, call.device
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn on(device: i32) -> Call {
        Call {
            device,
            ..call("aclrtFree")
        }
    }

    #[test]
    fn a_release_under_another_device_is_reported_with_both() {
        let info = AddressInfo::Live(device_block(0x1000, 64), 0);
        let found = check_release(&on(1), 0x1000, &info).unwrap();
        assert_eq!(found.details, ["made on device 0, the current device is 1"]);
    }

    #[test]
    fn the_same_device_or_an_unknown_one_is_silent() {
        let block = device_block(0x1000, 64);
        let elsewhere = Block {
            device: -1,
            ..block
        };
        assert_eq!(
            check_release(&on(0), 0x1000, &AddressInfo::Live(block, 0)),
            None
        );
        assert_eq!(
            check_release(&on(-1), 0x1000, &AddressInfo::Live(block, 0)),
            None
        );
        assert_eq!(
            check_release(&on(1), 0x1000, &AddressInfo::Live(elsewhere, 0)),
            None
        );
        assert_eq!(check_release(&on(1), 0x1000, &AddressInfo::Unknown), None);
    }

    #[test]
    fn the_layer_below_is_silent_on_either_side() {
        let below = AddressInfo::Live(block("rtMalloc", 0x1000, 64), 0);
        assert_eq!(check_release(&on(1), 0x1000, &below), None);
        let release = Call {
            device: 1,
            ..call("rtFree")
        };
        let above = AddressInfo::Live(device_block(0x1000, 64), 0);
        assert_eq!(check_release(&release, 0x1000, &above), None);
    }

    #[test]
    fn memory_that_belongs_to_no_device_alone_is_silent() {
        for allocate in ["aclrtMallocHost", "aclrtMemAllocManaged"] {
            let info = AddressInfo::Live(block(allocate, 0x1000, 64), 0);
            assert_eq!(check_release(&on(1), 0x1000, &info), None, "{allocate}");
        }
    }

    #[test]
    fn a_stream_is_judged_by_the_runtimes_own_refusal() {
        let call = call("aclrtRecordEvent");
        let stream = AddressInfo::Live(block("aclrtCreateStream", 0x1000, 0), 0);
        assert!(check_refused(&call, &stream, 107003).is_some());
        assert_eq!(check_refused(&call, &stream, 107002), None);
        assert_eq!(check_refused(&call, &AddressInfo::Unknown, 107003), None);
    }
}
