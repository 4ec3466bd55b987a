//! Runs a line number program.
//!
//! `gimli` 0.34 decodes each instruction to a value and keeps all registers, which takes some 40 instructions of the processor each: half of
//! all that looking up many addresses took. What is rare or damaged is an error here, and left to that crate.

use gimli::{Error, IncompleteLineProgram, Result};

use super::Reader;

/// Addresses from here on stand for code that the linker removed.
const REMOVED: u64 = u64::MAX - 1;

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
pub struct Running<'a> {
    input: Input<'a>,
    opcode_base: u8,
    minimum_length: u64,
    /// By how much each special opcode advances address and line.
    special: Vec<(u64, i64)>,
    at: Registers,
}

/// The rest of a program.
struct Input<'a>(&'a [u8]);

impl<'a> Running<'a> {
    /// Before its first instruction.
    pub fn of(program: &IncompleteLineProgram<Reader<'a>>) -> Result<Self> {
        let header = program.header();
        let encoding = header.line_encoding();
        let operations = encoding.maximum_operations_per_instruction;
        if operations != 1 || header.address_size() != 8 || encoding.line_range == 0 {
            return Err(left());
        }
        let minimum_length = u64::from(encoding.minimum_instruction_length);
        let advances = |opcode: u8| {
            let adjusted = opcode.wrapping_sub(header.opcode_base());
            let bytes = minimum_length * u64::from(adjusted / encoding.line_range);
            let lines = i64::from(adjusted % encoding.line_range);
            (bytes, i64::from(encoding.line_base) + lines)
        };
        Ok(Self {
            input: Input(header.raw_program_buf().slice()),
            opcode_base: header.opcode_base(),
            minimum_length,
            special: (0..=u8::MAX).map(advances).collect(),
            at: Registers::default(),
        })
    }

    /// Runs until the next row, or the end of a sequence; `None` at the end of the program.
    #[inline(always)]
    pub fn next(&mut self) -> Result<Option<Step>> {
        while let Some(opcode) = self.input.next() {
            let is_row = match opcode >= self.opcode_base {
                true => {
                    let (bytes, lines) = self.special[usize::from(opcode)];
                    self.at.advance(bytes)?;
                    self.at.advance_line(lines);
                    true
                }
                false => match gimli::DwLns(opcode) {
                    gimli::DwLns(0) => {
                        let before = self.at.address;
                        if self.extended()? {
                            return Ok(Some(Step::End(before)));
                        }
                        false
                    }
                    _ => self.standard(gimli::DwLns(opcode))?,
                },
            };
            if is_row && !self.at.is_removed {
                return Ok(Some(Step::Row(self.at.address, self.at.row())));
            }
        }
        Ok(None)
    }

    /// Runs a standard instruction, and returns whether it writes a row.
    #[inline]
    fn standard(&mut self, opcode: gimli::DwLns) -> Result<bool> {
        let (input, at) = (&mut self.input, &mut self.at);
        match opcode {
            gimli::DW_LNS_copy => return Ok(true),
            gimli::DW_LNS_advance_pc => {
                let advance = input.number()?.checked_mul(self.minimum_length);
                at.advance(advance.ok_or_else(left)?)?;
            }
            gimli::DW_LNS_advance_line => at.advance_line(input.signed()?),
            gimli::DW_LNS_set_file => at.file = input.number()?,
            gimli::DW_LNS_set_column => at.column = input.number()?,
            gimli::DW_LNS_const_add_pc => at.advance(self.special[255].0)?,
            gimli::DW_LNS_fixed_advance_pc => {
                let operand = input.split(2)?.0.try_into().map_err(|_| left())?;
                at.advance(u64::from(u16::from_le_bytes(operand)))?;
            }
            gimli::DW_LNS_negate_stmt
            | gimli::DW_LNS_set_basic_block
            | gimli::DW_LNS_set_prologue_end
            | gimli::DW_LNS_set_epilogue_begin => {}
            gimli::DW_LNS_set_isa => _ = input.number()?,
            _ => return Err(left()),
        }
        Ok(false)
    }

    /// Runs an extended instruction, and returns whether it ends a sequence.
    fn extended(&mut self) -> Result<bool> {
        let bytes = self.input.number()?;
        let mut operand = self.input.split(bytes)?;
        match gimli::DwLne(operand.next().ok_or_else(left)?) {
            gimli::DW_LNE_end_sequence => {
                let is_removed = self.at.is_removed;
                self.at = Registers::default();
                return Ok(!is_removed);
            }
            gimli::DW_LNE_set_address => {
                let address = operand.0.try_into().map_err(|_| left())?;
                self.at.set_address(u64::from_le_bytes(address));
            }
            gimli::DW_LNE_set_discriminator => {}
            _ => return Err(left()),
        }
        Ok(false)
    }
}

struct Registers {
    address: u64,
    file: u64,
    line: u64,
    column: u64,
    /// Whether the linker removed the code.
    is_removed: bool,
}

impl Default for Registers {
    fn default() -> Self {
        Self {
            address: 0,
            file: 1,
            line: 1,
            column: 0,
            is_removed: false,
        }
    }
}

impl Registers {
    #[inline]
    fn advance(&mut self, bytes: u64) -> Result<()> {
        if !self.is_removed {
            let address = self.address.checked_add(bytes);
            self.address = address.ok_or_else(left)?;
        }
        Ok(())
    }

    /// No line is before the first.
    #[inline]
    fn advance_line(&mut self, lines: i64) {
        self.line = match lines < 0 {
            true => self.line.saturating_sub(lines.unsigned_abs()),
            false => self.line.wrapping_add(lines as u64),
        };
    }

    /// Addresses of removed code are the highest, or begin again below.
    fn set_address(&mut self, address: u64) {
        self.is_removed = address < self.address || address >= REMOVED;
        if !self.is_removed {
            self.address = address;
        }
    }

    #[inline]
    fn row(&self) -> Row {
        Row {
            file: self.file,
            line: self.line as u32,
            column: self.column as u32,
        }
    }
}

impl<'a> Input<'a> {
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// ULEB128.
    #[inline(always)]
    fn number(&mut self) -> Result<u64> {
        let first = self.next().ok_or_else(left)?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let (mut number, mut shift) = (u64::from(first & 0x7f), 7);
        loop {
            let byte = self.next().ok_or_else(left)?;
            if shift > 56 {
                return Err(left());
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// SLEB128.
    #[inline]
    fn signed(&mut self) -> Result<i64> {
        if let Some((&first, rest)) = self.0.split_first()
            && first < 0x80
        {
            self.0 = rest;
            return Ok(((u64::from(first) << 57) as i64) >> 57);
        }
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.next().ok_or_else(left)?;
            if shift > 56 {
                return Err(left());
            }
            number |= i64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return Ok(match byte & 0x40 != 0 {
                    true => number | (-1 << shift),
                    false => number,
                });
            }
        }
    }

    fn split(&mut self, bytes: u64) -> Result<Self> {
        let bytes = usize::try_from(bytes).map_err(|_| left())?;
        let (operand, rest) = self.0.split_at_checked(bytes).ok_or_else(left)?;
        self.0 = rest;
        Ok(Self(operand))
    }
}

/// Left to `gimli`.
fn left() -> Error {
    Error::UnsupportedOffset
}
