//! Reads this process's memory through the kernel, which fails where nothing is mapped: no fault, whatever other threads unmap.

use super::pagemap::ResidentPages;
use aclsan_os::maps;
use aclsan_os::safe_copy;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Instant;

/// Bytes read at once.
const CHUNK_BYTES: usize = 1 << 20;
/// Pieces of memory read at once: `UIO_MAXIOV`.
const MAX_PIECES: usize = 1024;

/// Why reading stopped early.
#[derive(PartialEq, Eq, Debug)]
pub enum Stop {
    /// Everything was found.
    Done,
    /// Time is up.
    TimedOut,
}

/// Reads memory, in one of two ways.
pub struct MemoryReader {
    words: Vec<u64>,
    page: u64,
    pages: ResidentPages,
    /// `/proc/thread-self/mem`, used where a sandbox forbids the system call, or might kill for it.
    memory: Option<File>,
}

impl MemoryReader {
    /// `None` if memory cannot be read at all.
    pub fn new() -> Option<Self> {
        let is_seccomp_active = is_seccomp_active();
        let open = || File::open("/proc/thread-self/mem").ok();
        let mut reader = Self {
            words: vec![0; CHUNK_BYTES / 8],
            page: maps::page_size(),
            pages: ResidentPages::new(!is_seccomp_active),
            memory: is_seccomp_active.then(open).flatten(),
        };
        if is_seccomp_active && reader.memory.is_none() {
            return None;
        }
        let own = 0x0123_4567_89ab_cdef_u64;
        let at = &raw const own as u64;
        if reader.fill(at, 8) != 8 {
            reader.memory = open();
        }
        (reader.fill(at, 8) == 8 && reader.words[0] == own).then_some(reader)
    }

    /// Passes all readable words in `low..high` to `look`, with their addresses, until it returns `false`.
    ///
    /// # Errors
    /// [`Stop`], if not everything was read.
    pub fn read(
        &mut self,
        low: u64,
        high: u64,
        until: Instant,
        mut look: impl FnMut(u64, &[u64]) -> bool,
    ) -> Result<(), Stop> {
        let mut low = low.checked_next_multiple_of(8).unwrap_or(high);
        while low < high {
            let (end, ranges) = self.pages.populated_ranges(low, high);
            for (start, stop) in ranges {
                self.read_chunks(start.max(low), stop.min(end), until, &mut look)?;
            }
            low = end;
            if Instant::now() >= until {
                return Err(Stop::TimedOut);
            }
        }
        Ok(())
    }

    /// The two words at an aligned address, if they can be read.
    pub fn words(&mut self, at: u64) -> Option<[u64; 2]> {
        (self.fill(at, 16) == 16).then(|| [self.words[0], self.words[1]])
    }

    /// Up to `length` bytes at `at`, as many as can be read.
    pub fn bytes(&mut self, at: u64, length: usize) -> Vec<u8> {
        let read = self.fill(at, length);
        let words = self.words[..read.div_ceil(8)].iter();
        let mut bytes: Vec<u8> = words.flat_map(|word| word.to_ne_bytes()).collect();
        bytes.truncate(read);
        bytes
    }

    /// Passes the words of each of these pieces of memory to `look`, until it returns `false`. Pieces that fit are read together: most
    /// are small, and a system call for each would take longer than all the rest.
    ///
    /// # Errors
    /// [`Stop`], if not everything was read.
    pub fn read_pieces(
        &mut self,
        pieces: &[(u64, u64)],
        until: Instant,
        mut look: impl FnMut(u64, &[u64]) -> bool,
    ) -> Result<(), Stop> {
        let mut left = pieces;
        while !left.is_empty() {
            let mut bytes = 0;
            let fit = left.iter().take(MAX_PIECES).take_while(|(low, high)| {
                bytes += high - low;
                bytes <= CHUNK_BYTES as u64
            });
            let (now, later) = left.split_at(fit.count().max(1));
            left = later;
            if now.len() > 1 && self.fill_pieces(now) {
                let mut at = 0;
                for &(low, high) in now {
                    let end = at + (high - low) as usize / 8;
                    if !look(low, &self.words[at..end]) {
                        return Err(Stop::Done);
                    }
                    at = end;
                }
            } else {
                for &(low, high) in now {
                    self.read_chunks(low, high, until, &mut look)?;
                }
            }
            if Instant::now() >= until {
                return Err(Stop::TimedOut);
            }
        }
        Ok(())
    }

    /// Reads pieces that fit, one after the other; `false` if that failed for any.
    fn fill_pieces(&mut self, pieces: &[(u64, u64)]) -> bool {
        if self.memory.is_some() {
            return false;
        }
        let bytes = pieces.iter().map(|(low, high)| (high - low) as usize).sum();
        let from: Vec<libc::iovec> = pieces
            .iter()
            .map(|&(low, high)| libc::iovec {
                iov_base: low as *mut _,
                iov_len: (high - low) as usize,
            })
            .collect();
        safe_copy::read_pieces(&from, self.buffer(bytes)) == bytes
    }

    fn read_chunks(
        &mut self,
        low: u64,
        high: u64,
        until: Instant,
        look: &mut impl FnMut(u64, &[u64]) -> bool,
    ) -> Result<(), Stop> {
        let mut at = low;
        while at < high {
            let read = self.fill(at, (high - at).min(CHUNK_BYTES as u64) as usize);
            if !look(at, &self.words[..read / 8]) {
                return Err(Stop::Done);
            }
            if Instant::now() >= until {
                return Err(Stop::TimedOut);
            }
            // A page that was unmapped meanwhile, or is not readable, is skipped.
            at = match read / 8 {
                0 => (at / self.page + 1) * self.page,
                words => at + 8 * words as u64,
            };
        }
        Ok(())
    }

