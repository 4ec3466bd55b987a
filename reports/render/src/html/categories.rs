//! What memory is for: a row for each category, with its live bytes over time.

use std::fmt::Write;

use maud::{Markup, html};

use super::cells::{row, size, table};
use super::messages::message;
use crate::Report;
use crate::model::CategoryUse;
use crate::units::duration;

/// Size of the drawing.
const WIDTH: u64 = 160;
const HEIGHT: u64 = 20;

/// The table; empty without categories.
pub fn section(report: &Report, names: &[String]) -> Markup {
    let categories = &report.annotations.categories;
    let points = categories.iter().flat_map(|one| &one.over_time);
    let until = points.map(|point| point.ns).max().unwrap_or(0);
    let rows = categories.iter().map(|one| {
        let [idle, oversized] = [one.idle_bytes, one.oversized_bytes].map(|of| of.map(size));
        row![
            names.get(one.process).map_or("", String::as_str),
            one.name,
            drawing(one, until),
            size(one.live_bytes),
            size(one.peak_bytes),
            duration(one.peak_ns),
            one.allocations,
            idle.unwrap_or_default(),
            oversized.unwrap_or_default(),
        ]
    });
    let head = [
        "process",
        "category",
        "over-time",
        "live-at-end",
        "peak",
        "when",
        "allocations",
        "idle-in-a-step",
        "oversized",
    ];
    table("categories", &head, rows.collect())
}

/// Live bytes as steps, against the category's peak.
fn drawing(one: &CategoryUse, until: u64) -> Markup {
    let scaled = |value: u64, of: u64, most: u64| {
        (u128::from(value.min(of)) * u128::from(most) / u128::from(of.max(1))) as u64
    };
    let mut path = format!("M0 {HEIGHT}");
    for point in &one.over_time {
        let right = scaled(point.ns, until, WIDTH);
        let up = HEIGHT - scaled(point.bytes, one.peak_bytes, HEIGHT);
        let _ = write!(path, "H{right}V{up}");
    }
    let _ = write!(path, "H{WIDTH}V{HEIGHT}Z");
    html! {
        svg width=(WIDTH) height=(HEIGHT) role="img" aria-label=(message("over-time")) {
            path d=(path) fill="currentColor" opacity="0.6" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CategoryPoint;

    #[test]
    fn a_category_is_drawn_within_its_box_and_its_peak_is_at_the_top() {
        let over_time = [(0, 5), (50, 10), (100, 0)].map(|(ns, bytes)| CategoryPoint { ns, bytes });
        let one = CategoryUse {
            name: "weights",
            peak_bytes: 10,
            over_time: over_time.to_vec(),
            ..CategoryUse::default()
        };
        let drawn = drawing(&one, 100).into_string();
        assert!(drawn.contains("M0 20H0V10H80V0H160V20H160V20Z"), "{drawn}");
        let mut report = Report::default();
        assert_eq!(section(&report, &[]).into_string(), "");
        report.annotations.categories.push(one);
        let text = section(&report, &["7 app".to_owned()]).into_string();
        assert!(text.contains("weights") && text.contains("7 app"), "{text}");
    }
}
