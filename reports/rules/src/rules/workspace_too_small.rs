//! `workspace-too-small`: an operator was given less workspace than it asked for.
//!
//! ## What it reports
//! The second phase of an operator (`aclnnXxx`) with a size below what the first one
//! (`aclnnXxxGetWorkspaceSize`) returned for the same executor; with a size above what
//! is left of the block from the workspace on; with a size and no workspace.
//!
//! ## Why it matters
//! Hand-written operators compare neither the sizes nor the block: the kernel works
//! past the workspace, in somebody else's memory, and whose results are wrong is a
//! matter of luck. Generated ones refuse a smaller size with 161002, and all of them
//! refuse NULL with a size (161001); in that case the executor is gone as well.
//!
//! ## Example
//! ```c
//! aclnnMatmulGetWorkspaceSize(a, b, c, 0, &size, &executor);   // 2048
//! aclnnMatmul(pool, 1024, executor, stream);                   // workspace-too-small
//! ```
//!
//! ## How to fix it
//! Allocate what the operator's first phase answers, for the same arguments, and pass
//! that size on unchanged.
//!
//! ## What it cannot see
//! What the first phase asked for if it does not go through `libnnopbase.so`: custom
//! operators that were linked statically. Which part of a pool's block is meant: the
//! workspace is compared with the whole block. Workspaces of unknown origin.
//!
//! Source: CANN operator library base, `CommonOpExecutorRun`,
//! `NnopbaseRunWithWorkspace` (opbase aa3cd74b, CANN 9.2; headers of CANN 8.1).

use crate::api::block::AddressInfo;
use crate::api::functions::Call;
use crate::evidence::access::Access;
use crate::evidence::finding::{Finding, rarely};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `workspace-too-small`.
pub static RULE: Rule = Rule {
    name: "workspace-too-small",
    severity: Severity::Error,
    summary: "an operator was given less workspace than it asked for",
    is_live: true,
    source: include_str!("workspace_too_small.rs"),
};

fn instead(call: &Call) -> String {
    let size = call.function.vendor().calls.workspace_size;
    format!("allocate what `{size}` answers, and pass that size on unchanged")
}

/// Checks the workspace of a second phase against its block.
pub fn check_block(access: &Access) -> Option<Finding> {
    if !access.call.function.is_phase_two() {
        return None;
    }
    let (block, offset, past) = access.overrun()?;
    Some(rarely(|| {
        let message = format!(
            "`{}` was given a workspace of {} from offset {offset} of a block of {}, {past} past its end",
            access.call.function.name,
            bytes(access.shape.extent()),
            bytes(block.size)
        );
        Finding::new(&RULE, access.call.site, message)
            .on(access.address, &block, offset)
            .advise(
                "goes ahead: nothing compares the workspace with the block, and the operator uses the memory after the block",
                instead(access.call),
            )
    }))
}

/// Checks the size of a second phase's workspace against `need`, which the first phase returned; 0 if unknown. `info`
/// answers what is at its address, and is asked for a finding alone.
pub fn check_size(
    call: &Call,
    workspace: u64,
    size: u64,
    need: u64,
    info: impl FnOnce() -> AddressInfo,
) -> Option<Finding> {
    is_wrong(workspace, size, need).then(|| too_small(call, workspace, size, need, info))
}

/// Whether [`check_size`] has something to say.
#[inline(always)]
pub fn is_wrong(workspace: u64, size: u64, need: u64) -> bool {
    workspace == 0 && size > 0 || size < need
}

fn too_small(
    call: &Call,
    workspace: u64,
    size: u64,
    need: u64,
    info: impl FnOnce() -> AddressInfo,
) -> Finding {
    let (name, vendor) = (call.function.name, call.function.vendor());
    let (message, runtime) = if workspace == 0 && size > 0 {
        let message = format!(
            "`{name}` was given no workspace, but a size of {}",
            bytes(size)
        );
        (message, vendor.answers.no_workspace)
    } else {
        let message = format!(
            "`{name}` was given a workspace of {}, but phase one asked for {}",
            bytes(size),
            bytes(need)
        );
        (message, (vendor.small_workspace)(call.function))
    };
    let finding = Finding::new(&RULE, call.site, message).advise(runtime, instead(call));
    match info() {
        AddressInfo::Live(block, offset) => finding.on(workspace, &block, offset),
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::access::{Shape, Side};
    use crate::evidence::testing::*;

    fn of_block(name: &str, size: u64) -> Option<Finding> {
        let call = call(name);
        check_block(&Access {
            call: &call,
            side: Side::Written,
            address: 0x1000,
            shape: Shape::Run(size),
            info: &AddressInfo::Live(device_block(0x1000, 128), 64),
        })
    }

    #[test]
    fn more_than_is_left_of_the_block_is_reported() {
        assert_eq!(
            of_block("CommonOpExecutorRun", 512).unwrap().message,
            "`CommonOpExecutorRun` was given a workspace of 512 bytes from offset 64 of a block of 128 bytes, 448 past its end"
        );
    }

    #[test]
    fn what_is_left_of_the_block_is_silent() {
        assert_eq!(of_block("CommonOpExecutorRun", 64), None);
    }

    #[test]
    fn other_calls_have_no_workspace() {
        assert_eq!(of_block("aclmdlExecute", 512), None);
    }

    fn of_size(name: &str, workspace: u64, size: u64, need: u64) -> Option<Finding> {
        check_size(&call(name), workspace, size, need, || AddressInfo::Unknown)
    }

    #[test]
    fn less_than_phase_one_asked_for_is_reported_with_both_numbers() {
        let found = of_size("CommonOpExecutorRun", 0x1000, 512, 2048).unwrap();
        assert_eq!(
            found.message,
            "`CommonOpExecutorRun` was given a workspace of 512 bytes, but phase one asked for 2048 bytes"
        );
        let found = of_size("NnopbaseRunWithWorkspace", 0x1000, 512, 2048).unwrap();
        assert_eq!(found.runtime, "refuses it with 161002");
        assert!(of_size("CommonOpExecutorRun", 0, 0, 2048).is_some());
    }

    #[test]
    fn null_with_a_size_is_reported_and_with_none_is_silent() {
        assert!(of_size("CommonOpExecutorRun", 0, 64, 0).is_some());
        assert_eq!(of_size("CommonOpExecutorRun", 0, 0, 0), None);
    }

    #[test]
    fn as_much_or_more_is_silent() {
        assert_eq!(of_size("CommonOpExecutorRun", 0x1000, 2048, 2048), None);
        assert_eq!(of_size("CommonOpExecutorRun", 0x1000, 4096, 2048), None);
        assert_eq!(of_size("CommonOpExecutorRun", 0x1000, 4096, 0), None);
    }
}
