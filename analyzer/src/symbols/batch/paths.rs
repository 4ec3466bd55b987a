//! Paths of source files.

use gimli::{FileEntry, LineProgramHeader, Result, UnitRef};

use super::Reader;

/// The path of a file: its folder's path, which may be relative to the unit's, and its name.
pub fn file<'a>(
    unit: UnitRef<Reader<'a>>,
    file: &FileEntry<Reader<'a>>,
    header: &LineProgramHeader<Reader<'a>>,
) -> Result<String> {
    let mut path = unit
        .comp_dir
        .map_or_else(String::new, |folder| folder.to_string_lossy().into_owned());
    // The first folder is the unit's.
    if file.directory_index() != 0
        && let Some(folder) = file.directory(header)
    {
        push(&mut path, &unit.attr_string(folder)?.to_string_lossy());
    }
    let name = unit.attr_string(file.path_name())?;
    push(&mut path, &name.to_string_lossy());
    Ok(path)
}

/// As `addr2line` joins paths, those of Windows included.
fn push(path: &mut String, part: &str) {
    if is_rooted(part, '/') || is_rooted(part, '\\') {
        part.clone_into(path);
        return;
    }
    let separator = match is_rooted(path, '\\') {
        true => '\\',
        false => '/',
    };
    if !path.is_empty() && !path.ends_with(separator) {
        path.push(separator);
    }
    path.push_str(part);
}

fn is_rooted(path: &str, separator: char) -> bool {
    let mut after_drive = path.get(1..3).unwrap_or_default().chars();
    path.starts_with(separator)
        || (after_drive.next() == Some(':') && after_drive.next() == Some(separator))
}
