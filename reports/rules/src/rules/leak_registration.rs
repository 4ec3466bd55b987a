//! `leak-registration`: something that keeps memory or addresses taken was never given back.
//!
//! ## What it reports
//! Registered host memory that was not unregistered, keys of shared memory that were
//! not closed, ranges that were not unmapped or released, physical handles that were
//! not freed, pools that were not destroyed when the process ended. One finding per
//! call site that creates them, with their number.
//!
//! ## Why it matters
//! Each keeps more than itself in use: pages that stay locked, memory of another
//! process that cannot be freed, addresses that nothing else gets. In a loop they run
//! out although every block was released.
//!
//! ## Example
//! ```c
//! aclrtHostRegister(rows, 65536, ACL_HOST_REGISTER_MAPPED, &seen);
//! return 0;   // leak-registration
//! ```
//!
//! ## How to fix it
//! Give each back with the counterpart of the call that made it: `aclrtHostUnregister`,
//! `aclrtUnmapMem`, `aclrtIpcMemClose`.
//!
//! ## What it cannot see
//! What the runtime itself takes back at the device's last reset or at the end of the
//! process. It is reported anyway, because the documentation asks for the call.
//!
//! Source: AscendCL API reference, `aclrtHostUnregister`, `aclrtIpcMemClose`,
//! `aclrtUnmapMem`, `aclrtReleaseMemAddress`, `aclrtFreePhysical`,
//! `aclrtMemPoolDestroy` (CANN 8.1 to 9.2).

use crate::api::block::Block;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::{bytes, plural};
use crate::evidence::rule::{Rule, Severity};
use aclsan_log::CallSiteId;

/// `leak-registration`.
pub static RULE: Rule = Rule {
    name: "leak-registration",
    severity: Severity::Warning,
    summary: "something that keeps memory or addresses taken was never given back",
    is_live: false,
    source: include_str!("leak_registration.rs"),
};

/// Checks `count` things of one site, `total` bytes in all; `thing` is the first of them, `reset` the reset that took
/// them along.
pub fn check(thing: &Block, count: u64, total: u64, reset: Option<CallSiteId>) -> Option<Finding> {
    let family = thing.family();
    let (were, each, them) = match count {
        0 => return None,
        1 => ("was", "it", "it"),
        _ => ("were", "each", "them"),
    };
    let size = match total {
        0 => String::new(),
        _ => format!(", {} in all,", bytes(total)),
    };
    let message = format!(
        "{}{size} {were} never given back",
        plural(count, family.noun())
    );
    let runtime = match reset {
        Some(_) => format!("took {them} back at the reset"),
        None => format!("keeps {them} until the process ends"),
    };
    let instead = format!("give {each} back with `{}`", thing.release());
    let finding = Finding::new(&RULE, thing.site, message).advise(runtime, instead);
    Some(match reset {
        Some(reset) => finding.after(Earlier::Reset, reset),
        None => finding,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    /// Any thing will do: the sentences come from its family.
    fn found(count: u64, total: u64, reset: Option<CallSiteId>) -> Option<Finding> {
        check(&block("aclrtCreateStream", 0x1000, 0), count, total, reset)
    }

    #[test]
    fn things_are_counted_with_their_bytes_and_the_call_that_gives_them_back_is_named() {
        let found = found(3, 12288, None).unwrap();
        assert_eq!(
            found.message,
            "3 streams, 12288 bytes in all, were never given back"
        );
        assert_eq!(found.instead, "give each back with `aclrtDestroyStream`");
        assert_eq!(found.severity, Severity::Warning);
    }

    #[test]
    fn one_thing_without_bytes_is_reported_in_the_singular() {
        let found = found(1, 0, Some(RESET_SITE)).unwrap();
        assert_eq!(found.message, "1 stream was never given back");
        assert_eq!(found.runtime, "took it back at the reset");
        assert_eq!(found.earlier, [(Earlier::Reset, RESET_SITE)]);
    }

    #[test]
    fn nothing_is_no_leak() {
        assert_eq!(found(0, 0, None), None);
    }
}
