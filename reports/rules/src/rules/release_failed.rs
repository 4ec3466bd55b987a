//! `release-failed`: a rightful release was refused, and the block is still there.
//!
//! ## What it reports
//! The release of a live block by its own family for which the runtime returned an
//! error. Shows the code and its name.
//!
//! ## Why it matters
//! The block stays allocated. `aclrtFreeWithDevSync` and `aclrtFreeHostWithDevSync`
//! release nothing if the synchronization that they begin with fails, and programs
//! seldom check what a release returns.
//!
//! ## Example
//! ```c
//! aclrtLaunchKernel(broken, 8, args, size, stream);
//! aclrtFreeWithDevSync(buffer);   // release-failed: the synchronisation failed
//! ```
//!
//! ## How to fix it
//! Look at what the release returns. Remove the cause (the stream's error, the wrong
//! context), and release the block again.
//!
//! ## What it cannot see
//! Whether the program checks the code and tries again. Refusals that another rule
//! explains: that rule reports them. Refused releases of NULL, of an ended block or of
//! an address of unknown origin.
//!
//! Source: AscendCL API reference, `aclrtFree`, `aclrtFreeWithDevSync`; codes from
//! acl_base_rt.h and rt_error_codes.h, runtime 681ef761 (CANN 9.2).

use crate::api::block::AddressInfo;
use crate::api::functions::{Call, Family, Function, Role};
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `release-failed`.
pub static RULE: Rule = Rule {
    name: "release-failed",
    severity: Severity::Warning,
    summary: "a rightful release was refused, and the block is still there",
    is_live: true,
    source: include_str!("release_failed.rs"),
};

/// Checks a release of `address` for which the runtime returned `status`. The block must be live again in `info`.
pub fn check(call: &Call, address: u64, info: &AddressInfo, status: i32) -> Option<Finding> {
    let (&AddressInfo::Live(block, 0), Role::Release(releaser)) = (info, call.function.role) else {
        return None;
    };
    if status == 0 || block.family() != releaser {
        return None;
    }
    let message = format!(
        "`{}` failed with {}, and the block of {} is still allocated",
        call.function.name,
        code(call.function, status),
        bytes(block.size)
    );
    let runtime = if call.function.waits_for_device() {
        "releases nothing when the synchronisation before the release fails"
    } else {
        "keeps the block"
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, 0)
            .advise(
                runtime,
                "look at what the release returns, and release the block once the cause is gone",
            ),
    )
}

/// The code with its name, if it has one. DVPP's own codes are bit fields, which read best in hex.
fn code(release: &Function, status: i32) -> String {
    match (release.vendor().status_name)(status) {
        Some(name) => format!("{status} (`{name}`)"),
        None if release.family() == Some(Family::DvppMpi) => format!("{status:#010x}"),
        None => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn live() -> AddressInfo {
        AddressInfo::Live(device_block(0x1000, 64), 0)
    }

    #[test]
    fn a_refused_release_of_a_live_block_is_reported_with_its_code() {
        let found = check(&call("aclrtFreeWithDevSync"), 0x1000, &live(), 507015).unwrap();
        assert_eq!(
            found.message,
            "`aclrtFreeWithDevSync` failed with 507015 (`ACL_ERROR_RT_AICORE_EXCEPTION`), \
             and the block of 64 bytes is still allocated"
        );
    }

    #[test]
    fn a_code_of_dvpp_is_written_as_a_word() {
        let info = AddressInfo::Live(block("hi_mpi_dvpp_malloc", 0x1000, 64), 0);
        let status = 0xa007_800c_u32 as i32;
        let found = check(&call("hi_mpi_dvpp_free"), 0x1000, &info, status).unwrap();
        assert!(found.message.contains("0xa007800c"), "{}", found.message);
    }

    #[test]
    fn a_release_that_succeeded_is_silent() {
        assert_eq!(check(&call("aclrtFree"), 0x1000, &live(), 0), None);
    }

    #[test]
    fn what_other_rules_explain_is_silent() {
        for (release, info) in [
            ("aclrtFree", AddressInfo::Unknown),
            ("aclrtFree", AddressInfo::Live(device_block(0x1000, 64), 32)),
            ("aclrtFree", ended(device_block(0x1000, 64), 0)),
            ("aclrtFreeHost", live()),
        ] {
            assert_eq!(check(&call(release), 0x1000, &info, 107000), None);
        }
    }
}
