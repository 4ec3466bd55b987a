//! Runs a line number program.

use gimli::{ColumnType, IncompleteLineProgram, LineRows, Result};

use super::Reader;

/// A row, without its address.
#[derive(Clone, Copy)]
pub struct Row {
    pub file: u64,
    pub line: u32,
    pub column: u32,
}

/// What a program writes.
pub enum Step {
    Row(u64, Row),
    /// The end of a sequence.
    End(u64),
}

/// A program that runs.
pub struct Running<'a>(LineRows<Reader<'a>, IncompleteLineProgram<Reader<'a>>>);

impl<'a> Running<'a> {
    /// Before its first instruction.
    pub fn of(program: &IncompleteLineProgram<Reader<'a>>) -> Self {
        Self(program.clone().rows())
    }

    /// Runs until the next row, or the end of a sequence; `None` at the end of the program.
    pub fn next(&mut self) -> Result<Option<Step>> {
        let Some((_, row)) = self.0.next_row()? else {
            return Ok(None);
        };
        if row.end_sequence() {
            return Ok(Some(Step::End(row.address())));
        }
        let column = match row.column() {
            ColumnType::LeftEdge => 0,
            ColumnType::Column(column) => column.get() as u32,
        };
        let place = Row {
            file: row.file_index(),
            line: row.line().map_or(0, |line| line.get() as u32),
            column,
        };
        Ok(Some(Step::Row(row.address(), place)))
    }
}
