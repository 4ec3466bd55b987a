//! What the runtime's own pools were set to, and what the runtime said that they use, beside the log.

use super::cells::{size, table};
use super::escape::{escape, shortened};
use super::messages::message;
use crate::Report;
use crate::model::{PoolAttributes, Reading, Setting};

/// Both tables, if a pool has attributes.
pub fn sections(report: &Report) -> String {
    let pools = report.annotations.pools.iter();
    let pools: Vec<(String, &PoolAttributes)> = pools
        .filter_map(|pool| Some((escape(&shortened(&pool.name)), pool.attributes.as_ref()?)))
        .collect();
    let settings = pools.iter().map(|(name, attributes)| {
        vec![
            name.clone(),
            policy(attributes.event_dependencies),
            policy(attributes.opportunistic),
            policy(attributes.internal_dependencies),
            told(attributes.release_threshold, size),
            attributes.trims.to_string(),
            attributes.last_trim_bytes.map_or("–".to_owned(), size),
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
    let mut html = table("pools-set", &head, settings.collect());
    let readings = pools
        .iter()
        .flat_map(|(name, attributes)| readings(name, attributes));
    let head = ["name", "what", "runtime-said", "log-then", "log-to-end"];
    html.push_str(&table("pools-said", &head, readings.collect()));
    html
}

fn told(setting: Option<Setting>, value: impl Fn(u64) -> String) -> String {
    match setting {
        None => message("not-told"),
        Some(Setting { value: of, told }) => {
            let how = message(if told == "set" { "was-set" } else { "was-read" });
            format!("{} ({how})", value(of))
        }
    }
}

fn policy(setting: Option<Setting>) -> String {
    told(setting, |value| {
        message(if value == 0 { "off" } else { "on" })
    })
}

/// What the pool uses and has reserved, in pages; what captured graphs name.
fn readings(name: &str, attributes: &PoolAttributes) -> Vec<Vec<String>> {
    let log = |bytes| attributes.is_whole.then_some(bytes);
    let seen = |bytes: Option<u64>| bytes.map_or_else(|| message("not-seen"), size);
    let row = |what: String, reading: Option<Reading>, to_end| {
        let said = reading.map_or_else(|| message("not-asked"), |reading| size(reading.bytes));
        let then = reading.map_or("–".to_owned(), |reading| seen(reading.log_bytes));
        vec![name.to_owned(), what, said, then, seen(to_end)]
    };
    let (used, high) = (attributes.log_used_bytes, attributes.log_used_high_bytes);
    let mut rows = vec![
        row(message("used"), attributes.used, log(used)),
        row(message("used-high"), attributes.used_high, log(high)),
        row(message("reserved"), attributes.reserved, None),
        row(message("reserved-high"), attributes.reserved_high, None),
    ];
    if attributes.graph_blocks > 0 {
        let what = format!("{} {}", attributes.graph_blocks, message("in-graphs"));
        let nothing = || "–".to_owned();
        rows.push(vec![
            name.to_owned(),
            what,
            nothing(),
            nothing(),
            size(attributes.graph_bytes),
        ]);
    }
    rows
}
