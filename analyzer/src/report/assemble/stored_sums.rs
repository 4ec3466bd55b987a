//! Sums of a process from a dataset: its allocation sites and layouts.

use aclsan_dataset::tables::{Allocation, Layout};
use aclsan_render::model::*;

use crate::report::dataset::read::{Stored, word};

/// An allocation site.
pub fn site((process, pid): (usize, u32), row: &Allocation, stored: &Stored) -> AllocationSite {
    let slack = || {
        Some(Slack {
            blocks: row.slack_blocks?,
            asked_bytes: row.slack_asked_bytes?,
            rounded_bytes: row.slack_rounded_bytes?,
            page_bytes: row.slack_page_bytes?,
            normal_bytes: row.slack_normal_bytes?,
            pooled_bytes: row.slack_pooled_bytes?,
        })
    };
    let lifetime = || {
        Some(Lifetime {
            p50_ns: row.lifetime_p50_ns?,
            p90_ns: row.lifetime_p90_ns?,
            longest_ns: row.lifetime_longest_ns?,
        })
    };
    let outgrown = || {
        Some(Outgrown {
            reported_free_bytes: row.outgrown_free_bytes?,
            page_bytes: row.outgrown_page_bytes?,
        })
    };
    let latency = || {
        Some(Latency {
            fast: row.latency_fast?,
            usual: row.latency_usual?,
            slow: row.latency_slow?,
            stalled: row.latency_stalled?,
            total_ns: row.latency_total_ns?,
            p50_ns: row.latency_p50_ns,
            p90_ns: row.latency_p90_ns,
            p99_ns: row.latency_p99_ns,
            slowest_ns: row.latency_slowest_ns,
            outgrown: outgrown(),
        })
    };
    AllocationSite {
        pid,
        process,
        family: word(&row.family),
        allocations: row.allocations,
        releases: row.releases,
        allocated_bytes: row.allocated_bytes,
        peak_bytes: row.peak_bytes,
        peak_ns: row.peak_ns,
        repeated: row.repeated,
        slack: slack(),
        lifetime: lifetime(),
        latency: latency(),
        allocated: stored.trace("allocated", row.stack, false),
    }
}

/// A page class. Tables have no pinning sites.
pub fn class((process, pid): (usize, u32), row: &Layout) -> SpaceClass {
    macro_rules! space {
        ($($field:ident = $column:ident),*; $index:ident; $($share:ident),*) => {
            Space {
                $($field: row.$column,)*
                index: row.$index,
                unusable: HELD_REQUESTS.into_iter().zip([$(row.$share),*])
                    .map(|(request_bytes, share)| Unusable { request_bytes, share })
                    .collect(),
            }
        };
    }
    let typical = |share| Unusable {
        request_bytes: row.typical_bytes,
        share,
    };
    SpaceClass {
        pid,
        process,
        device: row.device,
        page: word(&row.page),
        peak_ns: row.peak_ns,
        peak: space!(
            blocks = peak_blocks, asked_bytes = peak_asked_bytes, rounded_bytes = peak_rounded_bytes,
            page_bytes = peak_page_bytes, slack_bytes = peak_slack_bytes, span_bytes = peak_span_bytes,
            spans = peak_spans, free_bytes = peak_free_bytes, holes = peak_holes,
            usual_holes = peak_usual_holes, largest_hole_bytes = peak_largest_hole_bytes;
            peak_fragmentation; peak_unusable_2m, peak_unusable_64m, peak_unusable_512m
        ),
        end: space!(
            blocks = end_blocks, asked_bytes = end_asked_bytes, rounded_bytes = end_rounded_bytes,
            page_bytes = end_page_bytes, slack_bytes = end_slack_bytes, span_bytes = end_span_bytes,
            spans = end_spans, free_bytes = end_free_bytes, holes = end_holes,
            usual_holes = end_usual_holes, largest_hole_bytes = end_largest_hole_bytes;
            end_fragmentation; end_unusable_2m, end_unusable_64m, end_unusable_512m
        ),
        typical: typical(row.peak_unusable_typical),
        typical_at_end: typical(row.end_unusable_typical),
        pinners: Vec::new(),
    }
}
