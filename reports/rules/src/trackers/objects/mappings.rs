//! Mappings in reserved address ranges: live and ended mappings, and the runs that live ones form.

use crate::api::block::{Block, End};
use std::collections::BTreeMap;

/// Ended mappings that are kept.
const MAX_ENDED: usize = 1 << 12;

/// A mapping.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mapping {
    /// A mapping: addresses, call, device.
    pub block: Block,
    /// The memory's handle, 0 if unknown.
    pub handle: u64,
    /// How it ended, if it did.
    pub end: Option<End>,
}

impl Mapping {
    fn start(&self) -> u64 {
        self.block.address
    }

    fn end_address(&self) -> u64 {
        self.block.address.saturating_add(self.block.size)
    }
}

/// The mappings of a process. They do not overlap.
#[derive(Default)]
pub struct Mappings {
    by_start: BTreeMap<u64, Mapping>,
    /// Runs of adjacent live mappings: start and end. A copy looks up one run, however many mappings it crosses.
    runs: BTreeMap<u64, u64>,
    ended: usize,
}

impl Mappings {
    /// Something was mapped, which replaces whatever was known of these addresses.
    pub fn add(&mut self, block: Block, handle: u64) {
        let mapping = Mapping {
            block,
            handle,
            end: None,
        };
        self.forget(mapping.start(), mapping.end_address());
        self.by_start.insert(mapping.start(), mapping);
        self.join(&mapping);
    }

    /// The live mapping that starts at `address` ended.
    pub fn end(&mut self, address: u64, end: End) {
        let live = self.by_start.get_mut(&address);
        let Some(mapping) = live.filter(|mapping| mapping.end.is_none()) else {
            return;
        };
        mapping.end = Some(end);
        let mapping = *mapping;
        self.split_run(&mapping);
        self.ended += 1;
        if self.ended > MAX_ENDED {
            self.by_start.retain(|_, mapping| mapping.end.is_none());
            self.ended = 0;
        }
    }

    /// The mapping that starts at `address` did not end after all.
    pub fn revive(&mut self, address: u64) {
        if let Some(mapping) = self.by_start.get_mut(&address)
            && mapping.end.take().is_some()
        {
            let mapping = *mapping;
            self.ended -= 1;
            self.join(&mapping);
        }
    }

    /// Forgets mappings that have addresses in `from..to`.
    pub fn forget(&mut self, from: u64, to: u64) {
        let gone: Vec<Mapping> = self.within(from, to).copied().collect();
        for mapping in gone {
            self.by_start.remove(&mapping.start());
            match mapping.end {
                Some(_) => self.ended -= 1,
                None => self.split_run(&mapping),
            }
        }
    }

    /// The mapping, live or ended, that contains `address`.
    pub fn at(&self, address: u64) -> Option<&Mapping> {
        let (_, mapping) = self.by_start.range(..=address).next_back()?;
        (address < mapping.end_address()).then_some(mapping)
    }

    /// The live mappings in `from..to`, by address; the first may begin before.
    pub fn live(&self, from: u64, to: u64) -> impl Iterator<Item = &Mapping> {
        self.within(from, to)
            .filter(|mapping| mapping.end.is_none())
    }

    /// Whether the memory of this handle is mapped anywhere.
    pub fn is_mapped(&self, handle: u64) -> bool {
        let mut all = self.by_start.values();
        all.any(|mapping| mapping.end.is_none() && mapping.handle == handle)
    }

    /// All live mappings.
    pub fn all_live(&self) -> impl Iterator<Item = &Mapping> {
        self.by_start
            .values()
            .filter(|mapping| mapping.end.is_none())
    }

    /// Start and end of the run of live mappings that contains `address`.
    pub fn run(&self, address: u64) -> Option<(u64, u64)> {
        let (&start, &end) = self.runs.range(..=address).next_back()?;
        (address < end).then_some((start, end))
    }

    fn within(&self, from: u64, to: u64) -> impl Iterator<Item = &Mapping> {
        let first = self.at(from).map_or(from, Mapping::start);
        self.by_start
            .range(first..to.max(first))
            .map(|(_, mapping)| mapping)
    }

