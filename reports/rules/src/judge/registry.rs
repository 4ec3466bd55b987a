//! The ordered list of rules: the only place that names them all.

use crate::evidence::rule::Rule;
use crate::rules;

/// Every rule, in the order of the documentation.
pub static RULES: &[&Rule] = &[
    // Releases
    &rules::mismatched_free::RULE,
    &rules::double_free::RULE,
    &rules::interior_free::RULE,
    &rules::invalid_free::RULE,
    &rules::libc_free::RULE,
    &rules::free_null::RULE,
    &rules::release_failed::RULE,
    &rules::free_after_reset::RULE,
    &rules::free_in_flight::RULE,
    // Guard regions
    &rules::guard_overrun::RULE,
    &rules::guard_underrun::RULE,
    &rules::slack_write::RULE,
    &rules::page_fault::RULE,
    &rules::device_fault::RULE,
    &rules::freed_write::RULE,
    &rules::uninitialised_read::RULE,
    // Copies and sets
    &rules::copy_overrun::RULE,
    &rules::copy_overread::RULE,
    &rules::destmax_overstated::RULE,
    &rules::copy_use_after_free::RULE,
    &rules::copy_wrong_direction::RULE,
    &rules::copy_overlap::RULE,
    &rules::copy_misaligned::RULE,
    &rules::device_address_on_host::RULE,
    // Alignment and sub-allocation
    &rules::misaligned_block::RULE,
    &rules::suballoc_misaligned::RULE,
    &rules::suballoc_too_small::RULE,
    &rules::suballoc_overlap::RULE,
    &rules::suballoc_out_of_block::RULE,
    // Stream order
    &rules::host_access_in_flight::RULE,
    &rules::host_buffer_reused_in_flight::RULE,
    &rules::read_before_sync::RULE,
    &rules::use_before_alloc::RULE,
    &rules::use_after_stream_free::RULE,
    &rules::unordered_access::RULE,
    &rules::workspace_too_small::RULE,
    &rules::workspace_freed_in_flight::RULE,
    &rules::executor_used_twice::RULE,
    &rules::tensor_out_of_block::RULE,
    &rules::index_out_of_range::RULE,
    &rules::pool_destroyed_live::RULE,
    // Life cycle
    &rules::use_after_reset::RULE,
    &rules::live_at_reset::RULE,
    &rules::ipc_order::RULE,
    &rules::host_register_order::RULE,
    &rules::context_mismatch::RULE,
    &rules::vmm_order::RULE,
    &rules::hiai_ownership::RULE,
    // Leaks
    &rules::leak::RULE,
    &rules::leak_reachable::RULE,
    &rules::leak_growing::RULE,
    &rules::cache_not_returned::RULE,
    &rules::leak_registration::RULE,
    &rules::leak_descriptor::RULE,
    // Waste
    &rules::page_class_waste::RULE,
    &rules::hot_loop_allocation::RULE,
    &rules::never_used::RULE,
    &rules::fragmented::RULE,
];

/// Other spellings of rule names, each with the name that output, logs and baselines have.
const ALIASES: &[(&str, &str)] = &[("uninitialized-read", "uninitialised-read")];

/// The permanent name of a rule, given any accepted spelling. Names that are no alias come back unchanged, known or not.
pub fn canonical_name(name: &str) -> &str {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    alias.map_or(name, |(_, canonical)| canonical)
}

