//! The live blocks, to which pointers are searched for.

use super::objects::Objects;
use crate::state::process::Process;
use aclsan_log::{BlockId, Mapping};
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Loss;

/// A block whose pointers are searched for.
pub struct Target {
    pub start: u64,
    pub end: u64,
    pub id: BlockId,
    pub found: Option<(u64, Mapping)>,
}

/// All targets, by start.
pub struct Search {
    pub targets: Vec<Target>,
    lowest: u64,
    span: u64,
    pub remaining: usize,
    pub objects: Objects,
}

impl Search {
    pub fn new(process: &Process) -> Self {
        let mut targets = Vec::new();
        let mut want = |block: &Block| {
            let is_memory = block.family().loss() == Loss::Memory && !block.family().is_handle();
            if is_memory && block.size > 0 && block.id != BlockId(u64::MAX) {
                targets.push(Target {
                    start: block.address,
                    end: block.address.saturating_add(block.size),
                    id: block.id,
                    found: None,
                });
            }
        };
        process
            .heap
            .live
            .for_each_live(|key, entry| want(&entry.block(key)));
        process
            .heap
            .devices
            .for_each_dropped(|block, _| want(block));
        Self::of(targets)
    }

    fn of(mut targets: Vec<Target>) -> Self {
        targets.sort_unstable_by_key(|target| target.start);
        let lowest = targets.first().map_or(0, |first| first.start);
        let highest = targets.iter().map(|target| target.end).max().unwrap_or(0);
        Self {
            remaining: targets.len(),
            span: highest - lowest,
            lowest,
            targets,
            objects: Objects::default(),
        }
    }

    /// Scans the words at `at`; `is_excluded` says which addresses do not count.
    pub fn scan_words(
        &mut self,
        at: u64,
        words: &[u64],
        mapping: Mapping,
        is_excluded: impl Fn(u64) -> bool,
    ) {
        for (index, &word) in words.iter().enumerate() {
            let place = at + 8 * index as u64;
            if word.wrapping_sub(self.lowest) < self.span {
                self.find(word, place, mapping, &is_excluded);
            }
            // Also from the runtime's own memory: it may keep an object for the program.
            if self.objects.is_near(word) {
                self.objects.reach(word);
            }
        }
    }

    /// A word at `place` may point into a block.
    fn find(&mut self, word: u64, place: u64, mapping: Mapping, is_excluded: impl Fn(u64) -> bool) {
        let after = self.targets.partition_point(|target| target.start <= word);
        let Some(target) = after.checked_sub(1).map(|at| &mut self.targets[at]) else {
            return;
        };
        // A block that points into itself is not reachable by that.
        let is_itself = (target.start..target.end).contains(&place);
        if word < target.end && target.found.is_none() && !is_itself && !is_excluded(place) {
            target.found = Some((place, mapping));
            self.remaining -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(start: u64, end: u64) -> Target {
        Target {
            start,
            end,
            id: BlockId(start),
            found: None,
        }
    }

    #[test]
    fn starts_and_insides_count_and_ends_do_not() {
        let blocks = vec![target(0x2000, 0x3000), target(0x1000, 0x1010)];
        let mut search = Search::of(blocks);
        // In turn: before the first block, after it, inside the second, at the end of the second.
        let words = [0xfff, 0x1010, 0x2fff, 0x3000];
        search.scan_words(0x9000, &words, Mapping::Heap, |_| false);
        let found: Vec<_> = search.targets.iter().map(|target| target.found).collect();
        assert_eq!(found, [None, Some((0x9010, Mapping::Heap))]);
        assert_eq!(search.remaining, 1);
        search.scan_words(0x9000, &[0x1000], Mapping::Stack, |_| false);
        assert_eq!(search.remaining, 0);
    }

    #[test]
    fn places_of_ours_and_a_block_that_points_into_itself_do_not_count() {
        let mut search = Search::of(vec![target(0x2000, 0x3000)]);
        search.scan_words(0x9000, &[0x2000], Mapping::Heap, |place| place == 0x9000);
        search.scan_words(0x2ff8, &[0x2000], Mapping::Heap, |_| false);
        assert_eq!(search.remaining, 1);
        search.scan_words(0x3000, &[0x2000], Mapping::Heap, |_| false);
        assert_eq!(search.remaining, 0);
    }
}