    /// Joins a mapping with the runs next to it.
    fn join(&mut self, mapping: &Mapping) {
        let (mut start, mut end) = (mapping.start(), mapping.end_address());
        if let Some(next_end) = self.runs.remove(&end) {
            end = next_end;
        }
        if let Some((&before, &touch)) = self.runs.range(..start).next_back()
            && touch == start
        {
            start = before;
        }
        self.runs.insert(start, end);
    }

    /// Removes a mapping from its run, which may split it in two.
    fn split_run(&mut self, mapping: &Mapping) {
        let (from, to) = (mapping.start(), mapping.end_address());
        let Some((start, end)) = self.run(from) else {
            return;
        };
        self.runs.remove(&start);
        if start < from {
            self.runs.insert(start, from);
        }
        if to < end {
            self.runs.insert(to, end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn mapped(mappings: &mut Mappings, start: u64, size: u64) {
        mappings.add(block("aclrtMapMem", start, size), start + 1);
    }

    #[test]
    fn mappings_that_touch_form_one_run_in_whatever_order_they_came() {
        let mut mappings = Mappings::default();
        for start in [0x1000, 0x3000, 0x2000, 0x5000] {
            mapped(&mut mappings, start, 0x1000);
        }
        assert_eq!(mappings.run(0x2800), Some((0x1000, 0x4000)));
        assert_eq!(mappings.run(0x4000), None);
        assert_eq!(mappings.run(0x5fff), Some((0x5000, 0x6000)));
    }

    #[test]
    fn a_run_falls_in_two_where_the_middle_is_unmapped_and_heals_when_it_was_not() {
        let mut mappings = Mappings::default();
        for start in [0x1000, 0x2000, 0x3000] {
            mapped(&mut mappings, start, 0x1000);
        }
        mappings.end(0x2000, End::Released(RELEASE_SITE));
        assert_eq!(mappings.run(0x1000), Some((0x1000, 0x2000)));
        assert_eq!(mappings.run(0x2000), None);
        assert_eq!(mappings.run(0x3fff), Some((0x3000, 0x4000)));
        assert!(mappings.at(0x2000).is_some_and(|at| at.end.is_some()));
        mappings.revive(0x2000);
        assert_eq!(mappings.run(0x1000), Some((0x1000, 0x4000)));
    }

    #[test]
    fn what_is_mapped_anew_replaces_what_was_known() {
        let mut mappings = Mappings::default();
        mapped(&mut mappings, 0x1000, 0x2000);
        mappings.end(0x1000, End::Released(RELEASE_SITE));
        mapped(&mut mappings, 0x2000, 0x1000);
        assert_eq!(mappings.at(0x1000), None);
        assert_eq!(mappings.live(0x1000, 0x3000).count(), 1);
        assert!(mappings.is_mapped(0x2001));
        assert!(!mappings.is_mapped(0x1001));
    }

    #[test]
    fn runs_agree_with_pages_on_random_maps_and_unmaps() {
        let (mut mappings, mut pages, mut seed) = (Mappings::default(), [false; 64], 7u64);
        let mut sizes = [0u64; 64];
        for _ in 0..5000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
            let at = (seed >> 33) as usize % 64;
            let size = ((seed >> 40) as usize % 4 + 1).min(64 - at);
            if sizes[at] > 0 {
                mappings.end(at as u64 * 4096, End::Released(RELEASE_SITE));
                pages[at..at + sizes[at] as usize].fill(false);
                sizes[at] = 0;
            } else if !pages[at..at + size].contains(&true) {
                mapped(&mut mappings, at as u64 * 4096, size as u64 * 4096);
                pages[at..at + size].fill(true);
                sizes[at] = size as u64;
            }
            let probe = (seed >> 50) as usize % 64;
            let end = (probe..64).find(|&page| !pages[page]).unwrap_or(64);
            let run = mappings.run(probe as u64 * 4096);
            assert_eq!(run.is_some(), pages[probe]);
            assert!(run.is_none_or(|(_, next_end)| next_end == end as u64 * 4096));
        }
    }
}
