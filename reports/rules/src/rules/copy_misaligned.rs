//! `copy-misaligned`: an asynchronous copy begins off 64 bytes.
//!
//! ## What it reports
//! An `aclrtMemcpyAsync` whose source or destination is in a known block and not a
//! multiple of 64. One finding per copy; it names the end or both ends.
//!
//! ## Why it matters
//! CANN up to 8.1 requires it: "the source address and destination address passed to
//! this call must be 64-byte aligned". The page of 9.2 no longer says so, and the open
//! runtime has no such check; older ones and older devices may.
//!
//! ## Example
//! ```c
//! aclrtMemcpyAsync(device + 100, 900, host, 900,
//!                  ACL_MEMCPY_HOST_TO_DEVICE, stream);   // copy-misaligned
//! ```
//!
//! ## How to fix it
//! Begin both ends at multiples of 64, or use the blocking `aclrtMemcpy`.
//!
//! ## What it cannot see
//! Ends outside known blocks. The installed version: where its documentation has no
//! such requirement, the rule can be switched off. Blocking copies and copies of rows
//! have no such requirement.
//!
//! Source: AscendCL API reference, `aclrtMemcpyAsync`, CANN 5.0 to 8.1 (the
//! requirement) and 9.2 (its absence); runtime 681ef761 (CANN 9.2): no check.

use crate::api::block::AddressInfo;
use crate::api::functions::{Call, Effect};
use crate::evidence::finding::Finding;
use crate::evidence::rule::{Rule, Severity};

/// `copy-misaligned`.
pub static RULE: Rule = Rule {
    name: "copy-misaligned",
    severity: Severity::Warning,
    summary: "an asynchronous copy begins off 64 bytes",
    is_live: true,
    source: include_str!("copy_misaligned.rs"),
};

const ALIGNMENT: u64 = 64;

/// Checks the ends of a copy: where each begins, and what is there.
pub fn check(call: &Call, to: (u64, &AddressInfo), from: (u64, &AddressInfo)) -> Option<Finding> {
    // Batches came later, and were never bound by it.
    if call.function.effect() != Effect::CopyAligned {
        return None;
    }
    let ends = [("destination", to), ("source", from)];
    let off: Vec<_> = ends
        .into_iter()
        .filter_map(|(end, (address, info))| match info {
            AddressInfo::Live(block, offset) if !address.is_multiple_of(ALIGNMENT) => {
                Some((end, address, block, *offset))
            }
            _ => None,
        })
        .collect();
    let &(_, address, block, offset) = off.first()?;
    let names: Vec<_> = off.iter().map(|(end, ..)| *end).collect();
    let message = format!(
        "`{}` was given a {} not aligned to {ALIGNMENT} bytes",
        call.function.name,
        names.join(" and a ")
    );
    let mut finding = Finding::new(&RULE, call.site, message).on(address, block, offset);
    for (end, address, _, offset) in &off {
        finding = finding.detail(format!(
            "{end}: offset {offset} of its block, {} past a multiple of {ALIGNMENT}",
            address % ALIGNMENT
        ));
    }
    let vendor = call.function.vendor();
    Some(finding.advise(
        vendor.answers.misaligned_copy,
        format!(
            "begin both ends at multiples of {ALIGNMENT}, or use `{}`",
            vendor.calls.copy
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn found(name: &str, to: u64, from: u64) -> Option<Finding> {
        let block = device_block(0x1000, 4096);
        let info = |address| AddressInfo::Live(block, address - 0x1000);
        check(&call(name), (to, &info(to)), (from, &info(from)))
    }

    #[test]
    fn both_ends_off_make_one_finding() {
        let found = found("aclrtMemcpyAsync", 0x1020, 0x1101).unwrap();
        assert_eq!(
            found.message,
            "`aclrtMemcpyAsync` was given a destination and a source not aligned to 64 bytes"
        );
        assert_eq!(
            found.details,
            [
                "destination: offset 32 of its block, 32 past a multiple of 64",
                "source: offset 257 of its block, 1 past a multiple of 64"
            ]
        );
    }

    #[test]
    fn one_end_off_is_named() {
        let found = found("aclrtMemcpyAsync", 0x1040, 0x1101).unwrap();
        assert!(
            found.message.contains("given a source not"),
            "{}",
            found.message
        );
    }

    #[test]
    fn batches_are_not_bound() {
        assert_eq!(found("aclrtMemcpyBatchAsync", 0x1020, 0x1101), None);
        assert!(found("aclrtMemcpyAsyncWithCondition", 0x1020, 0x1101).is_some());
    }

    #[test]
    fn aligned_ends_are_silent() {
        assert_eq!(found("aclrtMemcpyAsync", 0x1040, 0x1100), None);
    }

    #[test]
    fn blocking_copies_and_copies_of_rows_are_silent() {
        assert_eq!(found("aclrtMemcpy", 0x1020, 0x1101), None);
        assert_eq!(found("aclrtMemcpy2dAsync", 0x1020, 0x1101), None);
    }

    #[test]
    fn ends_of_unknown_origin_are_silent() {
        let unknown = AddressInfo::Unknown;
        let call = call("aclrtMemcpyAsync");
        assert_eq!(check(&call, (0x1020, &unknown), (0x1101, &unknown)), None);
    }
}
