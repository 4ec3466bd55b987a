//! Random access to a packed log, a frame at a time.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use aclsan_log::reader::ReadAt;
use anyhow::Context;

use super::seek_table::{Frame, SeekTable};

/// Unpacked frames that are cached: segments of concurrent threads are in neighboring frames.
const CACHED_FRAMES: usize = 4;

/// An open packed log.
pub struct PackedReader {
    file: File,
    table: SeekTable,
    /// The last used frames, latest last.
    cache: Mutex<Vec<(usize, Vec<u8>)>>,
}

impl PackedReader {
    /// Opens a file and reads its seek table.
    ///
    /// # Errors
    /// If it cannot be read, or is no packed log.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let open = || {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            let table = SeekTable::read(&file, length)?;
            anyhow::Ok(Self {
                file,
                table,
                cache: Mutex::default(),
            })
        };
        open().with_context(|| format!("cannot read the packed log `{}`", path.display()))
    }

    /// Size of the unpacked log.
    pub fn length(&self) -> u64 {
        self.table.end().1
    }

    /// Copies from `offset`, at most to the end of its frame.
    fn copy(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let Some(frame) = self.table.frame(offset) else {
            return Ok(0);
        };
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.iter().position(|(known, _)| *known == frame.number);
        let bytes = match known {
            Some(place) => cache.remove(place).1,
            None => {
                if cache.len() == CACHED_FRAMES {
                    cache.remove(0);
                }
                self.unpack(&frame)?
            }
        };
        // A frame shorter than the table says ends the read there.
        let from = ((offset - frame.unpacked.start) as usize).min(bytes.len());
        let count = into.len().min(bytes.len() - from);
        into[..count].copy_from_slice(&bytes[from..from + count]);
        cache.push((frame.number, bytes));
        Ok(count)
    }

    fn unpack(&self, frame: &Frame) -> io::Result<Vec<u8>> {
        let length = |range: &Range<u64>| (range.end - range.start) as usize;
        let mut packed = vec![0; length(&frame.packed)];
        self.file.read_exact_at(&mut packed, frame.packed.start)?;
        zstd::bulk::decompress(&packed, length(&frame.unpacked))
    }
}

impl ReadAt for PackedReader {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while done < into.len() {
            match self.copy(&mut into[done..], offset + done as u64)? {
                0 => break,
                count => done += count,
            }
        }
        Ok(done)
    }
}
