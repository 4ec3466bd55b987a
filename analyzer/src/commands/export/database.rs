//! The SQLite file that MindStudio Insight opens: a table of msMemScope's events.

use std::path::Path;

use aclsan_render::viewers::memscope::{COLUMNS, Row};
use anyhow::{Context, bail};
use rusqlite::{Connection, params};

use crate::logs::atomic_file;

/// Writes a new database; Insight adds its own tables when it opens it.
///
/// # Errors
/// If the file exists already or cannot be written.
pub fn write(rows: &[Row], path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        bail!(
            "`{}` is there already: move it away, or name another file",
            path.display()
        );
    }
    let bytes = filled(rows).with_context(|| format!("cannot make `{}`", path.display()))?;
    atomic_file::write(path, &bytes)
}

/// Built in memory, like the rows: a file that SQLite fills itself would be half full after an interrupt.
fn filled(rows: &[Row]) -> anyhow::Result<Vec<u8>> {
    let mut database = Connection::open_in_memory()?;
    let columns = COLUMNS.map(|column| {
        let kind = match column {
            "ID" | "Timestamp(ns)" | "Process Id" | "Thread Id" => "INTEGER",
            _ => "TEXT",
        };
        format!("\"{column}\" {kind}")
    });
    database.execute(
        &format!("CREATE TABLE memscope_dump ({})", columns.join(",")),
        [],
    )?;
    let transaction = database.transaction()?;
    {
        let mut insert =
            transaction.prepare("INSERT INTO memscope_dump VALUES (?,?,?,?,?,?,?,?,?,?,?,?)")?;
        for row in rows {
            insert.execute(params![
                row.id,
                row.event,
                row.kind,
                row.name,
                row.timestamp_ns,
                row.pid,
                row.tid,
                row.device,
                row.address,
                row.attributes.to_string(),
                row.python,
                row.stack
            ])?;
        }
    }
    transaction.commit()?;
    Ok(database.serialize("main")?.to_vec())
}
