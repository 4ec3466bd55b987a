//! Settings of a runtime pool, and what the runtime reported about its use, next to the log.

use std::io;

use super::writer::TextWriter;
use crate::model::{PoolAttributes, Reading, Setting};
use crate::units::{bytes, counted};

/// Shown if the program neither set nor read it.
const UNKNOWN: &str = "unknown";

/// The attributes of a pool.
pub fn write(attributes: &PoolAttributes, writer: &mut TextWriter) -> io::Result<()> {
    writer.line(&format!(
        "  reuse by event dependencies {}, opportunistic {}, by internal dependencies {}",
        policy(attributes.event_dependencies),
        policy(attributes.opportunistic),
        policy(attributes.internal_dependencies),
    ))?;
    let threshold = match attributes.release_threshold {
        Some(Setting { value, reported }) => format!("{} ({reported})", bytes(value)),
        None => UNKNOWN.to_owned(),
    };
    writer.line(&match attributes.last_trim_bytes {
        Some(keep) => format!(
            "  release threshold {threshold}; trimmed {}, last to {}",
            counted(attributes.trims, "time"),
            bytes(keep)
        ),
        None => format!("  release threshold {threshold}; never trimmed"),
    })?;
    let row = |what: &str, reading: Option<Reading>, log: Option<u64>| {
        let then = reading.and_then(|reading| reading.log_bytes);
        let seen = |log: Option<u64>| log.map_or("not visible".to_owned(), bytes);
        vec![
            what.to_owned(),
            reading.map_or("not asked".to_owned(), |reading| bytes(reading.bytes)),
            match reading {
                Some(_) => seen(then),
                None => "-".to_owned(),
            },
            seen(log),
        ]
    };
    let log = |bytes| attributes.is_whole.then_some(bytes);
    let rows = vec![
        row("used", attributes.used, log(attributes.log_used_bytes)),
        row(
            "used at most",
            attributes.used_high,
            log(attributes.log_used_high_bytes),
        ),
        row("reserved", attributes.reserved, None),
        row("reserved at most", attributes.reserved_high, None),
    ];
    let head = [
        "in pages of 2 MiB",
        "last reported by the runtime",
        "log at that time",
        "whole log",
    ];
    writer.table(&head, 1, rows)?;
    if attributes.graph_blocks > 0 {
        writer.line(&format!(
            "  captured graphs refer to {} of {} in total that are live at the end, until `aclmdlRIDestroy`",
            counted(attributes.graph_blocks, "block"),
            bytes(attributes.graph_bytes)
        ))?;
    }
    match attributes.is_whole {
        true => Ok(()),
        false => writer.line("  the log lacks the pool's beginning, so its use is unknown"),
    }
}

fn policy(setting: Option<Setting>) -> String {
    match setting {
        None => UNKNOWN.to_owned(),
        Some(Setting { value: 0, reported }) => format!("off ({reported})"),
        Some(Setting { reported, .. }) => format!("on ({reported})"),
    }
}
