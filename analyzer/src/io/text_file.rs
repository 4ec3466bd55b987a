//! Reads a hand-written text file (suppressions, settings) with a size limit, so even an endless device takes bounded memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Size limit: more than anyone writes by hand; generated suppressions take a hundred bytes each.
pub const MAX_BYTES: u64 = 16 << 20;

/// The byte order mark that some editors write.
const BOM: char = '\u{feff}';

/// Reads a file or pipe, without its byte order mark.
///
/// # Errors
/// I/O errors; if it is longer than [`MAX_BYTES`]; if it is not UTF-8.
pub fn read(path: &Path) -> io::Result<String> {
    read_within(path, MAX_BYTES)
}

/// As [`read`], for a default path: a pipe of that name would block.
///
/// # Errors
/// As [`read`]; if it is not a regular file.
pub fn read_regular(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        let why = "it is not a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    read(path)
}

/// As [`read`], with a limit of `most` bytes.
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
