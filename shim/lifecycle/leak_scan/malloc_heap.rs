//! The chunks of glibc's allocator, found by walking its heaps: an object counts only if something points to it.
//!
//! Chunks lie end to end: each starts with the size of the one before, used only while that one is free, and its own size, whose low bits say
//! whether the one before is in use (1), whether it is a mapping of its own (2), and whether its arena is not the main one (4). The main
//! arena is what `brk` grows. Other arenas have heaps at multiples of 64 MiB, each starting with `heap_info`, and the first with the
//! arena's `malloc_state`. Large chunks are mappings of their own. Source: glibc 2.17 to 2.42, malloc/malloc.c and malloc/arena.c.
//!
//! A heap whose walk does not end exactly where the heap does is not taken apart: all of its words are roots, as the memory of other
//! allocators is. So a layout that is not known, or one that changes meanwhile, hides a lost object and makes nothing look lost.

use super::memory_reader::{MemoryReader, Stop};
use std::time::Instant;

/// Heaps of arenas other than the main one start at multiples of this.
const HEAP_ALIGNMENT: u64 = 64 << 20;
/// `sizeof (heap_info)`: up to glibc 2.34, and since.
const HEAP_INFO_BYTES: [u64; 2] = [0x20, 0x30];
/// `sizeof (malloc_state)`, rounded up to the alignment of chunks: up to glibc 2.25, and since.
const STATE_BYTES: [u64; 2] = [2192, 2208];
const HEADER_BYTES: u64 = 16;
const ALIGNMENT: u64 = 16;
const PREVIOUS_IN_USE: u64 = 1;
const IS_MAPPED: u64 = 2;
const FLAGS: u64 = 7;

/// An allocated chunk, without its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk {
    pub start: u64,
    pub end: u64,
}

/// A part of the address space that consists of chunks, and those of them that are allocated.
#[derive(Default)]
pub struct Heaps {
    /// By start.
    pub chunks: Vec<Chunk>,
    /// Start and end, by start.
    pub areas: Vec<(u64, u64)>,
    /// Heaps that could not be taken apart.
    pub unparsed: Vec<(u64, u64)>,
}

impl Heaps {
    /// Walks the heap that `brk` grows, which starts at `start`.
    pub fn add_main(
        &mut self,
        reader: &mut MemoryReader,
        (start, end): (u64, u64),
        until: Instant,
    ) {
        let first = start.next_multiple_of(ALIGNMENT);
        if !self.add(reader, (start, first, end), until) {
            self.unparsed.push((start, end));
        }
    }

    /// Walks what a private anonymous mapping has of heaps and large chunks.
    pub fn add_mapping(
        &mut self,
        reader: &mut MemoryReader,
        (low, high): (u64, u64),
        page: u64,
        until: Instant,
    ) {
        let mut at = low;
        while let Some([before, size]) = reader.words(at) {
            let length = size & !FLAGS;
            let is_chunk = before == 0
                && size & FLAGS == IS_MAPPED
                && length >= page
                && length.is_multiple_of(page)
                && length <= high - at;
            if !is_chunk {
                break;
            }
            self.chunks.push(Chunk {
                start: at + HEADER_BYTES,
                end: at + length,
            });
            self.areas.push((at, at + length));
            at += length;
            if at >= high {
                return;
            }
        }
        // A mapping can start with something else, and several heaps can follow one another.
        let mut heap = at.next_multiple_of(HEAP_ALIGNMENT);
        while heap < high {
            self.add_heap(reader, heap, high, until);
            heap += HEAP_ALIGNMENT;
        }
    }

    /// Walks a heap of an arena other than the main one, if there is one at `low`.
    fn add_heap(&mut self, reader: &mut MemoryReader, low: u64, high: u64, until: Instant) {
        let (Some([arena, previous]), Some([size, _])) =
            (reader.words(low), reader.words(low + 16))
        else {
            return;
        };
        let info = arena % HEAP_ALIGNMENT;
        let is_heap = HEAP_INFO_BYTES.contains(&info)
            && previous.is_multiple_of(HEAP_ALIGNMENT)
            && size <= high - low;
        if !is_heap {
            return;
        }
        let starts = match arena == low + info {
            true => STATE_BYTES.map(|state| low + info + state),
            false => [low + info; 2],
        };
        for first in starts {
            if self.add(reader, (low, first, low + size), until) {
                return;
            }
        }
        self.unparsed.push((low, low + size));
    }

    /// Walks a heap from its first chunk. Returns whether the walk ended where the heap does.
    fn add(
        &mut self,
        reader: &mut MemoryReader,
        (low, first, end): (u64, u64, u64),
        until: Instant,
    ) -> bool {
        let mut walk = Walk::new(first, end);
        let read = reader.read(first, end, until, |at, words| walk.step(at, words));
        let is_whole = matches!(read, Ok(()) | Err(Stop::Done)) && walk.is_complete;
        if is_whole {
            self.chunks.append(&mut walk.chunks);
            self.areas.push((low, end));
        }
        is_whole
    }

