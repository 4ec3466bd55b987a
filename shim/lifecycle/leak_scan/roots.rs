//! The memory that may hold pointers of the program.
//!
//! All writable memory, and anonymous memory that was sealed (`mprotect`) and is still readable, except the heaps of glibc's allocator, of
//! which only what is reached counts ([`super::malloc_heap`]). Excluded are: the shim's own memory and its log; the data of the runtime's libraries, and the chunks of libc's heap that they allocated for themselves (libaclsan_free.so
//! reports them); host memory that the program gave back to the runtime; devices; the unused part of the calling thread's stack.

use super::malloc_heap::Heaps;
use super::memory_reader::MemoryReader;
use crate::state::process::Process;
use crate::state::{companion, thread};
use aclsan_log::Mapping;
use aclsan_os::{arena, maps};
use aclsan_rules::api::ascend::libraries;
use aclsan_rules::api::block::Block;
use aclsan_unwind::{modules, registers};
use std::time::Instant;

/// Memory to read.
pub struct Range {
    pub low: u64,
    pub high: u64,
    pub mapping: Mapping,
    /// Whether it belongs to a file, is shared with another process, or is a device's.
    is_shared: bool,
}

/// Facts about the address space, gathered before other threads are stopped: later, nothing may take a lock.
pub struct Known {
    /// Not searched, by start.
    excluded: Vec<(u64, u64)>,
    /// The runtime's libraries.
    libraries: Vec<(u64, u64)>,
    log: Option<String>,
    /// Live blocks of host memory, by start.
    host: Vec<(u64, u64)>,
    released: Vec<(u64, u64)>,
    chunks: Vec<(u64, u64)>,
}

impl Known {
    /// `None` if the shim's own memory cannot be recognized. `low` is where the program's part of this thread's stack begins.
    pub fn of(process: &Process, low: u64) -> Option<Self> {
        let libraries = modules::ranges_of(libraries::notes_blocks);
        let mut excluded = modules::ranges_of(|file| file.starts_with("libaclsan"));
        excluded.extend(&libraries);
        excluded.push(arena::range()?);
        excluded.push(thread::tls_range());
        excluded.extend(process.heap.live.ranges());
        let stack = registers::stack_bounds();
        if (stack.0..stack.1).contains(&low) {
            excluded.push((stack.0, low));
        }
        let (mut host, mut released) = (Vec::new(), Vec::new());
        let range = |block: &Block| (block.address, block.address.saturating_add(block.size));
        process.heap.live.for_each_live(|key, entry| {
            let block = entry.block(key);
            if block.family().is_host() {
                host.push(range(&block));
            }
        });
        process.heap.live.for_each_ended(|key, entry| {
            let block = entry.block(key);
            if block.family().is_host() && !block.family().is_handle() {
                released.push(range(&block));
            }
        });
        let mut chunks = companion::runtime_chunks();
        excluded.sort_unstable();
        host.sort_unstable();
        released.sort_unstable();
        chunks.sort_unstable();
        let log = process
            .log
            .sink
            .path()
            .map(|path| path.display().to_string());
        Some(Self {
            excluded,
            libraries,
            log,
            host,
            released,
            chunks,
        })
    }
}

/// All root regions, and the addresses inside them that are excluded.
pub struct RootRegions {
    list: Vec<Range>,
    /// Data of the runtime's libraries: may hold objects that the program handed over, and pointers to blocks that are the runtime's own.
    runtime: Vec<(u64, u64)>,
    /// What `brk` has grown.
    main_heap: Option<(u64, u64)>,
    /// Private anonymous mappings.
    private: Vec<(u64, u64)>,
    /// Loaded files, by start.
    images: Vec<(u64, u64)>,
    chunks: Vec<(u64, u64)>,
    released: Vec<(u64, u64)>,
}

