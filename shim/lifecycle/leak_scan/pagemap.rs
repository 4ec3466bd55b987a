//! Finds populated pages in `/proc/thread-self/pagemap`, so that terabytes of reserved addresses cost little.
//!
//! Kernels since 6.7 answer for a whole range at once (`PAGEMAP_SCAN`); older ones have one entry per page.

use aclsan_os::maps;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// Entries read at once from kernels with one entry per page.
const ENTRIES_PER_READ: u64 = 1 << 13;
/// Bits of an entry: in memory, swapped out.
const HAS_DATA: u64 = 0b11 << 62;
/// Maximum number of ranges in one answer of `PAGEMAP_SCAN`.
const MAX_REGIONS: usize = 256;
/// `_IOWR('f', 16, struct pm_scan_arg)`, of linux/fs.h.
const PAGEMAP_SCAN: libc::c_ulong = 0xc060_6610;
/// `PAGE_IS_PRESENT | PAGE_IS_SWAPPED`.
const PRESENT_OR_SWAPPED: u64 = 1 << 3 | 1 << 4;

/// `struct pm_scan_arg`.
#[repr(C)]
#[derive(Default)]
struct PagemapQuery {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// `struct page_region`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

/// Knows which pages are populated.
pub struct ResidentPages {
    /// `None` if the kernel reveals nothing; then any page may have data.
    map: Option<File>,
    page: u64,
    can_scan: bool,
}

/// Start and end address.
type Range = (u64, u64);

impl ResidentPages {
    /// For this process. Without `can_scan`, `PAGEMAP_SCAN` is not tried.
    pub fn new(can_scan: bool) -> Self {
        Self {
            map: File::open("/proc/thread-self/pagemap").ok(),
            page: maps::page_size(),
            can_scan,
        }
    }

    /// Whether the kernel reveals anything.
    #[cfg(test)]
    pub fn are_known(&self) -> bool {
        self.map.is_some()
    }

    /// Populated ranges from `low` on, and how far towards `high` the answer reaches.
    pub fn populated_ranges(&mut self, low: u64, high: u64) -> (u64, Vec<Range>) {
        let Some(map) = &self.map else {
            return (high, vec![(low, high)]);
        };
        let (first, last) = (low / self.page, high.div_ceil(self.page));
        if self.can_scan {
            if let Some(answer) = pagemap_scan(map, first * self.page, last * self.page) {
                return (answer.0.min(high), answer.1);
            }
            self.can_scan = false;
        }
        let last = last.min(first + ENTRIES_PER_READ);
        let ranges = read_entries(map, first, last, self.page);
        let end = high.min(last * self.page);
        (end, ranges.unwrap_or_else(|| vec![(low, end)]))
    }
}

/// Queries a whole range; `None` if the kernel does not know the query.
fn pagemap_scan(map: &File, start: u64, end: u64) -> Option<(u64, Vec<Range>)> {
    let mut regions = [Region::default(); MAX_REGIONS];
    let mut query = PagemapQuery {
        size: size_of::<PagemapQuery>() as u64,
        start,
        end,
        vec: regions.as_mut_ptr() as u64,
        vec_len: MAX_REGIONS as u64,
        category_anyof_mask: PRESENT_OR_SWAPPED,
        return_mask: PRESENT_OR_SWAPPED,
        ..PagemapQuery::default()
    };
    // SAFETY: the structure and the regions that the kernel fills are ours, as long as they say.
    let count = unsafe { libc::ioctl(map.as_raw_fd(), PAGEMAP_SCAN as _, &raw mut query) };
    let count = usize::try_from(count).ok()?;
    let ranges = regions.iter().take(count);
    // Make progress, whatever the kernel returns.
    (query.walk_end > start).then(|| {
        let ranges = ranges.map(|region| (region.start, region.end));
        (query.walk_end, ranges.collect())
    })
}

/// Queries page by page.
fn read_entries(map: &File, first: u64, last: u64, page: u64) -> Option<Vec<Range>> {
    let mut entries = vec![0; (last - first) as usize * 8];
    map.read_exact_at(&mut entries, first * 8).ok()?;
    let has_data = |entry: &[u8]| {
        let word = entry.first_chunk().copied().map_or(0, u64::from_ne_bytes);
        word & HAS_DATA != 0
    };
    // Entries of holes are all equal: one comparison covers them.
    if entries[8..] == entries[..entries.len() - 8] && !has_data(&entries) {
        return Some(Vec::new());
    }
    let mut ranges: Vec<Range> = Vec::new();
    for (index, entry) in entries.chunks_exact(8).enumerate() {
        let start = (first + index as u64) * page;
        match ranges.last_mut() {
            _ if !has_data(entry) => {}
            Some(before) if before.1 == start => before.1 += page,
            _ => ranges.push((start, start + page)),
        }
    }
    Some(ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_questions_have_the_same_answer() {
        let mut pages = ResidentPages::new(true);
        let Some(map) = &pages.map else { return };
        let (size, page) = (64 * pages.page, pages.page);
        let both = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: lets the kernel choose the place.
        let low = unsafe { libc::mmap(std::ptr::null_mut(), size as usize, both, flags, -1, 0) };
        assert_ne!(low, libc::MAP_FAILED);
        // SAFETY: our own mapping; without huge pages each is touched by itself.
        unsafe { libc::madvise(low, size as usize, libc::MADV_NOHUGEPAGE) };
        let start = low as u64;
        for index in [3, 4, 10] {
            let touched = (start + index * page) as *mut u8;
            // SAFETY: inside the mapping.
            unsafe { touched.write(1) };
        }
        let expected =
            [(3, 5), (10, 11)].map(|(from, to)| (start + from * page, start + to * page));
        let first = start / page;
        assert_eq!(
            read_entries(map, first, first + 64, page).unwrap(),
            expected
        );
        assert_eq!(read_entries(map, first + 20, first + 60, page).unwrap(), []);
        if let Some((end, ranges)) = pagemap_scan(map, start, start + size) {
            assert_eq!((end, ranges.as_slice()), (start + size, &expected[..]));
        }
        assert_eq!(pages.populated_ranges(start, start + size).1, expected);
        // SAFETY: the mapping made above, which nobody refers to any more.
        unsafe { libc::munmap(low, size as usize) };
    }
}
