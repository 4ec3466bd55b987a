//! Source lines of the asked addresses of one unit.

use std::sync::Arc;

use gimli::{Error, IncompleteLineProgram, Range, Result, UnitRef};

use super::Reader;
use super::paths;
use super::program::{Row, Running, Step};
use crate::symbols::interner::Interner;

type Program<'a> = IncompleteLineProgram<Reader<'a>>;

const NO_ROW: Row = Row {
    file: 0,
    line: 0,
    column: 0,
};

/// The rows of a unit's line program that were asked for.
pub struct Lines<'a> {
    /// One for each address, in their order.
    pub rows: Vec<Option<Row>>,
    program: Program<'a>,
    /// Names of files by their numbers, as far as they were asked for.
    files: Vec<Option<Arc<str>>>,
}

impl<'a> Lines<'a> {
    /// Runs the program once. `None` if sequences overlap: which of them `addr2line` finds depends on all of them.
    pub fn of(program: Program<'a>, addresses: &[u64]) -> Result<Option<Self>> {
        let mut rows = vec![None; addresses.len()];
        let mut sequences: Vec<Range> = Vec::new();
        // Where the sequence begins, its last row, the first address in it, and the first behind that row. Rows never go back.
        let mut begin = None;
        let mut last = (0, NO_ROW);
        let (mut first, mut next) = (0, 0);
        let mut running = Running::of(&program);
        while let Some(step) = running.next()? {
            let at = match step {
                Step::Row(at, _) | Step::End(at) => at,
            };
            if begin.is_some() && at < last.0 {
                return Err(Error::UnsupportedOffset);
            }
            match begin {
                Some(_) => {
                    while next < addresses.len() && addresses[next] < at {
                        rows[next] = Some(last.1);
                        next += 1;
                    }
                }
                None => {
                    next = addresses.partition_point(|asked| *asked < at);
                    first = next;
                }
            }
            match step {
                Step::Row(_, row) => {
                    begin = begin.or(Some(at));
                    last = (at, row);
                }
                Step::End(_) => {
                    let range = begin.take().map(|begin| Range { begin, end: at });
                    sequences.extend(range.filter(|range| range.begin < range.end));
                }
            }
        }
        if begin.is_some() {
            rows[first..next].fill(None); // without an end, it counts for nothing
        }
        let asked_from = addresses.first().copied().unwrap_or(u64::MAX);
        Ok((!overlap(&mut sequences, asked_from)).then(|| Self {
            rows,
            program,
            files: Vec::new(),
        }))
    }

    /// The path of a file, as `addr2line` joins it.
    pub fn file(
        &mut self,
        number: u64,
        unit: UnitRef<Reader<'a>>,
        names: &mut Interner,
    ) -> Result<Option<Arc<str>>> {
        let at = number as usize;
        if let Some(Some(known)) = self.files.get(at) {
            return Ok(Some(Arc::clone(known)));
        }
        let header = self.program.header();
        let name = match header.file(number) {
            Some(file) => Some(paths::file(unit, file, header)?),
            None if number == 0 => Some(String::new()),
            None => None,
        };
        let name = name.map(|name| names.text(&name));
        if name.is_some() {
            self.files.resize(self.files.len().max(at + 1), None);
            self.files[at].clone_from(&name);
        }
        Ok(name)
    }
}

/// Whether two sequences overlap above `from`. Those of removed code all begin at zero.
fn overlap(sequences: &mut [Range], from: u64) -> bool {
    sequences.sort_unstable_by_key(|range| range.begin);
    let mut end = 0;
    sequences.iter().any(|range| {
        let before = end;
        end = end.max(range.end);
        before > range.begin && before > from
    })
}

/// The ranges of a program's sequences.
pub fn sequences(program: &Program) -> Result<Vec<Range>> {
    let mut found = Vec::new();
    let mut begin = None;
    let mut running = Running::of(program);
    while let Some(step) = running.next()? {
        match step {
            Step::Row(at, _) => _ = begin.get_or_insert(at),
            Step::End(end) => {
                let range = begin.take().map(|begin| Range { begin, end });
                found.extend(range.filter(|range| range.begin < range.end));
            }
        }
    }
    Ok(found)
}
