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

/// What is left of a program.
struct Input<'a>(&'a [u8]);

/// Passes each row of a program to `each`.
pub fn run(
    program: &IncompleteLineProgram<Reader>,
    mut each: impl FnMut(Step) -> Result<()>,
) -> Result<()> {
    let header = program.header();
    let encoding = header.line_encoding();
    let is_usual = encoding.maximum_operations_per_instruction == 1 && header.address_size() == 8;
    if !is_usual || encoding.line_range == 0 {
        return Err(Error::UnsupportedOffset);
    }
    let unit = u64::from(encoding.minimum_instruction_length);
    let special: Vec<(u64, i64)> = (0..=u8::MAX)
        .map(|opcode| {
            let adjusted = opcode.wrapping_sub(header.opcode_base());
            let lines = i64::from(adjusted % encoding.line_range);
            (
                unit * u64::from(adjusted / encoding.line_range),
                i64::from(encoding.line_base) + lines,
            )
        })
        .collect();
    let mut input = Input(header.raw_program_buf().slice());
    let mut at = Registers::default();
    while let Some(opcode) = input.next() {
        if opcode >= header.opcode_base() {
            let (bytes, lines) = special[usize::from(opcode)];
            at.advance(bytes)?;
            at.advance_line(lines);
            at.row(&mut each)?;
            continue;
        }
        match gimli::DwLns(opcode) {
            gimli::DwLns(0) => {
                let bytes = input.number()?;
                let mut operand = input.split(bytes)?;
                match gimli::DwLne(operand.next().ok_or_else(cut)?) {
                    gimli::DW_LNE_end_sequence => {
                        if !at.is_removed {
                            each(Step::End(at.address))?;
                        }
                        at = Registers::default();
                    }
                    gimli::DW_LNE_set_address => {
                        let address = operand.0.try_into().map_err(|_| cut())?;
                        at.set_address(u64::from_le_bytes(address));
                    }
                    gimli::DW_LNE_set_discriminator => {}
                    _ => return Err(Error::UnsupportedOffset),
                }
            }
            gimli::DW_LNS_copy => at.row(&mut each)?,
            gimli::DW_LNS_advance_pc => {
                let advance = input.number()?.checked_mul(unit);
                at.advance(advance.ok_or(Error::AddressOverflow)?)?;
            }
            gimli::DW_LNS_advance_line => at.advance_line(input.signed()?),
            gimli::DW_LNS_set_file => at.file = input.number()?,
            gimli::DW_LNS_set_column => at.column = input.number()?,
            gimli::DW_LNS_const_add_pc => at.advance(special[255].0)?,
            gimli::DW_LNS_fixed_advance_pc => {
                let operand = input.split(2)?.0.try_into().map_err(|_| cut())?;
                at.advance(u64::from(u16::from_le_bytes(operand)))?;
            }
            gimli::DW_LNS_negate_stmt
            | gimli::DW_LNS_set_basic_block
            | gimli::DW_LNS_set_prologue_end
            | gimli::DW_LNS_set_epilogue_begin => {}
            gimli::DW_LNS_set_isa => _ = input.number()?,
            _ => return Err(Error::UnsupportedOffset),
        }
    }
    Ok(())
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
            self.address = address.ok_or(Error::AddressOverflow)?;
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
    fn row(&self, each: &mut impl FnMut(Step) -> Result<()>) -> Result<()> {
        if self.is_removed {
            return Ok(());
        }
        let row = Row {
            file: self.file,
            line: self.line as u32,
            column: self.column as u32,
        };
        each(Step::Row(self.address, row))
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
    #[inline]
    fn number(&mut self) -> Result<u64> {
        let first = self.next().ok_or_else(cut)?;
        if first < 0x80 {
            return Ok(u64::from(first));
        }
        let (mut number, mut shift) = (u64::from(first & 0x7f), 7);
        loop {
            let byte = self.next().ok_or_else(cut)?;
            if shift > 56 {
                return Err(Error::BadUnsignedLeb128);
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
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.next().ok_or_else(cut)?;
            if shift > 56 {
                return Err(Error::BadSignedLeb128);
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
        let bytes = usize::try_from(bytes).map_err(|_| cut())?;
        let (operand, rest) = self.0.split_at_checked(bytes).ok_or_else(cut)?;
        self.0 = rest;
        Ok(Self(operand))
    }
}

fn cut() -> Error {
    Error::UnsupportedOffset
}
