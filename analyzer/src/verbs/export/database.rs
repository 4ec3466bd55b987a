//! The SQLite file that MindStudio Insight opens: one table of msMemScope's events.

use std::fs;
use std::path::Path;

use aclsan_render::viewers::memscope::{COLUMNS, Row};
use anyhow::{Context, bail};
use rusqlite::{Connection, params};

/// Writes a new database; Insight adds tables of its own when it opens it.
///
/// # Errors
/// When there is such a file already, or it cannot be written.
pub fn write(rows: &[Row], path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        bail!(
            "`{}` is there already: move it away, or name another file",
            path.display()
        );
    }
    let partial = path.with_extension("db.part");
    let _ = fs::remove_file(&partial);
    let done = fill(rows, &partial).and_then(|()| Ok(fs::rename(&partial, path)?));
    if done.is_err() {
        let _ = fs::remove_file(&partial);
    }
    done.with_context(|| format!("cannot write `{}`", path.display()))
}

fn fill(rows: &[Row], path: &Path) -> anyhow::Result<()> {
    let mut database = Connection::open(path)?;
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
                "",
                row.stack
            ])?;
        }
    }
    transaction.commit()?;
    database.close().map_err(|(_, error)| error)?;
    Ok(())
}