impl RootRegions {
    /// The mappings of this moment. `None` if the kernel does not say.
    pub fn of(known: Known) -> Option<Self> {
        let maps = std::fs::read_to_string("/proc/thread-self/maps").ok()?;
        let (mut list, mut private) = (Vec::new(), Vec::new());
        let (mut runtime, mut images) = (Vec::new(), Vec::new());
        let mut main_heap: Option<(u64, u64)> = None;
        for line in maps.lines() {
            let Some(mapped) = maps::parse(line) else {
                continue;
            };
            let is_log = known.log.as_deref().is_some_and(|log| mapped.path == log);
            let mapping = match mapped.kind {
                Mapping::Unknown if mapped.is_sealed() => Mapping::Anonymous,
                kind => kind,
            };
            if mapped.kind == Mapping::Image && mapped.is_readable {
                images.push((mapped.low, mapped.high));
            }
            if !(mapped.is_writable || mapped.is_sealed()) || is_log {
                continue;
            }
            match (mapping, main_heap) {
                (Mapping::Heap, Some((low, high))) if high == mapped.low => {
                    main_heap = Some((low, mapped.high));
                }
                (Mapping::Heap, _) => {
                    main_heap = Some((brk_start().unwrap_or(mapped.low), mapped.high));
                }
                (Mapping::Anonymous, _) if mapped.path.is_empty() => {
                    private.push((mapped.low, mapped.high));
                }
                _ => {}
            }
            let within = known
                .libraries
                .iter()
                .map(|&(low, high)| (low.max(mapped.low), high.min(mapped.high)));
            runtime.extend(within.filter(|(low, high)| low < high));
            let is_device = mapped.is_device();
            let pieces = subtract((mapped.low, mapped.high), &known.excluded);
            let pieces = pieces
                .into_iter()
                .filter(|&(low, _)| !is_device || contains_address(&known.host, low));
            list.extend(pieces.map(|(low, high)| Range {
                low,
                high,
                mapping,
                is_shared: mapped.is_shared,
            }));
        }
        Some(Self {
            list,
            runtime,
            main_heap,
            private,
            images,
            chunks: known.chunks,
            released: known.released,
        })
    }

    /// The heaps of glibc's allocator, as they are now.
    pub fn heaps(&self, reader: &mut MemoryReader, until: Instant) -> Heaps {
        let mut heaps = Heaps::default();
        let page = maps::page_size();
        if let Some(range) = self.main_heap {
            heaps.add_main(reader, range, until);
        }
        for &range in &self.private {
            heaps.add_mapping(reader, range, page, until);
        }
        heaps.sort();
        heaps
    }

    /// Loaded files, by start.
    pub fn images(&self) -> &[(u64, u64)] {
        &self.images
    }

    /// The private anonymous mapping that `address` is in.
    pub fn private_around(&self, address: u64) -> Option<(u64, u64)> {
        let mut all = self.private.iter();
        all.find(|&&(low, high)| (low..high).contains(&address))
            .copied()
    }

    /// Memory that is searched for objects of the program only.
    pub fn of_libraries(&self) -> &[(u64, u64)] {
        &self.runtime
    }

    /// The memory to read, without these areas.
    pub fn without(&self, areas: &[(u64, u64)]) -> impl Iterator<Item = Range> {
        self.list.iter().flat_map(|range| {
            let pieces = subtract((range.low, range.high), areas);
            let of_range = |(low, high)| Range {
                low,
                high,
                ..*range
            };
            pieces.into_iter().map(of_range)
        })
    }

    /// Whether the word at `place` is in a chunk of the runtime's own.
    pub fn is_of_runtime(&self, place: u64) -> bool {
        contains_address(&self.chunks, place)
    }

    /// Whether the word at `place` in `range` is not the program's. Released memory that is private by now may belong to anyone.
    pub fn is_excluded(&self, range: &Range, place: u64) -> bool {
        self.is_of_runtime(place) || range.is_shared && contains_address(&self.released, place)
    }
}

/// Where the kernel lets `brk` begin, which need not be a page's start.
fn brk_start() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The name of the process may contain anything; the third field is the first after it. `start_brk` is the 47th.
    let (_, fields) = stat.rsplit_once(')')?;
    fields
        .split_ascii_whitespace()
        .nth(47 - 3)?
        .parse()
        .ok()
        .filter(|&start| start > 0)
}

/// Whether one of the sorted ranges contains the address.
pub(super) fn contains_address(regions: &[(u64, u64)], address: u64) -> bool {
    let behind = regions.partition_point(|range| range.0 <= address);
    behind > 0 && address < regions[behind - 1].1
}

/// `whole` without the sorted `parts`.
fn subtract(whole: (u64, u64), parts: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut left = Vec::new();
    let mut low = whole.0;
    for &(start, end) in parts
        .iter()
        .filter(|part| part.1 > whole.0 && part.0 < whole.1)
    {
        if start > low {
            left.push((low, start));
        }
        low = low.max(end);
    }
    if low < whole.1 {
        left.push((low, whole.1));
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_cuts_a_range_in_pieces() {
        let parts = [(0, 10), (20, 30), (25, 40), (90, 200)];
        assert_eq!(subtract((5, 100), &parts), [(10, 20), (40, 90)]);
        assert_eq!(subtract((300, 400), &parts), [(300, 400)]);
        assert_eq!(subtract((22, 38), &parts), [(0, 0); 0]);
    }

    #[test]
    fn an_address_is_in_the_range_that_begins_before_it() {
        let regions = [(10, 20), (30, 40)];
        let inside = [9, 10, 19, 20, 30, 40].map(|address| contains_address(&regions, address));
        assert_eq!(inside, [false, true, true, false, true, false]);
    }
}