    /// Call once after all heaps were added.
    pub fn sort(&mut self) {
        self.chunks.sort_unstable_by_key(|chunk| chunk.start);
        self.areas.sort_unstable();
    }
}

/// A walk along the chunks of a heap, whose words come piece by piece.
struct Walk {
    next: u64,
    end: u64,
    /// The last chunk: allocated if the one after it says so.
    last: Option<Chunk>,
    chunks: Vec<Chunk>,
    is_complete: bool,
}

impl Walk {
    fn new(first: u64, end: u64) -> Self {
        Self {
            next: first,
            end,
            last: None,
            chunks: Vec::new(),
            is_complete: false,
        }
    }

    /// Continues with the words at `at`. Returns whether it needs more.
    fn step(&mut self, at: u64, words: &[u64]) -> bool {
        loop {
            let Some(index) = (self.next + 8).checked_sub(at).map(|bytes| bytes / 8) else {
                return false; // passed over: its page was never written
            };
            let Some(&field) = words.get(index as usize) else {
                return true;
            };
            let (size, start) = (field & !FLAGS, self.next);
            if field & PREVIOUS_IN_USE != 0 {
                self.chunks.extend(self.last.take());
            }
            // The last of an arena's older heaps: two headers that nothing follows.
            let is_fence = size == HEADER_BYTES && start + 2 * HEADER_BYTES == self.end;
            let is_possible = size >= 2 * HEADER_BYTES && size.is_multiple_of(ALIGNMENT);
            if is_fence || is_possible && size == self.end - start {
                self.is_complete = true;
                return false;
            }
            if !is_possible || field & IS_MAPPED != 0 || size > self.end - start {
                return false;
            }
            self.next = start + size;
            // A chunk in use has the next one's first word, too.
            self.last = Some(Chunk {
                start: start + HEADER_BYTES,
                end: self.next + 8,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A heap of chunks: their sizes, and whether they are allocated.
    fn heap(sizes: &[(u64, bool)]) -> Vec<u64> {
        let mut words = Vec::new();
        let mut is_in_use = true;
        for &(size, is_allocated) in sizes {
            words.extend([0, size | u64::from(is_in_use)]);
            words.resize(words.len() + size as usize / 8 - 2, 7);
            is_in_use = is_allocated;
        }
        words
    }

    fn walked(words: &[u64], piece: usize) -> Option<Vec<(u64, u64)>> {
        let mut walk = Walk::new(0x1000, 0x1000 + 8 * words.len() as u64);
        for (index, words) in words.chunks(piece).enumerate() {
            if !walk.step(0x1000 + 8 * (index * piece) as u64, words) {
                break;
            }
        }
        let chunks = walk.chunks.iter().map(|chunk| (chunk.start, chunk.end));
        walk.is_complete.then(|| chunks.collect())
    }

    #[test]
    fn allocated_chunks_are_found_in_pieces_of_any_length() {
        let words = heap(&[(32, true), (64, false), (48, true), (128, false)]);
        let expected = vec![(0x1010, 0x1028), (0x1070, 0x1098)];
        for piece in [1, 2, 3, 7, words.len()] {
            assert_eq!(walked(&words, piece), Some(expected.clone()), "{piece}");
        }
    }

    #[test]
    fn a_heap_that_an_arena_has_filled_ends_with_two_headers() {
        let mut words = heap(&[(32, true), (48, true)]);
        words.extend([0, 16 | 1, 0, 1]);
        assert_eq!(
            walked(&words, 100),
            Some(vec![(0x1010, 0x1028), (0x1030, 0x1058)])
        );
    }

    #[test]
    fn what_does_not_end_with_the_heap_is_not_taken_apart() {
        let whole = heap(&[(32, true), (64, true), (128, false)]);
        assert!(walked(&whole, 100).is_some());
        for (at, value) in [
            (5, 0),
            (5, 56),
            (5, 1 << 40),
            (5, 64 | IS_MAPPED),
            (13, 112),
        ] {
            let mut words = whole.clone();
            words[at] = value;
            assert_eq!(walked(&words, 100), None, "{at}: {value}");
        }
    }

    #[test]
    fn large_chunks_of_this_process_are_found() {
        let large = vec![1u8; 3 << 20];
        let low = large.as_ptr() as u64 & !0xfff;
        let mut reader = MemoryReader::new().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let mut heaps = Heaps::default();
        heaps.add_mapping(&mut reader, (low, low + (4 << 20)), 4096, until);
        let found = heaps.chunks.first().copied();
        // Only where Rust's tests use glibc's allocator with its usual threshold.
        if let Some([0, size]) = reader.words(low)
            && size & FLAGS == IS_MAPPED
        {
            let end = low + (size & !FLAGS);
            assert_eq!(
                found,
                Some(Chunk {
                    start: low + 16,
                    end
                })
            );
        }
    }
}
