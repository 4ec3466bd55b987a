//! `device-fault`: a kernel stopped with an exception; which work was queued.
//!
//! ## What it reports
//! A call that waits or queries and returns an error of a core (507015, 507035 and
//! similar), with the work queued on that stream since the host last knew it to be
//! complete; on all streams, if the call waits for the device. Shown are the places that
//! queued it, the latest first, with the line that asked for an operator; the blocks that
//! the latest of it uses; and a block that some of it uses although it was released
//! meanwhile. The first such call is reported; the runtime returns the error to those that
//! follow, too.
//!
//! An error after an `index-out-of-range` is taken to be its consequence, and not
//! reported. With `guard=page` it is `page-fault` instead, where something ties the
//! error to a block that ends at an unmapped page.
//!
//! ## Why it matters
//! The error names no operator, no tensor and no line, and it comes at a later call. It
//! ends the work of the stream, mostly of the process.
//!
//! ## Example
//! ```c
//! aclnnEmbedding(space, size, executor, stream);   // the numbers exceed the table
//! aclnnMatmul(space, size, next, stream);
//! aclrtSynchronizeStream(stream);                  // device-fault: 507015
//! ```
//!
//! ## How to fix it
//! Narrow it down, one run each:
//! * `check_indices=1` names an index that is out of range, before its operator runs;
//! * `guard=page` lets the device stop at the end of a block, and names the block;
//! * `ASCEND_LAUNCH_BLOCKING=1` makes torch_npu wait after each operator.
//!
//! With the last, the line of the error is that of the operator. In C, wait for the
//! stream after each launch. The runtime's own log (`ASCEND_PROCESS_LOG_PATH`) and
//! `aclGetRecentErrMsg` name the kernel (`fault kernel_name`).
//!
//! ## What it cannot see
//! The address: AscendCL does not report it. Kernels launched with arguments in device
//! memory, and operators whose plan comes out of a cache that nobody reports, are shown
//! without blocks, the last four of them. Work of a captured graph is its graph's. Work
//! that is queued by several threads is taken in the order in which it was recorded.
//!
//! Source: codes from `rt_error_codes.h`, runtime 681ef761 (CANN 9.2); that an address
//! that is not mapped is 507015 or 507035: users' reports.

use crate::api::functions::Call;
use crate::evidence::device_fault::{QueuedWork, status_text};
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};

/// `device-fault`.
pub static RULE: Rule = Rule {
    name: "device-fault",
    severity: Severity::Error,
    summary: "a kernel stopped with an exception; which work was queued",
    is_live: true,
    source: include_str!("device_fault.rs"),
};

/// `call` returned an error of a core, of work on the stream that it names or on any.
pub fn check(call: &Call, status: i32, is_of_stream: bool, work: &QueuedWork) -> Finding {
    let status = status_text(call, status);
    let begin = format!("`{}` returned {status}", call.function.name);
    let place = if is_of_stream {
        "on the stream"
    } else {
        "on the device"
    };
    let message = match (work.released, work.sites.is_empty()) {
        (Some((block, _)), _) => format!(
            "{begin}: a kernel stopped; work that was queued {place} uses a block of {} that was released meanwhile",
            bytes(block.size)
        ),
        (None, false) => format!("{begin}: a kernel stopped, of those queued {place}"),
        (None, true) => {
            format!("{begin}: a kernel stopped; nothing is known of what was queued {place}")
        }
    };
    let mut found = Finding::new(&RULE, call.site, message);
    if let Some((block, site)) = work.released {
        found = found
            .on(block.address, &block, 0)
            .after(Earlier::Released, site);
    }
    for &site in work.sites.iter().rev() {
        found = found.after(Earlier::Queued, site);
    }
    if work.more > 0 {
        found = found.detail(format!(
            "more was queued since, from {}",
            plural(work.more as u64, "further place")
        ));
    }
    if !work.blocks.is_empty() {
        let sizes: Vec<_> = work.blocks.iter().map(|block| bytes(block.size)).collect();
        let blocks = if sizes.len() == 1 {
            "a live block"
        } else {
            "live blocks"
        };
        found = found.detail(format!(
            "the last of it uses {blocks} of {}",
            sizes.join(", ")
        ));
    }
    found.advise(
        "stopped the kernel, and does not say which; the error is returned to the calls that follow, too",
        "run it again with `check_indices=1`, which names an index out of range before its operator runs, then with `guard=page`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;
    use aclsan_log::CallSiteId;

    fn work(sites: &[u32]) -> QueuedWork {
        let sites = sites.iter().copied().map(CallSiteId).collect();
        QueuedWork::new(sites, vec![device_block(0x1000, 64)], None)
    }

    #[test]
    fn what_was_queued_is_listed_each_place_once_the_latest_first() {
        let found = check(
            &call("aclrtSynchronizeStream"),
            507_015,
            true,
            &work(&[9, 8, 9, 7, 6, 5]),
        );
        assert_eq!(
            found.message,
            "`aclrtSynchronizeStream` returned 507015 (`ACL_ERROR_RT_AICORE_EXCEPTION`): a kernel stopped, of those queued on the stream"
        );
        let sites: Vec<u32> = found.earlier.iter().map(|(_, site)| site.0).collect();
        assert_eq!(sites, [9, 8, 7, 6]);
        assert_eq!(
            found.details,
            [
                "more was queued since, from 1 further place",
                "the last of it uses a live block of 64 bytes"
            ]
        );
    }

    #[test]
    fn a_block_that_was_released_meanwhile_is_named_first() {
        let mut queued = work(&[9]);
        queued.released = Some((device_block(0x2000, 400), RELEASE_SITE));
        let found = check(&call("aclrtSynchronizeDevice"), 507_035, false, &queued);
        assert!(
            found.message.ends_with("work that was queued on the device uses a block of 400 bytes that was released meanwhile"),
            "{}",
            found.message
        );
        assert!(found.earlier.contains(&(Earlier::Released, RELEASE_SITE)));
    }

    #[test]
    fn where_nothing_is_known_it_says_so() {
        let found = check(
            &call("aclrtSynchronizeStream"),
            507_015,
            true,
            &QueuedWork::default(),
        );
        assert!(
            found
                .message
                .ends_with("nothing is known of what was queued on the stream")
        );
        assert!(found.details.is_empty() && found.earlier.is_empty());
    }
}
