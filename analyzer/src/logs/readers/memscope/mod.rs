//! Reads recordings of msMemScope, as its documents and sources define them (Ascend/msmemscope f069acf, `output_file_spec.md`,
//! `data_handler.cpp`): a CSV or an SQLite table with a row per event, seen at the driver's calls.
//!
//! Rows are unordered: the tool writes a block's events when the block is gone. Attributes are JSON in the database and something like it
//! in the CSV; older versions write addresses in decimal, and negative sizes for releases.

mod convert;
mod csv;
mod database;
mod row;
mod stack;

use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};

pub use convert::logs;
pub use row::Row;

/// Columns that every event needs.
const REQUIRED: [&str; 9] = [
    "ID",
    "Event",
    "Event Type",
    "Name",
    "Timestamp(ns)",
    "Process Id",
    "Thread Id",
    "Device Id",
    "Ptr",
];
/// Columns that older versions may not write.
const OPTIONAL: [&str; 3] = ["Attr", "Call Stack(Python)", "Call Stack(C)"];
/// Number of columns.
const COLUMNS: usize = REQUIRED.len() + OPTIONAL.len();

/// Fields of a row, in the order of [`REQUIRED`] and [`OPTIONAL`]; empty if absent.
type Fields = [String; COLUMNS];

/// A row that makes no sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadRow {
    /// `line 7` or `row 7`.
    pub place: String,
    /// The column; empty if the whole line is meant.
    pub column: &'static str,
    /// Its value.
    pub value: String,
    /// The error, and what would be right.
    pub why: String,
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place)?;
        if !self.column.is_empty() {
            write!(f, ", column `{}`", self.column)?;
        }
        // The file's contents must neither control a terminal nor fill it.
        write!(f, ": `")?;
        for character in self.value.chars().take(60) {
            match character.is_control() {
                true => write!(f, "{}", character.escape_debug())?,
                false => write!(f, "{character}")?,
            }
        }
        write!(f, "` {}", self.why)
    }
}

impl std::error::Error for BadRow {}

/// The rows of a file, in order of time.
#[derive(Default)]
pub struct Table {
    /// Rows with an event.
    pub rows: Vec<Row>,
    /// Stacks by number: Python and native text.
    pub stacks: row::Stacks,
    /// Rows of events that an event log cannot hold.
    pub ignored: u64,
    /// Rows that made no sense.
    pub skipped: Vec<BadRow>,
}

impl Table {
    fn add(&mut self, place: &str, texts: &Fields, skip_bad: bool) -> Result<(), BadRow> {
        match row::read(place, texts, &mut self.stacks) {
            Ok(Some(row)) => self.rows.push(row),
            Ok(None) => self.ignored += 1,
            Err(fault) => return self.fault(fault, skip_bad),
        }
        Ok(())
    }

    fn fault(&mut self, fault: BadRow, skip_bad: bool) -> Result<(), BadRow> {
        match skip_bad {
            true => self.skipped.push(fault),
            false => return Err(fault),
        }
        Ok(())
    }
}

/// Reads a recording; with `skip_bad`, rows that make no sense are skipped and listed.
///
/// # Errors
/// If the file cannot be read, or is not msMemScope's.
pub fn read(path: &Path, skip_bad: bool) -> anyhow::Result<Table> {
    let name = path.display();
    let meta = fs::metadata(path).with_context(|| format!("cannot read `{name}`"))?;
    // Opening a pipe blocks forever, and this opens the file twice.
    if !meta.is_file() {
        bail!("cannot read `{name}`: it is not a regular file");
    }
    let mut file = File::open(path).with_context(|| format!("cannot read `{name}`"))?;
    let mut head = [0; 16];
    let mut got = 0;
    while got < head.len() {
        match file.read(&mut head[got..]) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) => return Err(error).with_context(|| format!("cannot read `{name}`")),
        }
    }
    let mut table = Table::default();
    let read = match head.starts_with(b"SQLite format 3\0") {
        true => database::read(path, &mut file, &mut table, skip_bad),
        false => csv::read(path, &mut table, skip_bad),
    };
    let advice = match skip_bad {
        true => "",
        false => "; `--skip-bad` leaves rows out that make no sense",
    };
    read.map_err(|error| match error.is::<BadRow>() {
        true => anyhow::anyhow!("`{name}` {error}{advice}"),
        false => error.context(format!("cannot read `{name}`")),
    })?;
    table.rows.sort_by_key(|row| (row.ns, row.id));
    Ok(table)
}
