//! Leaks summed up by one of their properties, as a table.

use std::io;

use super::writer::Page;
use crate::model::{By, LeakGroup};
use crate::units::bytes;

/// The table.
pub fn write(by: By, groups: &[LeakGroup], page: &mut Page) -> io::Result<()> {
    page.title(&format!("Leaks by {}", by.name()))?;
    let shown = page.shown(groups.len());
    let rows = groups[..shown].iter().map(|group| {
        vec![
            group.key.clone(),
            group.blocks.to_string(),
            bytes(group.bytes),
        ]
    });
    page.table(&[by.name(), "blocks", "bytes"], 1, rows.collect())?;
    match groups.len() - shown {
        0 => Ok(()),
        more => page.line(&format!("  {more} more: `--limit 0` shows all")),
    }
}
