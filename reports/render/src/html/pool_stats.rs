//! Small tables with grades: pool internals, allocation latency, transfers between host and devices.

use maud::{Markup, html};

use super::cells::{named, row, site, size, table};
use super::escape::Text;
use super::messages::message;
use super::pool_attributes;
use crate::Report;
use crate::model::{Grade, PoolSpace};
use crate::units::percent;

/// All tables that have rows.
pub fn sections(report: &Report, names: &[String]) -> Markup {
    html! {
        (spaces(report, true, "pools-inside"))
        (spaces(report, false, "pools-own"))
        (service(report))
        (classes(report))
        (pool_attributes::sections(report))
        (latencies(report))
        (transfers(report))
        (paying(report, names))
    }
}

fn graded(share: f64, grade: Grade) -> Markup {
    html! { (percent(share)) " " (mark(grade)) }
}

fn mark(grade: Grade) -> Markup {
    let name = match grade {
        Grade::Good => message("good"),
        Grade::Warning => message("warning"),
        Grade::Danger => message("danger"),
    };
    html! { b class={ "grade " (grade.name()) } { (name) } }
}

/// Layout of pools' memory, at the peak and at the end.
fn spaces(report: &Report, is_reported: bool, title: &str) -> Markup {
    let mut rows = Vec::new();
    let pools = report.annotations.pools.iter();
    for pool in pools.filter(|pool| pool.is_reported() == is_reported) {
        let inside = &pool.inside;
        for (when, space) in [
            (message("at-the-peak"), &inside.peak),
            (message("at-the-end"), &inside.end),
        ] {
            let PoolSpace {
                external, internal, ..
            } = *space;
            rows.push(row![
                Text(&pool.name),
                when,
                size(space.held_bytes),
                space.live_blocks,
                size(space.live_bytes),
                size(space.free_bytes),
                space.holes,
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

/// How pools serve requests, and what went wrong in them.
fn service(report: &Report) -> Markup {
    let pools = report.annotations.pools.iter();
    let rows = pools.map(|pool| {
        let inside = &pool.inside;
        let [count, half, most] = inside.reuse.map_or_else(nothing, |reuse| {
            [reuse.count, reuse.p50, reuse.p90].map(|count| count.to_string())
        });
        row![
            Text(&pool.name),
            inside.requests,
            inside.hits,
            graded(inside.hit_rate, inside.hit_grade),
            count,
            half,
            most,
            pool.overlaps,
            pool.outside,
            pool.dropped,
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

/// Requests by size class.
fn classes(report: &Report) -> Markup {
    let pools = report.annotations.pools.iter();
    let classes = pools.flat_map(|pool| pool.inside.classes.iter().map(move |class| (pool, class)));
    let rows = classes.map(|(pool, class)| {
        let padding = class.taken_bytes.saturating_sub(class.asked_bytes) as f64;
        row![
            Text(&pool.name),
            size(class.up_to_bytes),
            class.requests,
            class.hits,
            percent(class.hit_rate),
            class.live_blocks,
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

/// Latency of the runtime's own allocations.
fn latencies(report: &Report) -> Markup {
    let places = report.allocations.sites.iter();
    let stalled: u64 = places
        .filter_map(|place| Some(place.latency?.stalled))
        .sum();
    let rows = report
        .allocations
        .latencies
        .iter()
        .map(|all| row![all.fast, all.usual, all.slow, stalled, mark(all.grade)]);
    let head = ["below-10", "to-50", "above-50", "stalled", "grade"];
    table("latencies", &head, rows.collect())
}

/// The share of bytes between host and devices that needs no second copy.
fn transfers(report: &Report) -> Markup {
    let all = &report.transfers;
    let rows = match all.copies {
        0 => Vec::new(),
        copies => vec![row![
            copies,
            size(all.bytes),
            size(all.pinned_bytes),
            size(all.registered_bytes),
            graded(all.zero_copy, all.grade),
        ]],
    };
    let head = ["copies", "bytes", "pinned", "registered", "zero-copy"];
    table("transfers", &head, rows)
}

/// Call sites where page-locked memory would pay.
fn paying(report: &Report, names: &[String]) -> Markup {
    let places = report.transfers.sites.iter().filter(|place| place.pays);
    let rows = places.map(|place| {
        row![
            named(names, place.process, place.pid),
            size(place.bytes),
            place.copies,
            place.again,
            match place.is_async {
                true => message("waits"),
                false => html! { "–" },
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
