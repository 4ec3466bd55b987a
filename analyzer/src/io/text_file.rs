//! A text that a person wrote: suppressions, settings. Whatever the path names, a device that never ends included, it takes bounded memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// More than anybody writes by hand, and generated suppressions are a hundred bytes each.
pub const MAX_BYTES: u64 = 16 << 20;

/// What some editors write before a text: the mark of UTF-8.
const BOM: char = '\u{feff}';

/// The text of a file, or of a pipe, without the mark.
///
/// # Errors
/// The system's; when it is longer than [`MAX_BYTES`]; when it is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    read_within(path, MAX_BYTES)
}

/// As [`read`], of a file that nobody named: a pipe with its name would be waited for.
///
/// # Errors
/// As [`read`]; when it is not a regular file.
pub fn read_regular(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        let why = "it is not a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    read(path)
}

/// As [`read`], of at most `most` bytes.
///
/// # Errors
/// As [`read`].
pub fn read_within(path: &Path, most: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it has more than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let why = format!("byte {at} is not UTF-8");
        io::Error::new(io::ErrorKind::InvalidData, why)
    })?;
    if text.starts_with(BOM) {
        text.remove(0);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_never_ends_and_bytes_that_are_no_text_are_refused() {
        let why = |path: &str| read(Path::new(path)).unwrap_err().to_string();
        assert_eq!(why("/dev/zero"), "it has more than 16777216 bytes");
        let bytes = std::env::temp_dir().join(format!("aclsan-no-text-{}", std::process::id()));
        std::fs::write(&bytes, [b'a', 0xff]).unwrap();
        let error = read(&bytes).unwrap_err().to_string();
        std::fs::remove_file(&bytes).unwrap();
        assert!(error.contains("is not UTF-8"), "{error}");
        assert!(why("/").contains("directory"));
        assert_eq!(read(Path::new("/dev/null")).unwrap(), "");
    }
}