    /// Reads up to `length` bytes at `at`, and returns how many were read.
    fn fill(&mut self, at: u64, length: usize) -> usize {
        let length = length.min(CHUNK_BYTES);
        if let Some(memory) = self.memory.take() {
            let read = memory.read_at(self.buffer(length), at).unwrap_or(0);
            self.memory = Some(memory);
            return read;
        }
        let from = libc::iovec {
            iov_base: at as *mut _,
            iov_len: length,
        };
        safe_copy::read_pieces(&[from], self.buffer(length))
    }

    /// The first `length` bytes of the words, `CHUNK_BYTES` at most.
    fn buffer(&mut self, length: usize) -> &mut [u8] {
        let length = length.min(CHUNK_BYTES);
        let bytes = self.words.as_mut_ptr().cast::<u8>();
        // SAFETY: our own buffer of CHUNK_BYTES, borrowed as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(bytes, length) }
    }
}

/// Whether system calls are filtered. A filter may kill the process for a call that it does not know; only files are safe.
fn is_seccomp_active() -> bool {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let mode = status
        .lines()
        .find_map(|line| line.strip_prefix("Seccomp:"));
    mode.is_some_and(|mode| mode.trim() != "0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[test]
    fn words_are_read_with_their_places_and_what_is_not_mapped_is_passed_over() {
        let words: Vec<u64> = (0..1000).collect();
        let low = words.as_ptr() as u64;
        let mut sum = 0;
        let mut reader = MemoryReader::new().unwrap();
        let read = reader.read(low, low + 8000, soon(), |at, read| {
            assert_eq!(read[0], (at - low) / 8);
            sum += read.iter().sum::<u64>();
            true
        });
        assert_eq!((read, sum), (Ok(()), 499_500)); // 999 * 1000 / 2
        let mut none = 0;
        let read = reader.read(0x1000, 0x10_0000, soon(), |_, read| {
            none += read.len();
            true
        });
        assert_eq!((read, none), (Ok(()), 0));
    }

    #[test]
    fn small_pieces_are_read_together_and_large_ones_by_themselves() {
        let words: Vec<u64> = (0..300_000).collect();
        let low = words.as_ptr() as u64;
        // The third does not fit, and nothing is mapped at the fifth.
        let pieces = [(0, 3), (10, 12), (100, 290_000), (5, 6)];
        let mut pieces = pieces
            .map(|(from, to)| (low + 8 * from, low + 8 * to))
            .to_vec();
        pieces.push((0x1000, 0x1010));
        let mut seen = std::collections::BTreeMap::new();
        let mut reader = MemoryReader::new().unwrap();
        let read = reader.read_pieces(&pieces, soon(), |at, read| {
            if read.is_empty() {
                return true;
            }
            let first = (at - low) / 8;
            assert!(read.iter().zip(first..).all(|(&word, index)| word == index));
            *seen.entry(first.min(101)).or_insert(0) += read.len();
            true
        });
        assert_eq!(read, Ok(()));
        assert_eq!([seen[&0], seen[&10], seen[&5]], [3, 2, 1]);
        assert_eq!(seen[&100] + seen.get(&101).unwrap_or(&0), 289_900);
    }

    #[test]
    fn where_system_calls_are_filtered_a_file_reads_the_same() {
        let words: Vec<u64> = (0..1000).collect();
        let low = words.as_ptr() as u64;
        let mut reader = MemoryReader::new().unwrap();
        let memory = File::open("/proc/self/mem");
        reader.memory = Some(memory.expect("a process may read its own memory"));
        reader.pages = ResidentPages::new(false);
        let mut sum = 0;
        let read = reader.read(low, low + 8000, soon(), |_, read| {
            sum += read.iter().sum::<u64>();
            true
        });
        assert_eq!((read, sum), (Ok(()), 499_500)); // 999 * 1000 / 2
    }

    #[test]
    fn reading_ends_when_all_is_found_and_when_the_time_is_over() {
        let words = vec![1u64; 1000];
        let low = words.as_ptr() as u64;
        let mut reader = MemoryReader::new().unwrap();
        let done = reader.read(low, low + 8000, soon(), |_, _| false);
        assert_eq!(done, Err(Stop::Done));
        let late = reader.read(low, low + 8000, Instant::now(), |_, _| true);
        assert_eq!(late, Err(Stop::TimedOut));
    }

    #[test]
    fn pages_that_nobody_touched_are_not_read() {
        let size = 64 << 20;
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: lets the kernel choose the place.
        let low = unsafe { libc::mmap(std::ptr::null_mut(), size, both, flags, -1, 0) };
        assert_ne!(low, libc::MAP_FAILED);
        let middle = low.cast::<u64>().wrapping_add(size / 16);
        // SAFETY: inside the mapping, aligned.
        unsafe { middle.write(77) };
        let (mut bytes, mut sum) = (0, 0);
        let mut reader = MemoryReader::new().unwrap();
        let read = reader.read(low as u64, low as u64 + size as u64, soon(), |_, read| {
            bytes += 8 * read.len();
            sum += read.iter().sum::<u64>();
            true
        });
        assert_eq!((read, sum), (Ok(()), 77));
        if reader.pages.are_known() {
            assert!(bytes <= 4 << 20, "{bytes}"); // one page, or one huge page
        }
        // SAFETY: the mapping made above, which nobody refers to any more.
        unsafe { libc::munmap(low, size) };
    }
}
