//! The nearest Valgrind kind for each rule.
//!
//! Only long-established kinds are used, since common readers reject others. An access of unknown direction is reported as a read.
//! Everything that is neither an access, a release nor a leak is a `SyscallParam` if an argument is wrong, an `InvalidMemPool` if a pool is,
//! and otherwise a `ClientCheck`.

/// A rule and its kind.
const KINDS: &[(&str, &str)] = &[
    // Releases
    ("mismatched-free", "MismatchedFree"),
    ("double-free", "InvalidFree"),
    ("interior-free", "InvalidFree"),
    ("invalid-free", "InvalidFree"),
    ("libc-free", "MismatchedFree"),
    ("free-null", "InvalidFree"),
    ("release-failed", "InvalidFree"),
    ("free-after-reset", "InvalidFree"),
    ("free-in-flight", "InvalidFree"),
    // Guard regions
    ("guard-overrun", "InvalidWrite"),
    ("guard-underrun", "InvalidWrite"),
    ("slack-write", "InvalidWrite"),
    ("page-fault", "InvalidRead"),
    ("device-fault", "InvalidRead"),
    ("freed-write", "InvalidWrite"),
    ("uninitialised-read", "UninitValue"),
    // Copies and sets
    ("copy-overrun", "InvalidWrite"),
    ("copy-overread", "InvalidRead"),
    ("destmax-overstated", "InvalidWrite"),
    ("copy-use-after-free", "InvalidRead"),
    ("copy-wrong-direction", "SyscallParam"),
    ("copy-overlap", "Overlap"),
    ("copy-misaligned", "SyscallParam"),
    ("device-address-on-host", "SyscallParam"),
    // Alignment and sub-allocation
    ("misaligned-block", "ClientCheck"),
    ("suballoc-misaligned", "InvalidMemPool"),
    ("suballoc-too-small", "InvalidMemPool"),
    ("suballoc-overlap", "InvalidMemPool"),
    ("suballoc-out-of-block", "InvalidMemPool"),
    // Stream order
    ("host-access-in-flight", "InvalidRead"),
    ("host-buffer-reused-in-flight", "InvalidWrite"),
    ("read-before-sync", "InvalidRead"),
    ("use-before-alloc", "InvalidRead"),
    ("use-after-stream-free", "InvalidRead"),
    ("unordered-access", "InvalidWrite"),
    ("workspace-too-small", "InvalidWrite"),
    ("workspace-freed-in-flight", "InvalidFree"),
    ("executor-used-twice", "SyscallParam"),
    ("tensor-out-of-block", "InvalidRead"),
    ("index-out-of-range", "InvalidRead"),
    ("pool-destroyed-live", "InvalidMemPool"),
    // Life cycle
    ("use-after-reset", "InvalidRead"),
    ("live-at-reset", "Leak_DefinitelyLost"),
    ("ipc-order", "InvalidFree"),
    ("host-register-order", "InvalidFree"),
    ("context-mismatch", "SyscallParam"),
    ("vmm-order", "InvalidFree"),
    ("hiai-ownership", "InvalidFree"),
    // Leaks
    ("leak", "Leak_DefinitelyLost"),
    ("leak-reachable", "Leak_StillReachable"),
    ("leak-growing", "Leak_PossiblyLost"),
    ("cache-not-returned", "Leak_StillReachable"),
    ("leak-registration", "Leak_DefinitelyLost"),
    ("leak-descriptor", "Leak_DefinitelyLost"),
    // Waste
    ("page-class-waste", "ClientCheck"),
    ("hot-loop-allocation", "ClientCheck"),
    ("never-used", "ClientCheck"),
    ("fragmented", "ClientCheck"),
];

/// The kind of a finding of `rule`; `is_leak` says whether it is about leaked blocks.
pub fn kind(rule: &str, is_leak: bool) -> &'static str {
    let known = KINDS.iter().find(|(name, _)| *name == rule);
    match known.map_or("ClientCheck", |(_, kind)| kind) {
        kind if is_leak && !kind.starts_with("Leak_") => "Leak_DefinitelyLost",
        kind => kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aclsan_rules::judge::registry::RULES;

    #[test]
    fn every_rule_has_a_kind_in_the_catalogue_s_order() {
        let rules = RULES.iter().map(|rule| rule.name);
        let known = KINDS.iter().map(|(rule, _)| *rule);
        assert_eq!(known.collect::<Vec<_>>(), rules.collect::<Vec<_>>());
    }

    #[test]
    fn kinds_are_those_that_readers_know() {
        let known = [
            "InvalidFree",
            "MismatchedFree",
            "InvalidRead",
            "InvalidWrite",
            "Overlap",
            "InvalidMemPool",
            "UninitValue",
            "SyscallParam",
            "ClientCheck",
            "Leak_DefinitelyLost",
            "Leak_PossiblyLost",
            "Leak_StillReachable",
        ];
        for (rule, kind) in KINDS {
            assert!(known.contains(kind), "{rule}: {kind}");
        }
    }

    #[test]
    fn a_name_that_holds_free_is_no_release_for_that() {
        assert_eq!(kind("freed-write", false), "InvalidWrite");
        assert_eq!(kind("use-after-stream-free", false), "InvalidRead");
        assert_eq!(kind("live-at-reset", false), "Leak_DefinitelyLost");
    }

    #[test]
    fn blocks_that_were_never_sent_are_a_leak_and_no_wrong_release() {
        assert_eq!(kind("hiai-ownership", false), "InvalidFree");
        assert_eq!(kind("hiai-ownership", true), "Leak_DefinitelyLost");
    }
}
