//! What a scan could not look into: with it, nothing looks lost that may not be.

use super::roots::RootRegions;
use super::search::Search;
use aclsan_log::{Event, Mapping, ScanGap};

/// What a scan could not look into.
#[derive(Default)]
pub struct Gaps {
    /// Threads that went on.
    pub threads: usize,
    /// Heaps of glibc's allocator that could not be taken apart, start and end.
    pub unparsed: Vec<(u64, u64)>,
    /// The allocator, if it is not glibc's.
    pub allocator: Option<ScanGap>,
    /// Blocks that are found only in such heaps, and only in memory that may be that allocator's.
    counts: [u64; 2],
}

impl Gaps {
    /// Counts the blocks that are found only there. `stacks` are addresses on stacks.
    pub fn count(&mut self, search: &Search, stacks: &[u64], regions: &RootRegions) {
        self.unparsed.sort_unstable();
        let is_stack = |place| {
            let range = regions.private_around(place);
            range.is_some_and(|(low, high)| stacks.iter().any(|sp| (low..high).contains(sp)))
        };
        for target in &search.targets {
            let Some((place, Mapping::Heap | Mapping::Anonymous)) = target.found else {
                continue;
            };
            let mut unparsed = self.unparsed.iter();
            if unparsed.any(|&(low, high)| (low..high).contains(&place)) {
                self.counts[0] += 1;
            } else if self.allocator.is_some()
                && search.objects.around(place).is_none()
                && !is_stack(place)
            {
                self.counts[1] += 1;
            }
        }
    }

    /// Those that there are.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        let all = [
            (Some(ScanGap::Threads), self.threads as u64),
            (Some(ScanGap::Glibc), self.counts[0]),
            (self.allocator, self.counts[1]),
        ];
        let known = all.into_iter().filter(|&(_, count)| count > 0);
        known.filter_map(|(what, count)| what.map(|what| Event::Gap { what, count }))
    }
}
