//! The class of a C++ object, if it has virtual functions: its first word points into a table of them, in front of which is the address of
//! the class's `std::type_info`, which has the name. Source: Itanium C++ ABI, 2.5.2 and 2.9.4.
//!
//! Needs no symbols, and finds nothing in code built with `-fno-rtti`.

use super::memory_reader::MemoryReader;
use super::roots::contains_address;
use aclsan_frames::demangle;

/// Longer names are cut by nobody: they are no names.
const MAX_BYTES: usize = 1000;

/// The class of the object at `start`. Its tables must be in `images`, the loaded files by start.
pub fn class_name(reader: &mut MemoryReader, images: &[(u64, u64)], start: u64) -> Option<String> {
    let in_image = |address: u64| address.is_multiple_of(8) && contains_address(images, address);
    let table = reader.words(start)?[0];
    let info = Some(table).filter(|&table| in_image(table))?;
    let info = reader.words(info.checked_sub(8)?)?[0];
    let [functions, name] = Some(info)
        .filter(|&info| in_image(info))
        .and_then(|info| reader.words(info))?;
    // A `type_info` has virtual functions itself; its name may be at an odd address.
    if !in_image(functions) || !in_image(name & !7) {
        return None;
    }
    let bytes = reader.bytes(name, MAX_BYTES);
    let length = bytes.iter().position(|&byte| byte == 0)?;
    name_of(str::from_utf8(&bytes[..length]).ok()?)
}

/// GCC marks names that are compared by address with `*`.
fn name_of(mangled: &str) -> Option<String> {
    let mangled = mangled.strip_prefix('*').unwrap_or(mangled);
    let readable = demangle(&format!("_ZTI{mangled}"));
    let name = readable.strip_prefix("typeinfo for ")?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_are_demangled_and_others_are_none() {
        assert_eq!(name_of("4Node").as_deref(), Some("Node"));
        let nested = name_of("*N3net5LayerIfEE");
        assert_eq!(nested.as_deref(), Some("net::Layer<float>"));
        assert_eq!(name_of(""), None);
        assert_eq!(name_of("hello there"), None);
    }
}
