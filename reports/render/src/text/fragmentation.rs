//! How device memory is cut up.

use std::io;

use super::Page;
use crate::model::{Report, Space, SpaceClass};
use crate::units::{bytes, duration, percent};

/// A table of sizes and one of holes, at the peak and at the end.
pub fn write(report: &Report, page: &mut Page) -> io::Result<()> {
    let classes = &report.fragmentation.classes;
    if classes.is_empty() {
        return Ok(());
    }
    page.title("Device memory by page size (an estimate from addresses: physical pages, caches and other processes are not seen)")?;
    let moments = classes
        .iter()
        .flat_map(|class| [(class, "peak", &class.peak), (class, "end", &class.end)]);
    let rows = moments.clone().map(|(class, when, space)| {
        let mut row = heading(class, when);
        row.extend([
            space.blocks.to_string(),
            bytes(space.asked_bytes),
            bytes(space.rounded_bytes),
            bytes(space.page_bytes),
            slack(space),
        ]);
        row
    });
    let head = [
        "process",
        "device",
        "pages",
        "when",
        "blocks",
        "asked for",
        "rounded",
        "in pages",
        "slack",
    ];
    page.table(&head, 4, rows.collect())?;
    page.gap()?;
    let rows = moments.map(|(class, when, space)| {
        let mut row = heading(class, when);
        row.extend([
            bytes(space.span_bytes),
            space.holes.to_string(),
            bytes(space.free_bytes),
            bytes(space.largest_hole_bytes),
            percent(space.index),
        ]);
        row.extend(
            space
                .unusable
                .iter()
                .map(|unusable| percent(unusable.share)),
        );
        row
    });
    let head = [
        "process",
        "device",
        "pages",
        "when",
        "span",
        "holes",
        "free in holes",
        "largest hole",
        "1-L/F",
        "unusable for 2M",
        "64M",
        "512M",
    ];
    page.table(&head, 4, rows.collect())
}

fn heading(class: &SpaceClass, when: &str) -> Vec<String> {
    let when = match when {
        "peak" => format!("peak, {}", duration(class.peak_ns)),
        other => other.to_owned(),
    };
    let device = match class.device {
        device @ 0.. => device.to_string(),
        _ => "?".to_owned(),
    };
    vec![class.pid.to_string(), device, class.page.to_owned(), when]
}

fn slack(space: &Space) -> String {
    match space.page_bytes {
        0 => "-".to_owned(),
        all => format!(
            "{}, {}",
            bytes(space.slack_bytes),
            percent(space.slack_bytes as f64 / all as f64)
        ),
    }
}
