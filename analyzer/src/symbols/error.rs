//! Errors of reading ELF files.

use std::fmt;
use std::io;

use super::limits::{MAX_FILE_BYTES, MAX_SECTIONS};

/// Why an ELF file could not be used.
#[derive(Debug)]
pub enum ElfError {
    /// Opening or reading it failed.
    Io(io::Error),
    /// A folder, a pipe or a device.
    NotAFile,
    /// Not an ELF file that could run on a supported machine, or damaged.
    Damaged(object::read::Error),
    /// The debug information contradicts itself.
    DebugInfo(gimli::Error),
    /// A section extends past the end of the file.
    Cut,
    /// More sections than any linked file has.
    TooManySections,
    /// A compressed section claims to expand more than possible.
    Implausible {
        /// The section.
        section: String,
        /// Its claimed uncompressed size.
        bytes: u64,
    },
    /// The file needs more than [`MAX_FILE_BYTES`].
    TooLarge {
        /// The section that exceeds the limit.
        section: String,
        /// Its uncompressed size.
        bytes: u64,
    },
    /// The file is longer than [`MAX_FILE_BYTES`], and a checksum needs all of it.
    TooLong(u64),
    /// Memory for a section could not be allocated.
    NoMemory {
        /// The section.
        section: String,
        /// Its uncompressed size.
        bytes: u64,
    },
}

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::NotAFile => write!(f, "not a regular file"),
            Self::Damaged(error) => write!(f, "not a usable ELF file ({error})"),
            Self::DebugInfo(error) => write!(f, "damaged debug information ({error})"),
            Self::Cut => write!(f, "the file ends before its sections do"),
            Self::TooManySections => write!(f, "more than {MAX_SECTIONS} sections"),
            Self::Implausible { section, bytes } => {
                write!(f, "`{section}` claims {bytes} bytes, more than it can hold")
            }
            Self::TooLarge { section, bytes } => write!(
                f,
                "`{section}` needs {bytes} bytes; at most {MAX_FILE_BYTES} are read from one file"
            ),
            Self::TooLong(bytes) => write!(
                f,
                "its checksum needs all of its {bytes} bytes; at most {MAX_FILE_BYTES} are read from one file"
            ),
            Self::NoMemory { section, bytes } => write!(
                f,
                "`{section}` needs {bytes} bytes, and there is not so much memory"
            ),
        }
    }
}

impl std::error::Error for ElfError {}

impl From<io::Error> for ElfError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<object::read::Error> for ElfError {
    fn from(error: object::read::Error) -> Self {
        Self::Damaged(error)
    }
}

impl From<gimli::Error> for ElfError {
    fn from(error: gimli::Error) -> Self {
        Self::DebugInfo(error)
    }
}
