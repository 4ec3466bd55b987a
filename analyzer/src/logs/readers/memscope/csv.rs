//! msMemScope's CSV: records, quotes, columns by name.
//!
//! msMemScope does not double quotes within quotes, so a quote that is followed by neither comma nor line end is part of the field. The
//! `csv` crate ends the field there and splits at the next comma, which is why this reader is ours.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use super::{BadRow, COLUMNS, Fields, OPTIONAL, REQUIRED, Table};

/// Longest record; a stack of a thousand frames is a tenth of it.
const MAX_RECORD_BYTES: usize = 1 << 20;

/// Reads all records into `table`.
///
/// # Errors
/// A [`BadRow`], or an I/O error.
pub fn read(path: &Path, table: &mut Table, skip_bad: bool) -> anyhow::Result<()> {
    let mut records = Records {
        from: BufReader::new(File::open(path)?),
        line: 0,
    };
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

struct Records<R> {
    from: R,
    line: u64,
}

impl<R: BufRead> Records<R> {
    /// Reads the next record into `fields`. Returns the line that it begins in.
    fn next(&mut self, fields: &mut Vec<String>) -> anyhow::Result<Option<u64>> {
        fields.clear();
        let begun = self.line + 1;
        let mut record: Vec<u8> = Vec::new();
        loop {
            let before = record.len();
            let room = (MAX_RECORD_BYTES + 1).saturating_sub(before) as u64;
            let got = std::io::Read::take(&mut self.from, room).read_until(b'\n', &mut record)?;
            self.line += u64::from(got > 0);
            let fault = |why: &str| BadRow {
                place: format!("line {begun}"),
                column: "",
                value: String::from_utf8_lossy(&record[..record.len().min(80)]).into_owned(),
                why: why.to_owned(),
            };
            if got == 0 && record.is_empty() {
                return Ok(None);
            }
            if record.len() > MAX_RECORD_BYTES {
                return Err(fault("and what follows is longer than a row can be: is this a CSV, and does every quote in it end?").into());
            }
            match split(&record) {
                Some(split) => {
                    *fields = split;
                    return Ok(Some(begun));
                }
                None if got == 0 => {
                    return Err(fault("has a quote that does not end: is the file cut off?").into());
                }
                None => {}
            }
        }
    }
}

/// Splits a record into fields; `None` while a quote is open.
fn split(record: &[u8]) -> Option<Vec<String>> {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    let record = record.strip_suffix(b"\r").unwrap_or(record);
    let mut fields = Vec::new();
    let mut field = Vec::new();
    let mut bytes = record.iter().copied().peekable();
    let mut is_quoted = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if is_quoted => match bytes.peek() {
                None | Some(b',') => is_quoted = false,
                Some(b'"') => {
                    bytes.next();
                    // The second may end the field: msMemScope writes `a"` as `"a""`.
                    field.push(b'"');
                }
                Some(_) => field.push(b'"'),
            },
            b'"' if field.is_empty() => is_quoted = true,
            b',' if !is_quoted => {
                fields.push(String::from_utf8_lossy(&field).into_owned());
                field.clear();
            }
            byte => field.push(byte),
        }
    }
    if is_quoted {
        return None;
    }
    fields.push(String::from_utf8_lossy(&field).into_owned());
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_by_hand() {
        let reported = |text: &str| split(text.as_bytes());
        let list = |fields: &[&str]| Some(fields.iter().map(|f| (*f).to_owned()).collect());
        assert_eq!(reported("a,b,\n"), list(&["a", "b", ""]));
        assert_eq!(reported("\"{a:1,b:2}\",x\r\n"), list(&["{a:1,b:2}", "x"]));
        assert_eq!(
            reported("\"say \"\"a\"\", b\",c"),
            list(&["say \"a\", b", "c"])
        );
        assert_eq!(reported("\"say \"a\" b\",c"), list(&["say \"a\" b", "c"]));
        assert_eq!(
            reported("\"main()\nstart()\n\",c"),
            list(&["main()\nstart()\n", "c"])
        );
        assert_eq!(reported("1,\"open"), None);
    }
}
