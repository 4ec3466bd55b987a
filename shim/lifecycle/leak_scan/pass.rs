//! One scan: what the program can reach, then what it cannot.

use super::memory_reader::{MemoryReader, Stop};
use super::objects::Objects;
use super::roots::RootRegions;
use super::search::Search;
use aclsan_log::Mapping;
use std::time::Instant;

/// One scan of memory.
pub struct Pass<'a> {
    pub search: &'a mut Search,
    pub reader: &'a mut MemoryReader,
    pub regions: &'a RootRegions,
    pub until: Instant,
    pub bytes: u64,
    /// Heaps of glibc's allocator that could not be taken apart.
    pub unparsed: Vec<(u64, u64)>,
}

impl Pass<'_> {
    /// Searches what the program can reach.
    pub fn run(&mut self, registers: &[u64]) -> Result<(), Stop> {
        let heaps = self.regions.heaps(self.reader, self.until);
        self.search.objects = Objects::of(heaps.chunks);
        self.unparsed = heaps.unparsed;
        self.search
            .scan_words(0, registers, Mapping::Stack, |_| false);
        let (regions, until) = (self.regions, self.until);
        for range in regions.without(&heaps.areas) {
            self.reader
                .read(range.low, range.high, until, |at, words| {
                    self.bytes += 8 * words.len() as u64;
                    let is_excluded = |place| regions.is_excluded(&range, place);
                    self.search
                        .scan_words(at, words, range.mapping, is_excluded);
                    self.search.remaining > 0
                })?;
        }
        for &(low, high) in regions.of_libraries() {
            self.reader.read(low, high, until, |at, words| {
                self.bytes += 8 * words.len() as u64;
                self.search.scan_words(at, words, Mapping::Image, |_| true);
                true
            })?;
        }
        loop {
            let reached = self.search.objects.take_pending();
            if reached.is_empty() {
                return Ok(());
            }
            self.objects(&reached, Mapping::Heap)?;
        }
    }

    /// Searches what it cannot reach.
    pub fn run_lost(&mut self) -> Result<(), Stop> {
        let lost = self.search.objects.lost();
        self.objects(&lost, Mapping::LostObject)
    }

    fn objects(&mut self, objects: &[(u64, u64)], mapping: Mapping) -> Result<(), Stop> {
        let regions = self.regions;
        self.reader.read_pieces(objects, self.until, |at, words| {
            self.bytes += 8 * words.len() as u64;
            let is_excluded = |place| regions.is_of_runtime(place);
            self.search.scan_words(at, words, mapping, is_excluded);
            self.search.remaining > 0
        })
    }
}
