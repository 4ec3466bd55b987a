//! Opens logs.

use std::fs::{self, File};
use std::path::Path;

use super::clock::Clock;
use super::error::LogError;
use super::live_log;
use super::log::Log;
use super::source::{ReadAt, Source, SparseMap};
use crate::layout::*;

impl Log {
    /// Opens a log and reads its definitions.
    ///
    /// # Errors
    /// [`LogError`] if nothing of the file can be used. Damage after the header is not an error: see [`Log::damage`].
    pub fn open(path: &Path) -> Result<Self, LogError> {
        Self::open_sparse(path, |_, from| Some(from))
    }

    /// The same for a file that may be mostly holes; a log may claim a terabyte that is one. `holes` returns the next offset with data,
    /// `None` if there is none.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn open_sparse(path: &Path, holes: SparseMap) -> Result<Self, LogError> {
        let (source, length) = open_file(path, holes)?;
        Self::read(path, source, length)
    }

    /// Reads a log from memory; `name` stands for its path in messages.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, LogError> {
        let length = bytes.len() as u64;
        Self::read(Path::new(name), Source::Bytes(bytes), length)
    }

    /// Reads a log of `length` bytes from another source; `path` stands for it in messages.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn from_source(
        path: &Path,
        source: Box<dyn ReadAt>,
        length: u64,
    ) -> Result<Self, LogError> {
        Self::read(path, Source::Other(source), length)
    }

    fn read(path: &Path, source: Source, length: u64) -> Result<Self, LogError> {
        let mut log = Self::begin(path, source, length)?;
        let seen = log.read_definitions(length);
        if let Some((until, length)) = live_log::snapshot_limit(&log.source, &seen) {
            log = Self::with_header(log.path, log.header, log.lost, log.source);
            log.until = Some(until);
            log.read_definitions(length);
        }
        if let Some(end) = log.source.end() {
            log.set_end(end);
        }
        log.modules.build_index();
        log.clock = Clock::new(&log.header, &log.segments);
        log.segments
            .sort_by_key(|(index, segment)| (segment.started.ticks, *index));
        Ok(log)
    }

    /// Reads the header, and nothing after it.
    pub(crate) fn begin(path: &Path, source: Source, length: u64) -> Result<Self, LogError> {
        let path = path.to_owned();
        let mut head = [0; HEADER_USED];
        let got = source.read(&mut head, 0).map_err(|source| LogError::Io {
            path: path.clone(),
            source,
        })?;
        match () {
            () if length == 0 => return Err(LogError::Empty { path }),
            () if got < 10 || head[..8] != MAGIC => return Err(LogError::NotALog { path }),
            () if u16::from_le_bytes([head[8], head[9]]) > VERSION => {
                return Err(LogError::TooNew {
                    path,
                    found: u16::from_le_bytes([head[8], head[9]]),
                });
            }
            () if length < HEADER_BYTES as u64 => {
                return Err(LogError::CutShort {
                    path,
                    bytes: length,
                });
            }
            () => {}
        }
        let Some(header) = Header::decode(&head) else {
            return Err(LogError::Header { path });
        };
        let lost = source.lost();
        Ok(Self::with_header(path, header, lost, source))
    }
}

/// Opens a regular file, and says how long it is.
pub(crate) fn open_file(path: &Path, holes: SparseMap) -> Result<(Source, u64), LogError> {
    let io = |source| LogError::Io {
        path: path.to_owned(),
        source,
    };
    let not_a_log = || LogError::NotALog {
        path: path.to_owned(),
    };
    // Checked before opening: opening a pipe would block forever.
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(not_a_log());
    }
    let file = File::open(path).map_err(io)?;
    let meta = file.metadata().map_err(io)?;
    if !meta.is_file() {
        return Err(not_a_log());
    }
    Ok((Source::File(file, holes), meta.len()))
}
