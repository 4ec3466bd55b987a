//! `page-fault`: the device ran into an unmapped page, by a block that ends there or is gone.
//!
//! ## What it reports
//! With `guard=page`, chosen blocks end at an unmapped page, and stay unmapped for a
//! while after their release. A kernel that overruns such a block traps, and the next
//! call that waits returns the error: 507015, 507035 and similar. If a callback was
//! registered with `aclrtSetExceptionInfoCallback`, the finding is reported before that
//! callback runs, and the wait is silent. The finding says what ties the error to a
//! block:
//!
//! * the bytes between its end and the page are overwritten: an overrun (error);
//! * it is released, and queued work names it: use after free (error);
//! * queued work names it (warning: the work may have overrun it);
//! * it was released while work was queued (warning: the work may have used it).
//!
//! An error that nothing ties to a block is a `device-fault`.
//!
//! The calls shown queued work that is not known to have completed by a wait for the
//! stream or the device. `aclrtStreamQuery` and events clear no work. 507042 to 507045
//! say whether the device read or wrote; the other codes do not. Before the program's
//! callback, the bytes after blocks are not checked, since the runtime may hold its
//! locks: an overrun is then reported by the wait that finds it. The stack is that of
//! the thread that runs the callback.
//!
//! What the program may notice: such a block takes whole pages of 2 MiB, 1024 MiB in
//! total by default (`page_mb`), and none is placed if less than an eighth of the
//! memory would stay free; starts are multiples of 512, also for blocks above 1 MiB;
//! the last 1024 released ones, or 16 GiB of addresses, stay unmapped, so an address is
//! not reused soon; a block cannot be exported by key (reported once, and further
//! blocks are ordinary ones); copies that overrun a block fail with 507899; releases
//! use `aclrtUnmapMem` and similar calls, so a refusal of `aclrtFree` by the driver
//! does not show. `aclrtMemGetAddressRange` and `aclrtPointerGetAttributes` answer as
//! for an ordinary block. During a graph capture no block is placed this way. The
//! runtime is given a function of aclsan's for `aclrtSetExceptionInfoCallback`, which
//! calls the program's.
//!
//! ## Why it matters
//! Without the page, the device reads or overwrites another block, and nobody notices.
//!
//! ## Example
//! ```c
//! aclrtLaunchKernelWithHostArgs(scale, 8, stream, NULL, &args, sizeof args, NULL, 0);
//! aclrtFree(args.row);              // waits for nothing
//! aclrtSynchronizeStream(stream);   // page-fault: 507015, `row` is unmapped
//! ```
//!
//! ## How to fix it
//! Compare what the work shown accesses with the size of the block, and wait for it
//! before the block is released.
//!
//! ## What it cannot see
//! The address: AscendCL does not report it. Kernels launched with arguments in device
//! memory name nothing. Reads and writes between a block's end and the page (its start
//! keeps its alignment of 512 bytes): writes there are `guard-overrun` and
//! `slack-write`. Accesses before a block. Work of other threads is taken in the order
//! in which it was recorded. Callbacks registered by other calls
//! (`aclrtExceptionInfoCallbackRegister`, `rtRegTaskFailCallbackByModule`) run before
//! anything is reported; the wait then reports it. Before a callback, the work of all
//! streams of the device counts as possible. Errors of other causes with the same code:
//! those get a warning if work names a guarded block.
//!
//! Source: codes from `rt_error_codes.h`, runtime 681ef761 (CANN 9.2); that a trap by
//! an unmapped address is 507015 or 507035: users' reports; `aclrtMapMem` and similar:
//! AscendCL API reference, CANN 9.2.

use crate::api::functions::Call;
use crate::evidence::device_fault::{Evidence, Fault, status_text};
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};

/// `page-fault`.
pub static RULE: Rule = Rule {
    name: "page-fault",
    severity: Severity::Error,
    summary: "the device ran into an unmapped page, by a block that ends there or is gone",
    is_live: true,
    source: include_str!("page_fault.rs"),
};

