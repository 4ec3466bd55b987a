//! A mapped segment of the log.

use crate::filesystem;
use aclsan_log::encode::Encoder;
use aclsan_log::layout::*;
use aclsan_os::{clock, seccomp};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

/// A segment that one thread writes.
pub struct Segment {
    encoder: Encoder,
    memory: *mut u8,
}

// SAFETY: the segment owns the mapping, and writing takes `&mut`.
unsafe impl Send for Segment {}

impl Segment {
    /// Maps segment number `index` of `file`. Its blocks are reserved first, so that a later write into the mapping
    /// cannot fail. `is_busy` if all of it will be written soon.
    ///
    /// # Errors
    /// The system's error: no space, over quota, a limit on files or addresses.
    pub fn map(file: &File, index: u32, kind: SegmentKind, is_busy: bool) -> io::Result<Self> {
        let offset = (HEADER_BYTES as u64 + u64::from(index) * SEGMENT_BYTES as u64) as libc::off_t;
        reserve_blocks(file, offset, is_busy)?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the kernel chooses the address, so nothing of ours is overwritten.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SEGMENT_BYTES,
                protection,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let started = clock::instant();
        let mut segment = Self {
            encoder: Encoder::new(index, started.ticks),
            memory: memory.cast(),
        };
        let header = SegmentHeader {
            kind,
            started: Instant {
                realtime_ns: 0,
                ..started
            },
            committed: 0,
        }
        .encode();
        segment.bytes()[..header.len()].copy_from_slice(&header);
        Ok(segment)
    }

    /// Lets `record` write, and commits what it wrote. `None` if the segment is full.
    pub fn write<T>(
        &mut self,
        record: impl FnOnce(&mut Encoder, &mut [u8]) -> Option<T>,
    ) -> Option<T> {
        let (encoder, room) = self.writer();
        let done = record(encoder, room)?;
        self.commit();
        Some(done)
    }

    /// The encoder, and where it writes. What it has written counts after [`Self::commit`].
    #[inline(always)]
    pub fn writer(&mut self) -> (&mut Encoder, &mut [u8]) {
        // SAFETY: `memory` is a mapping of this size that lives as long as `self`, and only `self` writes to it.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.memory, SEGMENT_BYTES) };
        (&mut self.encoder, &mut bytes[SEGMENT_HEADER_BYTES..])
    }

    /// Commits what was encoded: readers see it from now on.
    #[inline(always)]
    pub fn commit(&self) {
        self.committed()
            .store((self.encoder.used() as u64).to_le(), Ordering::Release);
    }

    #[inline(always)]
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `memory` is a mapping of this size that lives as long as `self`, and only `self` writes to it.
        unsafe { std::slice::from_raw_parts_mut(self.memory, SEGMENT_BYTES) }
    }

    #[inline(always)]
    fn committed(&self) -> &AtomicU64 {
        // SAFETY: inside the mapping, as `COMMITTED` is in the header.
        let place = unsafe { self.memory.add(COMMITTED.start) };
        // SAFETY: aligned, as mappings are page-aligned and `COMMITTED` is 8-aligned, and only written here and at the
        // start.
        unsafe { AtomicU64::from_ptr(place.cast()) }
    }
}

/// Maximum attempts to reserve blocks, each of which a signal may interrupt.
const MAX_TRIES: u32 = 100;

/// Reserves the blocks of the segment at `offset`. On tmpfs a signal interrupts this, and it is retried. If the kernel
/// or a filter does not allow it, or signals come too often, zeros are written instead, which allocates the blocks too.
///
/// Pages that are only reserved are faulted in one by one on first write: 64 µs a segment on ext4, with zeros written at
/// once 33, and in eight parts 52.
fn reserve_blocks(file: &File, offset: libc::off_t, is_busy: bool) -> io::Result<()> {
    static ZEROS: [u8; SEGMENT_BYTES] = [0; SEGMENT_BYTES];
    let fill = || file.write_all_at(&ZEROS, offset as u64);
    for _ in 0..if seccomp::is_seccomp_active() {
        0
    } else {
        MAX_TRIES
    } {
        let length = SEGMENT_BYTES as libc::off_t;
        // SAFETY: a system call on a descriptor that `file` keeps open.
        if unsafe { libc::fallocate(file.as_raw_fd(), 0, offset, length) } == 0 {
            if is_busy && !filesystem::is_tmpfs(file) {
                let _ = fill(); // The blocks are reserved even if this fails.
            }
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EINTR) => {}
            Some(libc::ENOSYS | libc::EPERM | libc::EOPNOTSUPP) => break,
            _ => return Err(error),
        }
    }
    fill()
}

impl Drop for Segment {
    fn drop(&mut self) {
        // SAFETY: mapped by `map`, and no longer referenced.
        unsafe { libc::munmap(self.memory.cast(), SEGMENT_BYTES) };
    }
}
