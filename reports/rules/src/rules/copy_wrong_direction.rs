//! `copy-wrong-direction`: the `kind` of a copy contradicts where its blocks are.
//!
//! ## What it reports
//! A copy whose `kind` says host for an end in device or DVPP memory, or device for an
//! end in pinned host memory. A note for blocking copies, whose `kind` is documented as
//! ignored; an error for asynchronous ones.
//!
//! ## Why it matters
//! The runtime looks at the addresses, so today the copy mostly does what the program
//! needs. A wrong `kind` still misleads readers, and often it is the arguments that are
//! wrong: source and destination are swapped.
//!
//! ## Example
//! ```c
//! aclrtMallocHost(&host, 1000);
//! aclrtMemcpyAsync(device, 1000, host, 1000,
//!                  ACL_MEMCPY_DEVICE_TO_HOST, stream);   // copy-wrong-direction
//! ```
//!
//! ## How to fix it
//! Name the direction that the blocks have, or leave it to `ACL_MEMCPY_DEFAULT` where
//! the runtime has it.
//!
//! ## What it cannot see
//! Ends outside known blocks: `malloc` memory, blocks of unknown origin. Copies with
//! `ACL_MEMCPY_DEFAULT` have no direction that could be wrong, numbers that are no
//! `kind` are refused with 100000, and directions mean nothing if host and device share
//! their memory.
//!
//! Source: AscendCL API reference, `aclrtMemcpy`, CANN 5.0 to 9.0 (`kind` ignored),
//! and `aclrtMemcpyAsync`, CANN 8.0 and 8.5; the correction of `kind` from the source
//! of runtime 681ef761 (CANN 9.2).

use crate::api::block::{AddressInfo, Block};
use crate::api::functions::Call;
use crate::api::profile::Profile;
use crate::evidence::finding::Finding;
use crate::evidence::rule::{Rule, Severity};

/// `copy-wrong-direction`.
pub static RULE: Rule = Rule {
    name: "copy-wrong-direction",
    severity: Severity::Error,
    summary: "the `kind` of a copy contradicts where its blocks are",
    is_live: true,
    source: include_str!("copy_wrong_direction.rs"),
};

/// One end of a copy: its address, and what is there.
type End<'a> = (u64, &'a AddressInfo);

/// Checks the direction of a copy from `from` to `to`; `call.argument` is its `kind`.
pub fn check(call: &Call, to: End, from: End, profile: &Profile) -> Option<Finding> {
    if profile.shared_memory {
        return None;
    }
    let vendor = call.function.vendor();
    let kind = (vendor.copy_kind)(call.argument)?;
    let (from_host, to_host) = kind.hosts?;
    let wrong = [("destination", to, to_host), ("source", from, from_host)]
        .into_iter()
        .filter_map(|(end, (address, info), says_host)| match info {
            // Managed memory is on both sides.
            AddressInfo::Live(block, offset)
                if block.family().is_host() != says_host && !block.family().is_shared() =>
            {
                Some((end, address, block, *offset))
            }
            _ => None,
        });
    let wrong: Vec<_> = wrong.collect();
    let &(_, address, block, offset) = wrong.first()?;
    let ends: Vec<_> = wrong
        .iter()
        .map(|(end, _, block, _)| format!("its {end} is {}", location(block)))
        .collect();
    let message = format!(
        "`{}` was given `{}`, but {}",
        call.function.name,
        kind.name,
        ends.join(" and ")
    );
    let (severity, runtime) = if call.function.is_async {
        (
            RULE.severity,
            "goes by the addresses in the versions read, which no document promises",
        )
    } else {
        (Severity::Note, "ignores `kind`, and goes by the addresses")
    };
    Some(
        Finding::new(&RULE, call.site, message)
            .on(address, block, offset)
            .severity(severity)
            .advise(
                runtime,
                format!(
                    "name the direction that the blocks have, or leave it to `{}`",
                    vendor.calls.any_direction
                ),
            ),
    )
}

fn location(block: &Block) -> String {
    let side = if block.family().is_host() {
        "host"
    } else {
        "device"
    };
    format!("{side} memory of `{}`", block.function.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    const EP: Profile = Profile {
        padding: 32,
        shared_memory: false,
    };

    fn live(allocator: &str) -> AddressInfo {
        AddressInfo::Live(block(allocator, 0x1000, 64), 0)
    }

    fn found(
        name: &str,
        kind: u32,
        to: &AddressInfo,
        from: &AddressInfo,
        profile: &Profile,
    ) -> Option<Finding> {
        check(
            &call_with(name, kind),
            (0x1000, to),
            (0x1000, from),
            profile,
        )
    }

    #[test]
    fn the_async_copy_is_an_error_and_the_blocking_one_a_note() {
        let (host, device) = (live("aclrtMallocHost"), live("aclrtMalloc"));
        let asynchronous = found("aclrtMemcpyAsync", 2, &device, &host, &EP).unwrap();
        let blocking = found("aclrtMemcpy", 2, &device, &host, &EP).unwrap();
        assert_eq!(
            (asynchronous.severity, blocking.severity),
            (Severity::Error, Severity::Note)
        );
        assert_eq!(
            asynchronous.message,
            "`aclrtMemcpyAsync` was given `ACL_MEMCPY_DEVICE_TO_HOST`, but its destination is device \
             memory of `aclrtMalloc` and its source is host memory of `aclrtMallocHost`"
        );
    }

    #[test]
    fn every_kind_that_fits_is_silent_and_every_other_reported() {
        let (host, device) = (live("aclrtMallocHost"), live("acldvppMalloc"));
        for (to, from, fitting) in [
            (&host, &host, &[0, 4][..]),
            (&device, &host, &[1, 4, 5]),
            (&host, &device, &[2, 4]),
            (&device, &device, &[3, 4, 6, 7]),
        ] {
            for kind in 0..8 {
                assert_eq!(
                    found("aclrtMemcpyAsync", kind, to, from, &EP).is_none(),
                    fitting.contains(&kind),
                    "{kind} to {to:?}"
                );
            }
        }
    }

    #[test]
    fn an_end_of_unknown_origin_does_not_count() {
        let device = live("aclrtMalloc");
        assert_eq!(
            found("aclrtMemcpyAsync", 1, &device, &AddressInfo::Unknown, &EP),
            None
        );
        assert_eq!(
            found(
                "aclrtMemcpyAsync",
                3,
                &AddressInfo::Unknown,
                &AddressInfo::Unknown,
                &EP
            ),
            None
        );
    }

    #[test]
    fn a_number_that_is_no_kind_is_silent() {
        let host = live("aclrtMallocHost");
        assert_eq!(found("aclrtMemcpyAsync", 8, &host, &host, &EP), None);
    }

    #[test]
    fn shared_memory_has_no_directions() {
        let shared = Profile {
            shared_memory: true,
            ..EP
        };
        let host = live("aclrtMallocHost");
        assert_eq!(found("aclrtMemcpyAsync", 3, &host, &host, &shared), None);
    }
}
