//! Bytes by family and device, and refused calls.

use std::io;

use super::writer::TextWriter;
use crate::model::Report;
use crate::units::{bytes, duration};

/// Tables of allocated memory and refused calls.
pub fn write(report: &Report, writer: &mut TextWriter) -> io::Result<()> {
    let metrics = &report.metrics;
    if !metrics.families.is_empty() {
        writer.title("Memory")?;
        let rows = metrics.families.iter().map(|family| {
            vec![
                writer.name(family.process).to_owned(),
                family.family.to_owned(),
                writer.count(family.allocations),
                writer.count(family.releases),
                writer.sums(&bytes(family.allocated_bytes)),
                writer.sums(&bytes(family.peak_bytes)),
                duration(family.peak_ns),
                writer.sums(&bytes(family.live_bytes)),
            ]
        });
        let head = [
            "process",
            "family",
            "allocations",
            "releases",
            "allocated",
            "peak",
            "at",
            "at the end",
        ];
        writer.table(&head, 2, rows.collect())?;
    }
    if !metrics.failures.is_empty() {
        writer.title("Refused calls")?;
        let rows = metrics.failures.iter().map(|failure| {
            vec![
                failure.function.clone(),
                failure.name.clone().unwrap_or_default(),
                failure.status.to_string(),
                failure.count.to_string(),
                match failure.bytes {
                    0 => String::new(),
                    asked => bytes(asked),
                },
            ]
        });
        let head = ["function", "returned", "code", "times", "asked for"];
        writer.table(&head, 2, rows.collect())?;
    }
    Ok(())
}
