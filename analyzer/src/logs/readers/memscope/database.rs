//! msMemScope's SQLite database: one table.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::bail;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use super::{BadRow, COLUMNS, Fields, OPTIONAL, REQUIRED, Table};

/// The table, and its name before the tool was renamed.
const TABLES: [&str; 2] = ["memscope_dump", "leaks_dump"];

/// Longest text.
const MAX_TEXT_BYTES: i32 = 16 << 20;
/// Smallest row: a type for each required column, its header, its row number.
const MIN_ROW_BYTES: u64 = 12;

/// Reads all rows into `table`.
///
/// # Errors
/// A [`BadRow`], or SQLite's error.
pub fn read(path: &Path, file: &mut File, table: &mut Table, skip_bad: bool) -> anyhow::Result<()> {
    let length = file.metadata()?.len();
    let claimed = claimed(file)?;
    if length < claimed {
        bail!("it has {length} bytes of {claimed}: is it cut off?");
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags)?;
    // The file is untrusted: its schema may call no function with side effects, and no text of it may fill the memory.
    database.pragma_update(None, "trusted_schema", false)?;
    database.pragma_update(None, "cell_size_check", true)?;
    database.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_TEXT_BYTES)?;
    let rows_most = length / MIN_ROW_BYTES;
    let name = name(&database)?;
    let columns = columns(&database, name)?;
    let list = columns.iter().map(|column| match column {
        Some(column) => format!("\"{column}\""),
        None => "NULL".to_owned(),
    });
    let list = list.collect::<Vec<_>>().join(",");
    let mut rows = database.prepare(&format!("SELECT {list} FROM {name}"))?;
    let mut rows = rows.query([])?;
    let mut number = 0_u64;
    while let Some(row) = rows.next()? {
        number += 1;
        if number > rows_most {
            bail!("its pages lead in circles: it tells of more rows than it has room for");
        }
        let place = format!("row {number}");
        let mut texts = Fields::default();
        let mut fault = None;
        for (at, text) in texts.iter_mut().enumerate() {
            *text = match row.get_ref(at)? {
                ValueRef::Null => String::new(),
                ValueRef::Integer(value) => value.to_string(),
                ValueRef::Real(value) => value.to_string(),
                ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                ValueRef::Blob(bytes) => {
                    fault = Some(BadRow {
                        place: place.clone(),
                        column: REQUIRED
                            .iter()
                            .chain(&OPTIONAL)
                            .nth(at)
                            .copied()
                            .unwrap_or(""),
                        value: format!("{} bytes", bytes.len()),
                        why: "are no text and no number".to_owned(),
                    });
                    String::new()
                }
            };
        }
        match fault {
            Some(fault) => table.fault(fault, skip_bad)?,
            None => table.add(&place, &texts, skip_bad)?,
        }
    }
    Ok(())
}

/// The file size by its header (SQLite's "Database File Format", 1.3): SQLite itself reads pages past the end as empty.
fn claimed(file: &mut File) -> anyhow::Result<u64> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(100).read_to_end(&mut head)?;
    let word = |at: usize| {
        let bytes = head.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(bytes))
    };
    let (Some(size), Some(pages), Some(changes), Some(valid_for)) =
        (word(16), word(28), word(24), word(92))
    else {
        return Ok(100);
    };
    let page = match size >> 16 {
        1 => 65_536,
        size => u64::from(size),
    };
    // Old writers do not update the number of pages.
    let is_valid = changes == valid_for;
    Ok(if is_valid { page * u64::from(pages) } else { 0 })
}

/// The name of the table that exists. Views are not accepted: one could run forever.
fn name(database: &Connection) -> anyhow::Result<&'static str> {
    let mut names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    let names = names.query_map([], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    let known = TABLES
        .into_iter()
        .find(|table| names.iter().any(|name| name == table));
    Ok(known.ok_or_else(|| BadRow {
        place: "its tables".to_owned(),
        column: "",
        value: names.join(", "),
        why: "have no `memscope_dump` among them: this takes msMemScope's `memscope_dump_*.db`"
            .to_owned(),
    })?)
}

fn columns(
    database: &Connection,
    table: &'static str,
) -> anyhow::Result<[Option<&'static str>; COLUMNS]> {
    let mut there = database.prepare(&format!("PRAGMA table_info({table})"))?;
    let there = there.query_map([], |row| row.get::<_, String>(1))?;
    let there: Vec<String> = there.collect::<Result<_, _>>()?;
    let mut columns = [None; COLUMNS];
    for (column, name) in columns.iter_mut().zip(REQUIRED.into_iter().chain(OPTIONAL)) {
        let is_there = there.iter().any(|other| other.eq_ignore_ascii_case(name));
        *column = is_there.then_some(name);
        if !is_there && REQUIRED.contains(&name) {
            return Err(BadRow {
                place: format!("table `{table}`"),
                column: "",
                value: there.join(", "),
                why: format!("has no column `{name}`"),
            }
            .into());
        }
    }
    Ok(columns)
}
