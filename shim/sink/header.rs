//! The log's first page, mapped when the log is created, so that lost counts can be stored when the file can no longer
//! be reached by descriptor or by name, and how the process ends where nothing can be called any more.
//!
//! For lost counts only a fallback: on a full or broken disk a write returns an error, while a store to a page may kill the program
//! with SIGBUS. A forked child inherits the mapping and does not use it, since its log is a new file with its own page.

use aclsan_log::End;
use aclsan_log::end::{END, MAX_END_FRAMES};
use aclsan_log::layout::{HEADER_BYTES, HEADER_USED, LOST, Lost};
use aclsan_os::maps;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::*};

/// The mapped page.
pub struct HeaderPage {
    memory: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the value owns the mapping and only stores to it atomically.
unsafe impl Send for HeaderPage {}
// SAFETY: as above.
unsafe impl Sync for HeaderPage {}

impl HeaderPage {
    /// Writes the header into `file` as a whole page, so that all blocks behind it are allocated. `None` if the file
    /// cannot be mapped.
    ///
    /// # Errors
    /// The system's error if it cannot be written.
    pub fn write(file: &File, header: &[u8; HEADER_USED]) -> io::Result<Option<Self>> {
        let bytes = (maps::page_size() as usize).min(HEADER_BYTES);
        let mut page = vec![0; bytes];
        page[..HEADER_USED].copy_from_slice(header);
        file.write_all_at(&page, 0)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the kernel chooses the address, so nothing of ours is overwritten.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                protection,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        Ok(match memory == libc::MAP_FAILED {
            true => None,
            false => NonNull::new(memory.cast()).map(|memory| Self { memory, bytes }),
        })
    }

    /// Stores the lost counts.
    pub fn store(&self, lost: Lost) {
        for (index, count) in [lost.events, lost.stacks].into_iter().enumerate() {
            self.word(LOST.start + 8 * index)
                .store(count.to_le(), Relaxed);
        }
    }

    /// Stores how the process ends, with these frames: without a lock or an allocation, for the handler of a crash. Stored again, it has
    /// more.
    pub fn store_end(&self, end: &End, frames: &[u64]) {
        let frames = &frames[..frames.len().min(MAX_END_FRAMES)];
        for (at, frame) in frames.iter().enumerate() {
            self.word(END.start + 48 + 8 * at)
                .store(frame.to_le(), Relaxed);
        }
        for (at, word) in end.words(frames.len()).iter().enumerate().rev() {
            self.word(END.start + 8 * at).store(word.to_le(), Release);
        }
    }

    /// The word at this byte of the header, one of those that change.
    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: inside the mapping, as `LOST` and `END` are in the first page.
        let place = unsafe { self.memory.add(at) };
        // SAFETY: aligned, as mappings are page-aligned and both ranges are 8-aligned, and only accessed through here.
        unsafe { AtomicU64::from_ptr(place.cast().as_ptr()) }
    }
}

impl Drop for HeaderPage {
    fn drop(&mut self) {
        // SAFETY: mapped by `write`, and no longer referenced.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.bytes) };
    }
}

const _: () = assert!(LOST.start.is_multiple_of(8) && LOST.end - LOST.start == 16);
