//! Function names from an ELF symbol table: no lines and no inlining, but available even in programs built without debug information.
//!
//! A symbol names only addresses within its own size. Taking the nearest symbol below would name every stripped static function after some
//! exported neighbor.

use std::cmp::Reverse;
use std::sync::Arc;

use object::LittleEndian as LE;
use object::elf::{STB_GLOBAL, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, Sym64};
use object::read::elf::Sym;

use super::elf::Elf;
use super::error::ElfError;
use super::interval_map::IntervalMap;

/// The functions that one symbol table defines.
pub struct Functions {
    /// Where each name starts in `names`.
    ranges: IntervalMap<usize>,
    names: Arc<[u8]>,
}

/// Preference among several names of an address: global before weak before local, then fewest leading underscores (`malloc`, not
/// `__libc_malloc`).
type Rank = (u8, Reverse<usize>);

impl Functions {
    /// Reads `.symtab`, or `.dynsym` if that is all that is left.
    pub fn read(elf: &Elf) -> Result<Self, ElfError> {
        let (symbols, names) = match elf.has(".symtab") {
            true => (elf.section(".symtab")?, elf.section(".strtab")?),
            false => (elf.section(".dynsym")?, elf.section(".dynstr")?),
        };
        let whole = symbols.len() / size_of::<Sym64<LE>>();
        let (symbols, _) = object::pod::slice_from_bytes::<Sym64<LE>>(&symbols, whole)
            .map_err(|()| ElfError::Cut)?;
        let mut found: Vec<(u64, Rank, u64, usize)> = symbols
            .iter()
            .filter(|symbol| !symbol.is_undefined(LE))
            .filter(|symbol| matches!(symbol.st_type(), STT_FUNC | STT_GNU_IFUNC))
            .map(|symbol| {
                let name = symbol.st_name(LE) as usize;
                (
                    symbol.st_value(LE),
                    rank(symbol, name_at(&names, name)),
                    symbol.st_size(LE),
                    name,
                )
            })
            .collect();
        // The best name last: of equal starts, `IntervalMap` returns the last.
        found.sort_unstable();
        let ends = ends(&found);
        let ranges = found
            .iter()
            .zip(ends)
            .map(|(&(start, _, _, name), end)| (start, end, name));
        Ok(Self {
            ranges: IntervalMap::new(ranges),
            names,
        })
    }

    /// The linker name of the function at an ELF virtual address.
    pub fn name(&self, address: u64) -> Option<String> {
        let name = name_at(&self.names, *self.ranges.containing(address).next()?);
        (!name.is_empty()).then(|| String::from_utf8_lossy(name).into_owned())
    }

    /// Whether the table defines no function at all, as after `strip`.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

/// The end of each function. Assembly often gives no size; such a function reaches to the next one, and the last one is empty.
fn ends(found: &[(u64, Rank, u64, usize)]) -> Vec<u64> {
    let mut next_start = 0;
    let mut last_start = 0;
    let mut ends: Vec<u64> = found
        .iter()
        .rev()
        .map(|&(start, _, bytes, _)| {
            if start != last_start {
                next_start = last_start;
                last_start = start;
            }
            match bytes {
                0 => next_start,
                _ => start.saturating_add(bytes),
            }
        })
        .collect();
    ends.reverse();
    ends
}

fn rank(symbol: &Sym64<LE>, name: &[u8]) -> Rank {
    let binding = match symbol.st_bind() {
        STB_GLOBAL => 2,
        STB_WEAK => 1,
        _ => 0,
    };
    let underscores = name.iter().take_while(|byte| **byte == b'_').count();
    (binding, Reverse(underscores))
}

fn name_at(names: &[u8], start: usize) -> &[u8] {
    let rest = names.get(start..).unwrap_or_default();
    let end = rest.iter().position(|byte| *byte == 0);
    &rest[..end.unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_without_a_size_reaches_to_the_next_one() {
        let rank = (2, Reverse(0));
        let found = [
            (10, rank, 0, 0),
            (10, rank, 4, 0),
            (30, rank, 5, 0),
            (40, rank, 0, 0),
        ];
        assert_eq!(ends(&found), [30, 14, 35, 0]);
    }

    #[test]
    fn a_name_past_the_string_table_is_empty() {
        assert_eq!(name_at(b"\0main\0cut", 1), b"main");
        assert_eq!(name_at(b"\0main\0cut", 6), b"cut");
        assert_eq!(name_at(b"\0main\0cut", 99), b"");
    }
}
