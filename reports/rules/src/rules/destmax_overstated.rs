//! `destmax-overstated`: a copy or fill claimed more room than its block has.
//!
//! ## What it reports
//! A `destMax` (for fills: `maxCount`) larger than what the block has from the address
//! on. A warning while the bytes written still fit; an error once they pass the end as
//! well, and then a consequence of the `copy-overrun`.
//!
//! ## Why it matters
//! `destMax` is the only bound that the runtime compares `count` with, and it trusts
//! the caller. If overstated, it stops no overrun. Most often `count` itself was passed
//! twice, or the size of another buffer.
//!
//! ## Example
//! ```c
//! aclrtMalloc(&row, 1000, ACL_MEM_MALLOC_HUGE_FIRST);
//! aclrtMemcpy(row, 4096, host, 1000, ACL_MEMCPY_HOST_TO_DEVICE);   // destmax-overstated
//! ```
//!
//! ## How to fix it
//! Pass what is left of the block as `destMax`: its size less the offset of the
//! destination.
//!
//! ## What it cannot see
//! Blocks of unknown origin. Copies of rows, which have no such argument. The argument
//! is judged even if the call is refused because `count` is larger still, or does
//! nothing because `dst` is `src`; but not if `count` is 0.
//!
//! Source: AscendCL API reference, `aclrtMemcpy`, `aclrtMemset`; the comparison: source
//! of runtime 681ef761 (CANN 9.2).

use crate::api::block::AddressInfo;
use crate::api::functions::{Call, Effect, Role};
use crate::evidence::finding::Finding;
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};

/// `destmax-overstated`.
pub static RULE: Rule = Rule {
    name: "destmax-overstated",
    severity: Severity::Warning,
    summary: "a copy or fill claimed more room than its block has",
    is_live: true,
    source: include_str!("destmax_overstated.rs"),
};

/// Checks the claim that `room` bytes are available at `address`. `written` is how many the call writes there, 0 if it
/// is refused or does nothing.
pub fn check(
    call: &Call,
    address: u64,
    room: u64,
    written: u64,
    info: &AddressInfo,
) -> Option<Finding> {
    let &AddressInfo::Live(block, offset) = info else {
        return None;
    };
    if block.size == 0 {
        return None; // an import whose size nobody could ask for
    }
    let available = block.size.saturating_sub(offset);
    if room <= available {
        return None;
    }
    let (argument, count) = names(call)?;
    let message = format!(
        "`{argument}` of `{}` claims {}, where {available} of a block of {} are left",
        call.function.name,
        bytes(room),
        bytes(block.size)
    );
    let severity = if written > available {
        Severity::Error
    } else {
        RULE.severity
    };
    let runtime = match count {
        Some(count) => format!("compares {count} with it, and it with nothing"),
        None => "does not look at it".to_owned(),
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, &block, offset)
            .severity(severity)
            .advise(
                runtime,
                format!("pass what is left of the block as `{argument}`"),
            ),
    )
}

/// What a call names the claim, and what the runtime compares with it; `None` for a call without one.
fn names(call: &Call) -> Option<(&'static str, Option<&'static str>)> {
    let function = call.function;
    Some(match (function.role, function.effect()) {
        (_, Effect::CopyDescribed) => return None,
        (_, Effect::FillWords) => ("memSize", Some("4 * `N`")),
        (Role::Set, _) => ("maxCount", function.is_async.then_some("`count`")),
        (_, Effect::CopyBatch) => ("destMaxs", Some("`sizes`")),
        _ => ("destMax", Some("`count`")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn found(name: &str, room: u64, written: u64) -> Option<Finding> {
        let info = AddressInfo::Live(device_block(0x1000, 128), 28);
        check(&call(name), 0x101c, room, written, &info)
    }

    #[test]
    fn a_claim_past_the_end_is_a_warning_while_the_bytes_fit() {
        let found = found("aclrtMemcpy", 101, 100).unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert_eq!(
            found.message,
            "`destMax` of `aclrtMemcpy` claims 101 bytes, where 100 of a block of 128 bytes are left"
        );
    }

    #[test]
    fn a_claim_past_the_end_is_an_error_once_the_bytes_pass_it_too() {
        assert_eq!(
            found("aclrtMemcpy", 101, 101).unwrap().severity,
            Severity::Error
        );
    }

    #[test]
    fn a_fill_has_a_name_of_its_own_for_it() {
        assert!(
            found("aclrtMemset", 101, 1)
                .unwrap()
                .message
                .starts_with("`maxCount`")
        );
    }

    #[test]
    fn a_claim_of_what_is_left_is_silent() {
        assert_eq!(found("aclrtMemcpy", 100, 100), None);
    }

    #[test]
    fn a_claim_on_unknown_memory_is_silent() {
        let found = check(
            &call("aclrtMemcpy"),
            0x1000,
            4096,
            64,
            &AddressInfo::Unknown,
        );
        assert_eq!(found, None);
    }

    #[test]
    fn the_claim_is_called_what_the_call_names_it() {
        for (name, argument) in [
            ("aclrtMemcpyBatchV2", "`destMaxs`"),
            ("aclrtMemsetD32", "`memSize`"),
            ("aclrtMemcpyAsyncWithCondition", "`destMax`"),
        ] {
            assert!(found(name, 101, 100).unwrap().message.starts_with(argument));
        }
        assert_eq!(found("aclrtMemcpyAsyncWithDesc", 101, 100), None);
    }
}
