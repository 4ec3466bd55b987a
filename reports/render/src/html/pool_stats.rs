//! What goes on inside pools, how long allocations take, and how bytes travel between host and devices, as small tables with grades.

use super::cells::{named, site, size, table};
use super::escape::{escape, shortened};
use super::messages::message;
use super::pool_attributes;
use crate::Report;
use crate::model::{Grade, PoolSpace};
use crate::units::percent;

/// All of them that have rows.
pub fn sections(report: &Report, names: &[String]) -> String {
    let mut html = spaces(report, true, "pools-inside");
    html.push_str(&spaces(report, false, "pools-own"));
    html.push_str(&service(report));
    html.push_str(&classes(report));
    html.push_str(&pool_attributes::sections(report));
    html.push_str(&latencies(report));
    html.push_str(&transfers(report));
    html.push_str(&paying(report, names));
    html
}

fn graded(share: f64, grade: Grade) -> String {
    format!("{} {}", percent(share), mark(grade))
}

fn mark(grade: Grade) -> String {
    let name = match grade {
        Grade::Good => message("good"),
        Grade::Warning => message("warning"),
        Grade::Danger => message("danger"),
    };
    format!("<b class=\"grade {}\">{name}</b>", grade.name())
}

/// How pools' memory is cut up, at the peak and at the end.
fn spaces(report: &Report, is_told: bool, title: &str) -> String {
    let mut rows = Vec::new();
    let pools = report.annotations.pools.iter();
    for pool in pools.filter(|pool| pool.is_told() == is_told) {
        let inside = &pool.inside;
        for (when, space) in [
            (message("at-the-peak"), &inside.peak),
            (message("at-the-end"), &inside.end),
        ] {
            let PoolSpace {
                external, internal, ..
            } = *space;
            rows.push(vec![
                escape(&shortened(&pool.name)),
                when,
                size(space.held_bytes),
                space.live_blocks.to_string(),
                size(space.live_bytes),
                size(space.free_bytes),
                space.holes.to_string(),
                size(space.largest_hole_bytes),
                graded(external, space.external_grade),
                graded(internal, space.internal_grade),
            ]);
        }
    }
    let head = [
        "name",
        "when",
        "holds",
        "blocks-live",
        "bytes-asked",
        "free",
        "holes",
        "largest-hole",
        "external",
        "internal",
    ];
    table(title, &head, rows)
}

/// How pools serve their requests, and what went wrong in them.
fn service(report: &Report) -> String {
    let pools = report.annotations.pools.iter();
    let rows = pools.map(|pool| {
        let inside = &pool.inside;
        let [count, half, most] = inside.reuse.map_or_else(nothing, |reuse| {
            [reuse.count, reuse.p50, reuse.p90].map(|count| count.to_string())
        });
        vec![
            escape(&shortened(&pool.name)),
            inside.requests.to_string(),
            inside.hits.to_string(),
            graded(inside.hit_rate, inside.hit_grade),
            count,
            half,
            most,
            pool.overlaps.to_string(),
            pool.outside.to_string(),
            pool.dropped.to_string(),
        ]
    });
    let head = [
        "name",
        "requests",
        "hits",
        "hit-rate",
        "reused",
        "reused-half",
        "reused-most",
        "overlaps",
        "outside",
        "gone-with-pool",
    ];
    table("pools-service", &head, rows.collect())
}

fn nothing() -> [String; 3] {
    ["0", "–", "–"].map(str::to_owned)
}

/// The same by size.
fn classes(report: &Report) -> String {
    let pools = report.annotations.pools.iter();
    let classes = pools.flat_map(|pool| pool.inside.classes.iter().map(move |class| (pool, class)));
    let rows = classes.map(|(pool, class)| {
        let padding = class.taken_bytes.saturating_sub(class.asked_bytes) as f64;
        vec![
            escape(&shortened(&pool.name)),
            size(class.up_to_bytes),
            class.requests.to_string(),
            class.hits.to_string(),
            percent(class.hit_rate),
            class.live_blocks.to_string(),
            size(class.live_bytes),
            percent(padding / class.taken_bytes.max(1) as f64),
        ]
    });
    let head = [
        "name",
        "up-to",
        "requests",
        "hits",
        "hit-rate",
        "blocks-live",
        "live-at-end",
        "padding",
    ];
    table("pools-classes", &head, rows.collect())
}

/// How long the runtime's own allocations took.
fn latencies(report: &Report) -> String {
    let places = report.allocations.sites.iter();
    let stalled: u64 = places
        .filter_map(|place| Some(place.latency?.stalled))
        .sum();
    let rows = report.allocations.latencies.iter().map(|all| {
        let [fast, usual, slow] = [all.fast, all.usual, all.slow].map(|count| count.to_string());
        vec![fast, usual, slow, stalled.to_string(), mark(all.grade)]
    });
    let head = ["below-10", "to-50", "above-50", "stalled", "grade"];
    table("latencies", &head, rows.collect())
}

/// What share of the bytes between host and devices needs no second copy.
fn transfers(report: &Report) -> String {
    let all = &report.transfers;
    let rows = match all.copies {
        0 => Vec::new(),
        copies => vec![vec![
            copies.to_string(),
            size(all.bytes),
            size(all.pinned_bytes),
            size(all.registered_bytes),
            graded(all.zero_copy, all.grade),
        ]],
    };
    let head = ["copies", "bytes", "pinned", "registered", "zero-copy"];
    table("transfers", &head, rows)
}

/// The places where page-locked memory would pay.
fn paying(report: &Report, names: &[String]) -> String {
    let places = report.transfers.sites.iter().filter(|place| place.pays);
    let rows = places.map(|place| {
        vec![
            named(names, place.process, place.pid),
            size(place.bytes),
            place.copies.to_string(),
            place.again.to_string(),
            match place.is_async {
                true => message("waits"),
                false => "–".to_owned(),
            },
            site(&place.transferred),
        ]
    });
    let head = [
        "process",
        "bytes",
        "copies",
        "same-memory",
        "queued-call",
        "where",
    ];
    table("pinning-pays", &head, rows.collect())
}

#[cfg(test)]
mod tests;
