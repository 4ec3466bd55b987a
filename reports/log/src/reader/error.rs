//! What can be wrong with a log, or with a part of it.

use std::path::PathBuf;
use std::{fmt, io};

use crate::layout::{HEADER_BYTES, VERSION};

/// Why a file cannot be read as a log.
#[derive(Debug)]
pub enum LogError {
    /// The file cannot be opened or read.
    Io { path: PathBuf, source: io::Error },
    /// The file is empty.
    Empty { path: PathBuf },
    /// The file does not start as a log does.
    NotALog { path: PathBuf },
    /// The file is shorter than the header.
    CutShort { path: PathBuf, bytes: u64 },
    /// A later version wrote it.
    TooNew { path: PathBuf, found: u16 },
    /// The header contradicts itself.
    Header { path: PathBuf },
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "cannot read `{}`: {source}", path.display()),
            Self::Empty { path } => write!(
                f,
                "`{}` is empty: the program ended before anything was recorded",
                path.display()
            ),
            Self::NotALog { path } => {
                write!(
                    f,
                    "`{}` is not an event log of aclsan (it does not begin with `ACLSANEV`)",
                    path.display()
                )
            }
            Self::CutShort { path, bytes } => write!(
                f,
                "`{}` is cut short: {bytes} bytes of a header that takes {HEADER_BYTES}; record it again",
                path.display()
            ),
            Self::TooNew { path, found } => write!(
                f,
                "`{}` has event log version {found}, this aclsan reads up to {VERSION}: use the aclsan that recorded it, or a newer one",
                path.display()
            ),
            Self::Header { path } => write!(
                f,
                "`{}` has a damaged header: nothing after it can be trusted",
                path.display()
            ),
        }
    }
}

impl std::error::Error for LogError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Part of a log that could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Corruption {
    /// Index of the segment.
    pub segment: u32,
    /// Byte offset in the file where reading stopped.
    pub offset: u64,
    /// Bytes skipped.
    pub lost: u64,
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "segment {} is damaged at byte {}: {} bytes are lost",
            self.segment, self.offset, self.lost
        )
    }
}
