//! The rules' pages, which `aclsan explain` prints.

const PAGES: [(&str, &str); 58] = [
    (
        "cache-not-returned",
        include_str!("pages/cache_not_returned.md"),
    ),
    (
        "context-mismatch",
        include_str!("pages/context_mismatch.md"),
    ),
    ("copy-misaligned", include_str!("pages/copy_misaligned.md")),
    ("copy-overlap", include_str!("pages/copy_overlap.md")),
    ("copy-overread", include_str!("pages/copy_overread.md")),
    ("copy-overrun", include_str!("pages/copy_overrun.md")),
    (
        "copy-use-after-free",
        include_str!("pages/copy_use_after_free.md"),
    ),
    (
        "copy-wrong-direction",
        include_str!("pages/copy_wrong_direction.md"),
    ),
    (
        "destmax-overstated",
        include_str!("pages/destmax_overstated.md"),
    ),
    (
        "device-address-on-host",
        include_str!("pages/device_address_on_host.md"),
    ),
    ("double-free", include_str!("pages/double_free.md")),
    (
        "executor-used-twice",
        include_str!("pages/executor_used_twice.md"),
    ),
    ("fragmented", include_str!("pages/fragmented.md")),
    (
        "free-after-reset",
        include_str!("pages/free_after_reset.md"),
    ),
    ("free-in-flight", include_str!("pages/free_in_flight.md")),
    ("free-null", include_str!("pages/free_null.md")),
    ("freed-write", include_str!("pages/freed_write.md")),
    ("guard-overrun", include_str!("pages/guard_overrun.md")),
    ("guard-underrun", include_str!("pages/guard_underrun.md")),
    ("hiai-ownership", include_str!("pages/hiai_ownership.md")),
    (
        "host-access-in-flight",
        include_str!("pages/host_access_in_flight.md"),
    ),
    (
        "host-buffer-reused-in-flight",
        include_str!("pages/host_buffer_reused_in_flight.md"),
    ),
    (
        "host-register-order",
        include_str!("pages/host_register_order.md"),
    ),
    (
        "hot-loop-allocation",
        include_str!("pages/hot_loop_allocation.md"),
    ),
    ("interior-free", include_str!("pages/interior_free.md")),
    ("invalid-free", include_str!("pages/invalid_free.md")),
    ("ipc-order", include_str!("pages/ipc_order.md")),
    ("leak", include_str!("pages/leak.md")),
    ("leak-descriptor", include_str!("pages/leak_descriptor.md")),
    ("leak-growing", include_str!("pages/leak_growing.md")),
    ("leak-reachable", include_str!("pages/leak_reachable.md")),
    (
        "leak-registration",
        include_str!("pages/leak_registration.md"),
    ),
    ("libc-free", include_str!("pages/libc_free.md")),
    ("live-at-reset", include_str!("pages/live_at_reset.md")),
    (
        "misaligned-block",
        include_str!("pages/misaligned_block.md"),
    ),
    ("mismatched-free", include_str!("pages/mismatched_free.md")),
    ("never-used", include_str!("pages/never_used.md")),
    (
        "page-class-waste",
        include_str!("pages/page_class_waste.md"),
    ),
    ("page-fault", include_str!("pages/page_fault.md")),
    ("device-fault", include_str!("pages/device_fault.md")),
    (
        "index-out-of-range",
        include_str!("pages/index_out_of_range.md"),
    ),
    (
        "pool-destroyed-live",
        include_str!("pages/pool_destroyed_live.md"),
    ),
    (
        "read-before-sync",
        include_str!("pages/read_before_sync.md"),
    ),
    ("release-failed", include_str!("pages/release_failed.md")),
    ("slack-write", include_str!("pages/slack_write.md")),
    (
        "suballoc-misaligned",
        include_str!("pages/suballoc_misaligned.md"),
    ),
    (
        "suballoc-out-of-block",
        include_str!("pages/suballoc_out_of_block.md"),
    ),
    (
        "suballoc-overlap",
        include_str!("pages/suballoc_overlap.md"),
    ),
    (
        "suballoc-too-small",
        include_str!("pages/suballoc_too_small.md"),
    ),
    (
        "tensor-out-of-block",
        include_str!("pages/tensor_out_of_block.md"),
    ),
    (
        "uninitialised-read",
        include_str!("pages/uninitialised_read.md"),
    ),
    (
        "unordered-access",
        include_str!("pages/unordered_access.md"),
    ),
    ("use-after-reset", include_str!("pages/use_after_reset.md")),
    (
        "use-after-stream-free",
        include_str!("pages/use_after_stream_free.md"),
    ),
    (
        "use-before-alloc",
        include_str!("pages/use_before_alloc.md"),
    ),
    ("vmm-order", include_str!("pages/vmm_order.md")),
    (
        "workspace-freed-in-flight",
        include_str!("pages/workspace_freed_in_flight.md"),
    ),
    (
        "workspace-too-small",
        include_str!("pages/workspace_too_small.md"),
    ),
];

/// Stands for the example, which is the same in both languages.
const EXAMPLE: &str = "{example}";

/// The page of a rule, with the example of its English page.
pub fn page(rule: &str, english: &str) -> Option<String> {
    let (_, page) = PAGES.iter().find(|(name, _)| *name == rule)?;
    let start = english.find("```")?;
    let end = start + 3 + english[start + 3..].find("```")? + 3;
    Some(page.replace(EXAMPLE, &english[start..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_parts_and_begins_with_its_rule() {
        for (rule, page) in PAGES {
            assert!(page.starts_with(&format!("`{rule}`：")), "{rule}");
            for part in [
                "## 报告什么\n",
                "## 为何重要\n",
                "## 示例\n",
                "## 无法发现什么\n",
                "\n来源：",
                EXAMPLE,
            ] {
                assert_eq!(page.matches(part).count(), 1, "{rule}: {part}");
            }
            assert_eq!(page.matches('`').count() % 2, 0, "{rule}");
        }
    }

    #[test]
    fn the_example_is_the_english_one() {
        let english = "Text.\n```c\nfree(x);\n```\nSource";
        let page = page("double-free", english).unwrap();
        assert!(page.contains("## 示例\n```c\nfree(x);\n```\n"), "{page}");
    }
}
