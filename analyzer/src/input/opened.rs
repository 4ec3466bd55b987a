//! A log, opened: what was never written of it is not read.

use std::fs::File;
use std::path::Path;

use aclsan_log::{Log, LogError};
use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;

/// Opens a log.
///
/// # Errors
/// As [`Log::open`].
pub fn open(path: &Path) -> Result<Log, LogError> {
    Log::open_sparse(path, data_from)
}

fn data_from(file: &File, offset: u64) -> Option<u64> {
    match seek(file, SeekFrom::Data(offset)) {
        Ok(data) => Some(data),
        Err(Errno::NXIO) => None,
        // Not every file system can tell: then all of it may be data.
        Err(_) => Some(offset),
    }
}
