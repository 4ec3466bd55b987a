//! Holes of files: what was never written need not be read.

use std::fs::File;

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

/// Where the next byte is, from `offset` on, that was ever written; `None` if there is none.
pub fn next_data(file: &File, offset: u64) -> Option<u64> {
    match seek(file, SeekFrom::Data(offset)) {
        Ok(data) => Some(data),
        Err(Errno::NXIO) => None,
        // Not every file system can tell: then all of it may be data.
        Err(_) => Some(offset),
    }
}
