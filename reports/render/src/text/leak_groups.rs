//! Leaks grouped by one of their properties, as a table.

use std::io;

use super::writer::TextWriter;
use crate::model::{GroupBy, LeakGroup};
use crate::units::bytes;

/// The table.
pub fn write(by: GroupBy, groups: &[LeakGroup], writer: &mut TextWriter) -> io::Result<()> {
    writer.title(&format!("Leaks by {}", by.name()))?;
    let shown = writer.shown(groups.len());
    let rows = groups[..shown].iter().map(|group| {
        vec![
            group.key.clone(),
            group.blocks.to_string(),
            bytes(group.bytes),
        ]
    });
    writer.table(&[by.name(), "blocks", "bytes"], 1, rows.collect())?;
    match groups.len() - shown {
        0 => Ok(()),
        more => writer.line(&format!("  {more} more: `--limit 0` shows all")),
    }
}
