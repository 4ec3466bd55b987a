//! Which calls named which block recently: where to look for the writer when a redzone is found corrupted.
//!
//! A short ring, the same live and in replay. Entries that a check of a block's redzones has cleared are skipped.
//! Replay does not see checks that found nothing, and may name a call or two more.

use crate::api::block::Block;
use crate::evidence::plural::bytes;
use aclsan_log::{BlockId, CallSiteId};

/// Calls that a finding names at most: on the block, and on its neighbor.
const MAX_WRITERS: usize = 2;
const MAX_NEIGHBOR_WRITERS: usize = 1;

/// A call that wrote a block, or may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RecentWrite {
    block: BlockId,
    address: u64,
    site: CallSiteId,
    /// Whether the block's redzone was intact afterwards.
    is_cleared: bool,
}

/// Calls that are kept: as many as a `u8` can index.
const RING_LEN: usize = 1 << 8;
/// Numbers that [`RecentWriters::clear_block`] compares at once.
const LANES: usize = 32;

/// The last calls that named blocks.
#[derive(Default)]
pub struct RecentWriters {
    /// A ring: the next entry replaces the oldest. Allocated as a whole with the first entry, because later calls must
    /// not allocate.
    ring: Vec<RecentWrite>,
    /// The low half of the number of each entry's block: a kilobyte to search at each release, not six. Entries that are not used yet
    /// have 0.
    numbers: Vec<u32>,
    next: u8,
}

impl RecentWriters {
    /// A call at `site` was given `block` to write to.
    pub fn named(&mut self, block: &Block, site: CallSiteId) {
        self.named_at(block.id, block.address, site);
    }

    /// [`RecentWriters::named`] for a block with that id and address.
    #[inline(always)]
    pub fn named_at(&mut self, block: BlockId, address: u64, site: CallSiteId) {
        let write = RecentWrite {
            block,
            address,
            site,
            is_cleared: false,
        };
        if self.ring.get(usize::from(self.next.wrapping_sub(1))) == Some(&write) {
            return;
        }
        if let Some(oldest) = self.ring.get_mut(usize::from(self.next)) {
            *oldest = write;
        } else {
            self.add(write);
        }
        self.numbers[usize::from(self.next)] = block.0 as u32;
        self.next = self.next.wrapping_add(1);
    }

    #[inline(never)]
    fn add(&mut self, write: RecentWrite) {
        if self.ring.is_empty() {
            self.ring.reserve_exact(RING_LEN);
            self.numbers = vec![0; RING_LEN];
        }
        self.ring.push(write);
    }

    /// All entries, the latest first.
    fn latest_first(&self) -> impl Iterator<Item = &RecentWrite> {
        let (late, early) = self
            .ring
            .split_at(usize::from(self.next) % self.ring.len().max(1));
        late.iter().rev().chain(early.iter().rev())
    }

    /// The block's redzone after it is intact, so the calls that named it before have not corrupted it. They may have
    /// corrupted the one before the block.
    pub fn clear_block(&mut self, block: BlockId) {
        let number = block.0 as u32;
        for (at, lanes) in self.numbers.as_chunks::<LANES>().0.iter().enumerate() {
            // Without a branch for each number, so that vector instructions compare them.
            if lanes
                .iter()
                .fold(false, |any, &lane| any | (lane == number))
            {
                let writes = self.ring.iter_mut().skip(at * LANES).take(LANES);
                let of_block = writes.filter(|write| write.block == block);
                of_block.for_each(|write| write.is_cleared = true);
            }
        }
    }

    /// Starts of the `most` blocks that were named last.
    pub fn latest(&self, most: usize) -> Vec<u64> {
        let mut starts = Vec::new();
        for write in self.latest_first().filter(|write| !write.is_cleared) {
            if starts.len() == most {
                break;
            }
            if !starts.contains(&write.address) {
                starts.push(write.address);
            }
        }
        starts
    }

    /// What can be said about corruption after `block`, given its nearest live neighbors.
    pub fn hints(
        &self,
        block: &Block,
        before: Option<Block>,
        behind: Option<Block>,
    ) -> WriterHints {
        let sites = |most: usize, is_meant: &dyn Fn(&RecentWrite) -> bool| {
            let mut sites = Vec::new();
            for write in self.latest_first().filter(|write| is_meant(write)) {
                if sites.len() < most && !sites.contains(&write.site) {
                    sites.push(write.site);
                }
            }
            sites
        };
        let of_next = |write: &RecentWrite| behind.is_some_and(|next| next.id == write.block);
        WriterHints {
            named: sites(MAX_WRITERS, &|one| one.block == block.id && !one.is_cleared),
            neighbour_named: sites(MAX_NEIGHBOR_WRITERS, &of_next),
            before,
            behind,
        }
    }
}

