//! Where a log's bytes come from.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::end::{END, End};
use crate::layout::{LOST, Lost};

/// Finds the next byte of a file, from an offset on, that was ever written; `None` if there is none (`SEEK_DATA`).
pub type SparseMap = fn(&File, u64) -> Option<u64>;

/// Random access to the bytes of a log that is neither an unmodified file nor in memory.
pub trait ReadAt: Send + Sync {
    /// Reads up to `into.len()` bytes from `offset`; fewer only at the end.
    ///
    /// # Errors
    /// If they cannot be read; the reader counts them as lost.
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The current length, if a program may still be writing.
    fn length(&self) -> Option<u64> {
        None
    }
}

/// A file, bytes in memory, or another reader.
pub(crate) enum Source {
    File(File, SparseMap),
    Bytes(Vec<u8>),
    Other(Box<dyn ReadAt>),
}

impl Source {
    /// Reads up to `into.len()` bytes from `offset`; fewer at the end of the file.
    pub(crate) fn read(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::File(file, _) => {
                let mut done = 0;
                while done < into.len() {
                    match file.read_at(&mut into[done..], offset + done as u64) {
                        Ok(0) => break,
                        Ok(count) => done += count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(done)
            }
            Self::Bytes(bytes) => {
                let rest = usize::try_from(offset)
                    .ok()
                    .and_then(|offset| bytes.get(offset..))
                    .unwrap_or(&[]);
                let count = rest.len().min(into.len());
                into[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            }
            Self::Other(other) => other.read_at(into, offset),
        }
    }

    /// The file; `None` for anything else.
    pub(crate) fn file(&self) -> Option<&File> {
        match self {
            Self::File(file, _) => Some(file),
            Self::Bytes(_) | Self::Other(_) => None,
        }
    }

    /// What the header says was lost; nothing if it cannot be read.
    pub(crate) fn lost(&self) -> Lost {
        let mut bytes = [0; 16];
        match self.read(&mut bytes, LOST.start as u64) {
            Ok(16) => Lost::decode(&bytes),
            _ => Lost::default(),
        }
    }

    /// How the process ended, if the header says so.
    pub(crate) fn end(&self) -> Option<End> {
        let mut bytes = vec![0; END.len()];
        let got = self.read(&mut bytes, END.start as u64).unwrap_or(0);
        End::decode(&bytes[..got])
    }

    /// The current length; `None` if it does not change.
    pub(crate) fn length(&self) -> Option<u64> {
        match self {
            Self::File(file, _) => file.metadata().ok().map(|meta| meta.len()),
            Self::Bytes(_) => None,
            Self::Other(other) => other.length(),
        }
    }

    /// The next offset from `offset` on whose byte may be nonzero; `None` if there is none.
    pub(crate) fn next_data(&self, offset: u64) -> Option<u64> {
        match self {
            Self::File(file, holes) => holes(file, offset),
            Self::Bytes(_) | Self::Other(_) => Some(offset),
        }
    }
}
