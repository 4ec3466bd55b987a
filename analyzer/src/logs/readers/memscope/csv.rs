//! msMemScope's CSV: columns by name.

use std::path::Path;

use super::{BadRow, COLUMNS, Fields, OPTIONAL, REQUIRED, Table};
use crate::logs::readers::rows::Records;

/// Reads all records into `table`.
///
/// # Errors
/// A [`BadRow`], or an I/O error.
pub fn read(path: &Path, table: &mut Table, skip_bad: bool) -> anyhow::Result<()> {
    let mut records = Records::open(path)?;
    let mut fields = Vec::new();
    let header = records.next(&mut fields)?.unwrap_or(1);
    let columns = columns(&fields).map_err(|(value, why)| BadRow {
        place: format!("line {header}"),
        column: "",
        value,
        why,
    })?;
    let most = columns.iter().flatten().max().map_or(0, |at| at + 1);
    loop {
        let line = match records.next(&mut fields) {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(()),
            Err(error) => match error.downcast::<BadRow>() {
                // An unterminated record includes everything after it: there is no next one.
                Ok(fault) => return Ok(table.fault(fault, skip_bad)?),
                Err(error) => return Err(error),
            },
        };
        if fields.iter().all(String::is_empty) {
            continue;
        }
        let place = format!("line {line}");
        // msMemScope omits empty fields at the end.
        if fields.len() > most || fields.len() < REQUIRED.len() {
            let fault = BadRow {
                place,
                column: "",
                value: fields.join(","),
                why: format!(
                    "has {} fields where the first line has {most}: is it cut off?",
                    fields.len()
                ),
            };
            table.fault(fault, skip_bad)?;
            continue;
        }
        let texts: Fields = columns.map(|at| {
            at.and_then(|at| fields.get_mut(at))
                .map(std::mem::take)
                .unwrap_or_default()
        });
        table.add(&place, &texts, skip_bad)?;
    }
}

/// The index of each column; if one is missing, the first line and what is wrong with it.
fn columns(header: &[String]) -> Result<[Option<usize>; COLUMNS], (String, String)> {
    let find = |name: &str| {
        let names = header.iter();
        let mut names = names.map(|name| name.trim_start_matches('\u{feff}').trim());
        names.position(|other| other.eq_ignore_ascii_case(name))
    };
    let mut columns = [None; COLUMNS];
    for (at, name) in columns.iter_mut().zip(REQUIRED.iter().chain(&OPTIONAL)) {
        *at = find(name);
        if at.is_none() && REQUIRED.contains(name) {
            let why = format!(
                "has no column `{name}`: this takes msMemScope's `memscope_dump_*.csv`, whose first line begins with `ID,Event,Event Type`"
            );
            return Err((header.join(","), why));
        }
    }
    Ok(columns)
}
