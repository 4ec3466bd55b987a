//! Settings of runtime pools, and what the runtime reported about their use, next to the log.

use maud::{Markup, html};

use super::cells::{row, size, table};
use super::escape::Text;
use super::messages::message;
use crate::Report;
use crate::model::{PoolAttributes, Reading, Setting};

/// Both tables, if any pool has attributes.
pub fn sections(report: &Report) -> Markup {
    let pools = report.annotations.pools.iter();
    let pools: Vec<(&str, &PoolAttributes)> = pools
        .filter_map(|pool| Some((pool.name.as_str(), pool.attributes.as_ref()?)))
        .collect();
    let settings = pools.iter().map(|(name, attributes)| {
        row![
            Text(name),
            policy(attributes.event_dependencies),
            policy(attributes.opportunistic),
            policy(attributes.internal_dependencies),
            setting_cell(attributes.release_threshold, size),
            attributes.trims,
            attributes.last_trim_bytes.map_or_else(nothing, size),
        ]
    });
    let head = [
        "name",
        "event-dependencies",
        "opportunistic",
        "internal-dependencies",
        "release-threshold",
        "trims",
        "last-trim",
    ];
    let settings = table("pools-set", &head, settings.collect());
    let readings = pools
        .iter()
        .flat_map(|(name, attributes)| readings(name, attributes));
    let head = ["name", "what", "runtime-said", "log-then", "log-to-end"];
    html! { (settings) (table("pools-said", &head, readings.collect())) }
}

fn nothing() -> Markup {
    html! { "–" }
}

fn setting_cell(setting: Option<Setting>, value: impl Fn(u64) -> Markup) -> Markup {
    match setting {
        None => message("not-told"),
        Some(Setting {
            value: of,
            reported,
        }) => {
            let how = message(if reported == "set" {
                "was-set"
            } else {
                "was-read"
            });
            html! { (value(of)) " (" (how) ")" }
        }
    }
}

fn policy(setting: Option<Setting>) -> Markup {
    setting_cell(setting, |value| {
        message(if value == 0 { "off" } else { "on" })
    })
}

/// Used and reserved bytes of the pool in pages, and blocks used by captured graphs.
fn readings(name: &str, attributes: &PoolAttributes) -> Vec<Vec<Markup>> {
    let log = |bytes| attributes.is_whole.then_some(bytes);
    let seen = |bytes: Option<u64>| bytes.map_or_else(|| message("not-seen"), size);
    let reading = |what: Markup, reading: Option<Reading>, to_end| {
        let said = reading.map_or_else(|| message("not-asked"), |reading| size(reading.bytes));
        let then = reading.map_or_else(nothing, |reading| seen(reading.log_bytes));
        row![Text(name), what, said, then, seen(to_end)]
    };
    let (used, high) = (attributes.log_used_bytes, attributes.log_used_high_bytes);
    let mut rows = vec![
        reading(message("used"), attributes.used, log(used)),
        reading(message("used-high"), attributes.used_high, log(high)),
        reading(message("reserved"), attributes.reserved, None),
        reading(message("reserved-high"), attributes.reserved_high, None),
    ];
    if attributes.graph_blocks > 0 {
        let what = html! { (attributes.graph_blocks) " " (message("in-graphs")) };
        let bytes = size(attributes.graph_bytes);
        rows.push(row![Text(name), what, nothing(), nothing(), bytes]);
    }
    rows
}