/// Hints to a writer.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct WriterHints {
    /// Calls that named the block, latest first.
    pub named: Vec<CallSiteId>,
    /// Calls that named the next block, latest first.
    pub neighbour_named: Vec<CallSiteId>,
    /// The nearest live block before it.
    pub before: Option<Block>,
    /// The nearest live block after it.
    pub behind: Option<Block>,
}

impl WriterHints {
    /// A line for each neighbor of `block`.
    pub(crate) fn neighbors(&self, block: &Block) -> Vec<String> {
        let end = |of: &Block| of.address.saturating_add(of.size);
        let line = |side: &str, neighbor: &Block, between: u64| {
            format!(
                "next {side} it, {} away: a live block of {}, family {}",
                bytes(between),
                bytes(neighbor.size),
                neighbor.family().name(),
            )
        };
        let before = self.before.as_ref().map(|neighbor| {
            line(
                "before",
                neighbor,
                block.address.saturating_sub(end(neighbor)),
            )
        });
        let after = self.behind.as_ref().map(|neighbor| {
            line(
                "after",
                neighbor,
                neighbor.address.saturating_sub(end(block)),
            )
        });
        before.into_iter().chain(after).collect()
    }
}

/// The largest distance between neighbors, in bytes.
pub const NEIGHBOR_DISTANCE: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::*;

    fn numbered(id: u64, address: u64) -> Block {
        Block {
            id: BlockId(id),
            ..device_block(address, 100)
        }
    }

    #[test]
    fn the_last_two_calls_on_a_block_and_the_last_on_its_neighbour_are_named() {
        let (block, next) = (numbered(1, 0x1000), numbered(2, 0x1200));
        let mut recent_writers = RecentWriters::default();
        for site in [3, 4, 5, 5] {
            recent_writers.named(&block, CallSiteId(site));
        }
        recent_writers.named(&next, CallSiteId(6));
        recent_writers.named(&next, CallSiteId(7));
        let hints = recent_writers.hints(&block, None, Some(next));
        assert_eq!(hints.named, [CallSiteId(5), CallSiteId(4)]);
        assert_eq!(hints.neighbour_named, [CallSiteId(7)]);
        // 0x1200 - (0x1000 + 100) = 412
        assert_eq!(
            hints.neighbors(&block),
            ["next after it, 412 bytes away: a live block of 100 bytes, family device"]
        );
    }

    #[test]
    fn a_block_found_whole_clears_those_who_named_it() {
        let (block, other) = (numbered(1, 0x1000), numbered(2, 0x2000));
        let mut recent_writers = RecentWriters::default();
        recent_writers.named(&block, CallSiteId(3));
        recent_writers.named(&other, CallSiteId(4));
        recent_writers.clear_block(block.id);
        assert_eq!(recent_writers.latest(8), [0x2000]);
        assert_eq!(
            recent_writers.hints(&block, None, None),
            WriterHints::default()
        );
    }

    #[test]
    fn a_block_is_cleared_wherever_it_is_and_no_other_with_the_same_half_of_a_number() {
        for at in [0, 1, LANES - 1, LANES, RING_LEN - 1] {
            for kept in [at + 1, RING_LEN] {
                let mut recent_writers = RecentWriters::default();
                for place in 0..kept as u64 {
                    let is_it = place == at as u64;
                    let id = if is_it { 7 } else { 7 + ((place + 1) << 32) };
                    recent_writers.named(&numbered(id, 0x1000 * place), CallSiteId(1));
                }
                recent_writers.clear_block(BlockId(7));
                let cleared = recent_writers.ring.iter().filter(|write| write.is_cleared);
                let cleared: Vec<_> = cleared.map(|write| write.block.0).collect();
                assert_eq!(cleared, [7], "{at} of {kept}");
            }
        }
    }

    #[test]
    fn no_more_are_kept_than_there_is_room_for() {
        let mut recent_writers = RecentWriters::default();
        for id in 0..2 * RING_LEN as u64 {
            recent_writers.named(&numbered(id, 0x1000 * id), CallSiteId(1));
        }
        assert_eq!(recent_writers.ring.len(), RING_LEN);
        assert_eq!(
            recent_writers.latest(1),
            [0x1000 * (2 * RING_LEN as u64 - 1)]
        );
    }
}
