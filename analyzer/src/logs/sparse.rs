//! Skips the holes of sparse files, which need not be read.

use std::fs::File;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

/// The offset of the next data at or after `offset`; `None` if there is none.
pub fn next_data(file: &File, offset: u64) -> Option<u64> {
    match seek(file, SeekFrom::Data(offset)) {
        Ok(data) => Some(data),
        Err(Errno::NXIO) => None,
        // Not every file system supports this; then everything may be data.
        Err(_) => Some(offset),
    }
}