/// The rule with that name or alias.
pub fn rule(name: &str) -> Option<&'static Rule> {
    let name = canonical_name(name);
    RULES.iter().copied().find(|rule| rule.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::rule::Severity;
    use Severity::{Error, Note, Warning};
    use std::collections::BTreeMap;
    use std::path::Path;

    /// The contract, typed from the table of rules: name, severity, whether it is judged at the call.
    const CONTRACT: &[(&str, Severity, bool)] = &[
        ("mismatched-free", Error, true),
        ("double-free", Error, true),
        ("interior-free", Error, true),
        ("invalid-free", Error, true),
        ("libc-free", Error, true),
        ("free-null", Note, true),
        ("release-failed", Warning, true),
        ("free-after-reset", Error, true),
        ("free-in-flight", Error, true),
        ("guard-overrun", Error, true),
        ("guard-underrun", Error, true),
        ("slack-write", Warning, true),
        ("page-fault", Error, true),
        ("device-fault", Error, true),
        ("freed-write", Error, true),
        ("uninitialised-read", Warning, true),
        ("copy-overrun", Error, true),
        ("copy-overread", Error, true),
        ("destmax-overstated", Warning, true), // an error if `count` passes the end too
        ("copy-use-after-free", Error, true),
        ("copy-wrong-direction", Error, true), // a note for blocking copies
        ("copy-overlap", Error, true),
        ("copy-misaligned", Warning, true),
        ("device-address-on-host", Error, true),
        ("misaligned-block", Warning, true),
        ("suballoc-misaligned", Error, true),
        ("suballoc-too-small", Error, false), // a warning if another tool reported it
        ("suballoc-overlap", Error, false),   // likewise, and if a copy is the only evidence
        ("suballoc-out-of-block", Error, true),
        ("host-access-in-flight", Error, true),
        ("host-buffer-reused-in-flight", Error, true),
        ("read-before-sync", Error, true),
        ("use-before-alloc", Error, true),
        ("use-after-stream-free", Error, true),
        ("unordered-access", Warning, true),
        ("workspace-too-small", Error, true),
        ("workspace-freed-in-flight", Error, true),
        ("executor-used-twice", Error, true),
        ("tensor-out-of-block", Error, true),
        ("index-out-of-range", Error, true),
        ("pool-destroyed-live", Error, true),
        ("use-after-reset", Error, true),
        ("live-at-reset", Warning, true),
        ("ipc-order", Error, true),
        ("host-register-order", Error, true),
        ("context-mismatch", Warning, true),
        ("vmm-order", Error, true), // a warning where the runtime accepts it
        ("hiai-ownership", Error, true),
        ("leak", Error, false),
        ("leak-reachable", Warning, false), // a note for what was allocated once and kept
        ("leak-growing", Warning, false),
        ("cache-not-returned", Note, false),
        ("leak-registration", Warning, false),
        ("leak-descriptor", Note, false),
        ("page-class-waste", Note, false),
        ("hot-loop-allocation", Note, false),
        ("never-used", Note, false),
        ("fragmented", Warning, false), // a note where it is an estimate
    ];

    #[test]
    fn names_severities_and_order_are_the_contract() {
        let rules: Vec<_> = RULES
            .iter()
            .map(|rule| (rule.name, rule.severity, rule.is_live))
            .collect();
        assert_eq!(rules, CONTRACT);
    }

    /// Every file of `rules/` except `mod.rs`, by the name that its rule must have.
    fn files() -> BTreeMap<String, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules");
        let paths = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        paths
            .filter(|path| !path.ends_with("mod.rs"))
            .map(|path| {
                let name = path
                    .file_stem()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .replace('_', "-");
                (name, std::fs::read_to_string(path).unwrap())
            })
            .collect()
    }

    #[test]
    fn every_file_of_rules_stands_in_the_list_once_under_its_own_name() {
        let mut files = files();
        for rule in RULES {
            assert_eq!(
                files.remove(rule.name).as_deref(),
                Some(rule.source),
                "{}",
                rule.name
            );
        }
        assert!(files.is_empty(), "not listed: {:?}", files.keys());
    }

    #[test]
    fn every_page_has_the_five_headings_in_order_and_no_other() {
        for rule in RULES {
            let page = rule.page();
            let headings: Vec<_> = page.lines().filter(|line| line.starts_with('#')).collect();
            assert_eq!(
                headings,
                [
                    "## What it reports",
                    "## Why it matters",
                    "## Example",
                    "## How to fix it",
                    "## What it cannot see"
                ],
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn every_page_begins_with_the_summary_and_ends_with_the_source_and_its_version() {
        for rule in RULES {
            let page = rule.page();
            let first = format!("`{}`: {}.", rule.name, rule.summary);
            assert_eq!(page.lines().next(), Some(first.as_str()));
            let (_, source) = page.split_once("\n\nSource: ").expect(rule.name);
            assert!(!source.contains("\n\n"), "{}", rule.name);
            assert!(source.contains("CANN"), "{}", rule.name);
        }
    }

    #[test]
    fn every_page_fits_a_terminal_and_shows_where_the_rule_speaks() {
        for rule in RULES {
            let page = rule.page();
            let widest = page.lines().map(str::len).max();
            assert!(widest <= Some(90), "{}: {widest:?}", rule.name);
            let example = page.split("```").nth(1).expect(rule.name);
            assert!(
                example.contains(&format!("// {}", rule.name)),
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn a_rule_is_found_by_its_name() {
        assert_eq!(rule("leak"), Some(&rules::leak::RULE));
        assert_eq!(rule("Leak"), None);
    }

    #[test]
    fn an_alias_finds_the_rule_and_output_has_the_permanent_name() {
        let found = rule("uninitialized-read").map(|rule| rule.name);
        assert_eq!(found, Some("uninitialised-read"));
        assert_eq!(canonical_name("leak"), "leak");
        assert_eq!(canonical_name("no-such-rule"), "no-such-rule");
        for (alias, name) in ALIASES {
            assert!(RULES.iter().all(|rule| rule.name != *alias), "{alias}");
            assert!(RULES.iter().any(|rule| rule.name == *name), "{name}");
        }
    }
}
