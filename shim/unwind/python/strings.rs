//! The text of a string object.

use super::layout::Layout;
use super::reader::Reader;

/// Offsets of a string's length, and of its storage flags.
const LENGTH: u16 = 16;
const STATE: u16 = 32;
/// Maximum characters that are read of a name or path.
const MAX: u64 = 4096;

/// The string at `text`, truncated if it is very long. Lone surrogates, which paths may contain, are replaced. `None`
/// if it is not a string that holds its own characters, as all names and paths of code objects do.
pub fn text(layout: &Layout, reader: &impl Reader, text: u64) -> Option<String> {
    let length = reader.word(text, LENGTH)?;
    let state = reader.half(text, STATE)?;
    // The flags follow two bits in most versions and 16 bits in some builds of 3.14, where the first form reads as
    // nothing.
    let (kind, is_ascii) = shape(state >> 2).or_else(|| shape(state >> 16))?;
    if length > 1 << 24 {
        return None;
    }
    let (ascii, other) = layout.text;
    let start = text + u64::from(if is_ascii { ascii } else { other });
    let unit = |index: u64| {
        let at = start + kind * index;
        let word = reader.word(at & !7, 0)? >> (8 * (at & 7));
        Some((word & (u64::MAX >> (64 - 8 * kind))) as u32)
    };
    let characters = (0..length.min(MAX)).map(|index| {
        let character = unit(index)?;
        (!is_ascii || character < 0x80).then_some(char::from_u32(character).unwrap_or('\u{fffd}'))
    });
    characters.collect()
}

/// Bytes per character, and whether all are ASCII, for strings that hold their own characters.
fn shape(state: u32) -> Option<(u64, bool)> {
    let (kind, is_compact, is_ascii) = (state & 7, state >> 3 & 1 == 1, state >> 4 & 1 == 1);
    (is_compact && matches!(kind, 1 | 2 | 4)).then_some((kind.into(), is_ascii))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::layout;
    use crate::python::reader::UncheckedReader;

    /// A string object of Python 3.12 with the given flags, its characters after the header.
    fn object(length: u64, state: u32, header: usize, characters: &[u64]) -> Vec<u64> {
        let mut words = vec![0, 0, length, 0, u64::from(state)];
        words.resize(header / 8, 0);
        words.extend(characters);
        words
    }

    fn read(words: &[u64]) -> Option<String> {
        text(&layout::known(12)?, &UncheckedReader, words.as_ptr() as u64)
    }

    #[test]
    fn all_kinds_of_strings_are_read() {
        let ascii = u64::from_le_bytes(*b"load.py\0");
        assert_eq!(
            read(&object(7, 1 << 2 | 3 << 5, 40, &[ascii])).unwrap(),
            "load.py"
        );
        let garbage = 0xabcd_ef00 | 1 << 2 | 3 << 5;
        assert_eq!(read(&object(7, garbage, 40, &[ascii])).unwrap(), "load.py");
        let sixteen = 3 | 1 << 16 | 3 << 19;
        assert_eq!(read(&object(7, sixteen, 40, &[ascii])).unwrap(), "load.py");
        let wide = object(2, 2 << 2 | 1 << 5, 56, &[0xdc80_6a21]);
        assert_eq!(read(&wide).unwrap(), "模\u{fffd}");
        assert_eq!(
            read(&object(1, 4 << 2 | 1 << 5, 56, &[0x1f600])).unwrap(),
            "😀"
        );
    }

    #[test]
    fn what_is_no_string_gives_none() {
        assert_eq!(read(&object(7, 0, 40, &[0])), None);
        assert_eq!(read(&object(1, 1 << 2 | 3 << 5, 40, &[0xff])), None);
    }
}
