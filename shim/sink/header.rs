//! The log's first page, mapped from its creation on: what is missing can be told where the file can be reached no more, by descriptor or by
//! name.
//!
//! It is a second way only: on a disk that is full or broken a write is refused, where a store into a page may end the program (SIGBUS).
//! A forked child inherits the mapping and knows nothing of it: its log, with a page of its own, is made anew.

use aclsan_log::layout::{HEADER_BYTES, HEADER_USED, LOST, Lost};
use aclsan_os::maps;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The mapped page.
pub struct HeaderPage {
    memory: NonNull<u8>,
    bytes: usize,
}

// SAFETY: the mapping belongs to the value alone, and is only stored to atomically.
unsafe impl Send for HeaderPage {}
// SAFETY: as above.
unsafe impl Sync for HeaderPage {}

impl HeaderPage {
    /// Writes the header into `file`, a whole page, so that all blocks behind it are taken. `None` where the file cannot be mapped.
    ///
    /// # Errors
    /// The system's, when it cannot be written.
    pub fn write(file: &File, header: &[u8; HEADER_USED]) -> io::Result<Option<Self>> {
        let bytes = (maps::page_size() as usize).min(HEADER_BYTES);
        let mut page = vec![0; bytes];
        page[..HEADER_USED].copy_from_slice(header);
        file.write_all_at(&page, 0)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: lets the kernel choose the place; nothing of ours can be in the way.
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

    /// Stores what could not be written.
    pub fn store(&self, lost: Lost) {
        for (index, count) in [lost.events, lost.stacks].into_iter().enumerate() {
            // SAFETY: within the mapping, as `LOST` lies in the first page.
            let place = unsafe { self.memory.add(LOST.start + 8 * index) };
            // SAFETY: aligned, as mappings are to pages and `LOST` to 8, and only ever stored to through here.
            let place = unsafe { AtomicU64::from_ptr(place.cast().as_ptr()) };
            place.store(count.to_le(), Relaxed);
        }
    }
}

impl Drop for HeaderPage {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `write`, which nobody refers to any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.bytes) };
    }
}

const _: () = assert!(LOST.start.is_multiple_of(8) && LOST.end - LOST.start == 16);