/// Checks an error that `call` returned, or that the program's callback received.
pub fn check(call: &Call, status: i32, fault: &Fault) -> Option<Finding> {
    let vendor = call.function.vendor();
    let faults = vendor.faults;
    let access = match status {
        _ if faults.reads.contains(&status) => "a read",
        _ if faults.writes.contains(&status) => "a write",
        _ => "an access",
    };
    let status_text = status_text(call, status);
    let function = call.function.name;
    let begin = match function == vendor.calls.fault_callback {
        true => format!("the function given to `{function}` received {status_text}"),
        false => format!("`{function}` returned {status_text}"),
    };
    let finding = |severity, what: &str| {
        Finding::new(&RULE, call.site, format!("{begin}: {what}")).severity(severity)
    };
    let mut found = match fault.suspect {
        None => return None, // `device-fault` tells what was queued.
        // A failed copy has many causes.
        Some((_, _, Evidence::Named | Evidence::ReleasedMeanwhile(_)))
            if !faults.is_trap(status) =>
        {
            return None;
        }
        Some((block, reach, evidence)) => {
            let size = bytes(block.size);
            let (severity, what, at) = match evidence {
                Evidence::Overrun => (
                    Severity::Error,
                    format!(
                        "work that was queued ran over the end of a block of {size}, {access} hit the unmapped page {} past its end",
                        bytes(reach - block.size)
                    ),
                    reach,
                ),
                Evidence::UsedAfterRelease(_) => (
                    Severity::Error,
                    format!(
                        "work that was queued names a block of {size} that is released and unmapped; {access} failed"
                    ),
                    0,
                ),
                Evidence::Named => (
                    Severity::Warning,
                    format!(
                        "work that was queued names a block of {size} that ends at an unmapped page, and may have left it; {access} failed"
                    ),
                    reach,
                ),
                Evidence::ReleasedMeanwhile(_) => (
                    Severity::Warning,
                    format!(
                        "a block of {size} was released and unmapped while work was queued, which may have used it; {access} failed"
                    ),
                    0,
                ),
            };
            let mut found = finding(severity, &what).on(block.address.wrapping_add(at), &block, at);
            if let Evidence::UsedAfterRelease(site) | Evidence::ReleasedMeanwhile(site) = evidence {
                found = found.after(Earlier::Released, site);
            }
            let instead = match evidence {
                Evidence::Overrun | Evidence::Named => {
                    "compare what the work shown accesses with the size of the block".into()
                }
                _ => format!(
                    "release the block after the work that uses it: synchronize the stream first, or release with `{}`",
                    vendor.calls.free_after_device
                ),
            };
            found.advise(
                "lets the device go on into the memory of another block where no page is unmapped",
                instead,
            )
        }
    };
    for &site in fault.queued.iter().rev() {
        found = found.after(Earlier::Queued, site);
    }
    if fault.others > 0 {
        found = found.detail(format!(
            "as much is known of {}",
            plural(fault.others as u64, "further block")
        ));
    }
    if fault.more > 0 {
        found = found.detail(format!(
            "queued since the work was last known to be done: by the calls shown and {} more",
            fault.more
        ));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;
    use aclsan_log::CallSiteId;

    fn fault(evidence: Option<Evidence>) -> Fault {
        Fault {
            suspect: evidence.map(|evidence| (device_block(0x1000, 1000), 1536, evidence)),
            others: 0,
            queued: vec![CallSiteId(7), CallSiteId(8)],
            more: 0,
        }
    }

    fn found(status: i32, evidence: Option<Evidence>) -> Option<Finding> {
        check(&call("aclrtSynchronizeStream"), status, &fault(evidence))
    }

    #[test]
    fn an_overrun_is_reported_with_the_page_and_the_work() {
        let found = found(507_043, Some(Evidence::Overrun)).unwrap();
        // 1536 - 1000 = 536
        assert_eq!(
            found.message,
            "`aclrtSynchronizeStream` returned 507043 (`ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW`): work that was queued ran over \
             the end of a block of 1000 bytes, a write hit the unmapped page 536 bytes past its end"
        );
        assert_eq!(found.address, Some(0x1600));
        let queued = [
            (Earlier::Queued, CallSiteId(7)),
            (Earlier::Queued, CallSiteId(8)),
        ];
        assert_eq!(found.earlier[..2], queued);
    }

    #[test]
    fn the_programs_function_is_notified_of_an_error() {
        let evidence = fault(Some(Evidence::Named));
        let found = check(&call("aclrtSetExceptionInfoCallback"), 507_015, &evidence).unwrap();
        let begin = "the function given to `aclrtSetExceptionInfoCallback` received 507015 (";
        assert!(found.message.starts_with(begin), "{}", found.message);
    }

    #[test]
    fn a_release_is_reported_with_its_stack() {
        let evidence = Evidence::UsedAfterRelease(RELEASE_SITE);
        let found = found(507_015, Some(evidence)).unwrap();
        assert_eq!(found.severity, Severity::Error);
        assert!(found.earlier.contains(&(Earlier::Released, RELEASE_SITE)));
    }

    #[test]
    fn an_error_without_evidence_is_no_page_fault() {
        assert_eq!(found(507_015, None), None);
    }

    #[test]
    fn a_copy_that_failed_needs_evidence() {
        assert_eq!(found(507_899, None), None);
        assert_eq!(found(507_899, Some(Evidence::Named)), None);
        assert!(found(507_899, Some(Evidence::Overrun)).is_some());
    }

    #[test]
    fn errors_of_other_units_are_none_of_ours() {
        // time, AICPU, model, ECC, out of memory
        for status in [507_014, 507_018, 507_011, 507_054, 207_001] {
            assert!(
                !call("aclrtSynchronizeStream")
                    .function
                    .vendor()
                    .faults
                    .is_possible(status)
            );
        }
    }
}
