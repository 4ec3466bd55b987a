//! Records of CSV files, quotes in them, and rows that make no sense.
//!
//! msMemScope does not double quotes within quotes, so a quote that is followed by neither comma nor line end is part of the field. The
//! `csv` crate ends the field there and splits at the next comma, which is why this reader is ours.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Longest record; a stack of a thousand frames is a tenth of it.
const MAX_RECORD_BYTES: usize = 1 << 20;

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

/// Records of a CSV.
pub struct Records<R> {
    from: R,
    line: u64,
}

impl Records<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let from = BufReader::new(File::open(path)?);
        Ok(Self { from, line: 0 })
    }
}

impl<R: BufRead> Records<R> {
    /// Reads the next record into `fields`. Returns the line that it begins in.
    ///
    /// # Errors
    /// A [`BadRow`], after which there is no next one, or an I/O error.
    pub fn next(&mut self, fields: &mut Vec<String>) -> anyhow::Result<Option<u64>> {
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
