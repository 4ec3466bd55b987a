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

use std::fs::File;

use anyhow::Context;

use super::rows::BadRow;
use super::{Reader, Reading, Source, first_line};
use row::Row;

/// Most bad rows that are reported one by one.
const MAX_REPORTED: usize = 10;

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

/// The reader.
pub struct MemScope;

/// How an SQLite database begins.
const DATABASE: &[u8] = b"SQLite format 3\0";

impl Reader for MemScope {
    fn recognises(&self, head: &[u8]) -> bool {
        let names: Vec<_> = first_line(head).split(',').map(str::trim).collect();
        // `ID` and `Name` are anybody's.
        let own = ["Event", "Event Type", "Process Id", "Device Id", "Ptr"];
        let known = own.iter().filter(|own| {
            let mut names = names.iter();
            names.any(|name| name.eq_ignore_ascii_case(own))
        });
        head.starts_with(DATABASE) || known.count() > 1
    }

    fn limits(&self) -> &'static str {
        "msMemScope sees the driver's calls: AscendCL's own, copies and the order of streams are not in its recording, so neither are findings about them"
    }

    fn read(&self, source: &Source) -> anyhow::Result<Reading> {
        let table = table(source)?;
        let name = source.name;
        let mut notices: Vec<String> = (table.skipped.iter().take(MAX_REPORTED))
            .map(|fault| format!("`{name}` {fault}: left out"))
            .collect();
        if table.skipped.len() > MAX_REPORTED {
            let count = table.skipped.len();
            notices.push(format!("{count} rows of `{name}` were left out"));
        }
        let mut logs = convert::logs(&table, name);
        logs.retain(|log| log.events > 0);
        if logs.is_empty() {
            notices.push(format!(
                "`{name}` tells of no memory: {} rows of other events; was msMemScope told to record allocations and releases?",
                table.ignored
            ));
        }
        for log in logs.iter().filter(|log| log.unmatched_releases > 0) {
            notices.push(format!(
                "`{name}`: {} releases of process {} belong to no allocation in it, and were left out",
                log.unmatched_releases, log.label
            ));
        }
        Ok(Reading { logs, notices })
    }
}

fn table(source: &Source) -> anyhow::Result<Table> {
    let (path, name, skip_bad) = (source.path, source.name, source.skip_bad);
    let mut table = Table::default();
    let read = match source.head.starts_with(DATABASE) {
        true => {
            let file = File::open(path).with_context(|| format!("cannot read `{name}`"));
            database::read(path, &mut file?, &mut table, skip_bad)
        }
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
