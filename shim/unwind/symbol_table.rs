//! Names a function by its module's symbols alone: where debug information has no more than `operator()`, a lambda's, or where reading it
//! takes long and nobody looks at its lines.
//!
//! Reads the file in pieces and keeps nothing: only new findings ask, for few of their frames.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// Most bytes of symbols that are looked through.
const MAX_TABLE: u64 = 256 << 20;
/// Bytes of a symbol.
const SYMBOL: usize = 24;
/// Symbols that are read at once.
const AT_ONCE: usize = 1024;
/// Longest name.
const MAX_NAME: usize = 64 * 1024;
/// Sections with symbols: all of them, or if the file is stripped those that other modules use.
const TABLES: [u32; 2] = [2, 11];
const STT_FUNC: u8 = 2;

/// The linker name of the function at an address of the file at `path`. Not under a seccomp filter, which may forbid to read at an offset.
pub fn name_at(path: &str, address: u64) -> Option<String> {
    if aclsan_os::seccomp::is_seccomp_active() {
        return None;
    }
    let file = File::open(path).ok()?;
    let is_regular = aclsan_os::files::is_regular(&file);
    is_regular.then(|| find(&file, address)).flatten()
}

/// File offset and size of a section.
struct Section {
    offset: u64,
    bytes: u64,
}

fn find(file: &File, address: u64) -> Option<String> {
    let mut header = [0; 64];
    file.read_exact_at(&mut header, 0).ok()?;
    // 64 bits, little endian.
    if header[..6] != *b"\x7fELF\x02\x01" {
        return None;
    }
    let table = u64_at(&header, 40)?;
    let count = u64::from(u16_at(&header, 60)?);
    let section = |index: u64| -> Option<[u8; 64]> {
        let mut section = [0; 64];
        let at = table.checked_add(index.checked_mul(64)?)?;
        file.read_exact_at(&mut section, at).ok()?;
        Some(section)
    };
    let place = |section: &[u8; 64]| {
        Some(Section {
            offset: u64_at(section, 24)?,
            bytes: u64_at(section, 32)?,
        })
    };
    let of_kind = |kind| {
        let mut sections = (0..count).filter_map(section);
        sections.find(|section| u32_at(section, 4) == Some(kind))
    };
    let symbols = TABLES.into_iter().find_map(of_kind)?;
    let names = section(u64::from(u32_at(&symbols, 40)?))?;
    let name = function_at(file, &place(&symbols)?, address)?;
    read_name(file, &place(&names)?, name)
}

/// Where the name of the function that contains `address` begins.
fn function_at(file: &File, symbols: &Section, address: u64) -> Option<u64> {
    let mut piece = vec![0; AT_ONCE * SYMBOL];
    let bytes = symbols.bytes.min(MAX_TABLE);
    for from in (0..bytes).step_by(piece.len()) {
        let length = (bytes - from).min(piece.len() as u64) as usize;
        let piece = &mut piece[..length];
        file.read_exact_at(piece, symbols.offset.checked_add(from)?)
            .ok()?;
        for symbol in piece.chunks_exact(SYMBOL) {
            let (start, size) = (u64_at(symbol, 8)?, u64_at(symbol, 16)?);
            let is_function = symbol[4] & 0xf == STT_FUNC;
            if is_function
                && address
                    .checked_sub(start)
                    .is_some_and(|offset| offset < size)
            {
                return u32_at(symbol, 0).map(u64::from);
            }
        }
    }
    None
}

fn read_name(file: &File, names: &Section, start: u64) -> Option<String> {
    let room = names.bytes.checked_sub(start)?.min(MAX_NAME as u64);
    let mut name = vec![0; room as usize];
    file.read_exact_at(&mut name, names.offset.checked_add(start)?)
        .ok()?;
    let end = name.iter().position(|byte| *byte == 0)?;
    name.truncate(end);
    String::from_utf8(name).ok()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_this_program_has_its_name() {
        let path = std::env::current_exe().expect("this program");
        let path = path.to_str().expect("UTF-8");
        let here = a_function_of_this_program_has_its_name as fn() as usize as u64;
        // Position independent: the first mapping of the file is its start.
        let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
        let first = maps.lines().find(|line| line.ends_with(path)).expect("it");
        let start = first.split('-').next().expect("a range");
        let bias = u64::from_str_radix(start, 16).expect("a number");
        let name = name_at(path, here - bias).expect("a name");
        assert!(
            name.contains("a_function_of_this_program_has_its_name"),
            "{name}"
        );
    }

    #[test]
    fn a_stripped_library_names_what_others_use() {
        let here = libc::qsort as *const () as u64;
        let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
        let lines: Vec<(u64, u64, &str)> = maps
            .lines()
            .filter_map(|line| {
                let (range, rest) = line.split_once(' ')?;
                let (start, end) = range.split_once('-')?;
                let [start, end] = [start, end].map(|word| u64::from_str_radix(word, 16));
                Some((start.ok()?, end.ok()?, rest.get(rest.find('/')?..)?))
            })
            .collect();
        let of_code = lines.iter().find(|line| (line.0..line.1).contains(&here));
        let path = of_code.expect("the C library").2;
        let bias = lines.iter().find(|line| line.2 == path).expect("it").0;
        let name = name_at(path, here - bias).expect("a name");
        assert!(name.contains("qsort"), "{name}");
    }

    #[test]
    fn what_is_no_program_has_no_names() {
        for path in ["/dev/zero", "/nowhere", "/proc/self/cmdline", "/"] {
            assert_eq!(name_at(path, 16), None, "{path}");
        }
    }
}
