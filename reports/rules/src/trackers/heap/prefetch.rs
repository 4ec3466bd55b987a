//! What the next events will ask for, looked up before they are judged.
//!
//! A heap of many blocks lies in memory that the processor has to wait for. So what is found of the next events is fetched while those in hand
//! are judged, as is what will be read to find those of the events after them: neither is waited for.

use aclsan_log::batch::{Step, What};

use super::address_index::Gap;
use super::hint::{AHEAD, Hint};
use super::model::Heap;

/// Blocks that begin where none has ended not long ago: with so many among the steps, the next ones are looked for in the table of all that
/// begin, which costs more, so many times before it is asked again.
const MANY: usize = AHEAD / 8;
const AGAIN: usize = 32;

impl Heap {
    /// Has memory fetch where [`Heap::look_ahead`] will look for what these steps release.
    #[inline]
    pub fn fetch(&self, steps: &[Step]) {
        for step in steps {
            if let What::Release { block, .. } = step.what {
                self.blocks.fetch_place(block);
            }
        }
    }

    /// Looks for what allocations and releases will ask for, [`AHEAD`] steps at most, and has memory fetch it. Gives back where the block is
    /// that each step releases, or that likely begins where it allocates; good for as long as no more than one other look is made. Changes
    /// nothing.
    #[inline]
    pub fn look_ahead(&mut self, steps: &[Step]) -> [Hint; AHEAD] {
        let elsewhere = std::mem::take(&mut self.elsewhere);
        self.scattered = match self.scattered {
            0 if elsewhere >= MANY => AGAIN,
            scattered => scattered.saturating_sub(1),
        };
        let is_scattered = self.scattered > 0;
        let blocks = &self.blocks;
        let mut hints = [Hint::NONE; AHEAD];
        for (step, hint) in steps.iter().zip(&mut hints) {
            *hint = match step.what {
                What::Release { block, .. } => blocks.find(block).map_or(Hint::NONE, Hint),
                What::Allocation { address, .. } if is_scattered => blocks.may_begin(address),
                What::Allocation { address, .. } => blocks.ended_at(address),
                What::Short(_) | What::Fill(_) | What::Other(_) => Hint::NONE,
            };
            blocks.fetch(*hint);
        }
        if is_scattered {
            self.look_for_spots(steps, &mut hints);
        }
        hints
    }

    /// Looks for where blocks will begin that begin where none is filed.
    #[inline]
    fn look_for_spots(&mut self, steps: &[Step], hints: &mut [Hint; AHEAD]) {
        let mut starts = [0; AHEAD];
        let mut count = 0;
        self.turn ^= 1;
        for (step, hint) in steps.iter().zip(hints) {
            if let What::Allocation { address, .. } = step.what
                && *hint == Hint::NONE
            {
                *hint = Hint::of_spot(self.turn * AHEAD + count);
                starts[count] = address;
                count += 1;
            }
        }
        let spots = &mut self.spots[self.turn][..count];
        // One loop for each look, so that those of all steps are under way at once.
        for (spot, &start) in spots.iter_mut().zip(&starts) {
            *spot = self.starts.near(start);
        }
        for (spot, &start) in spots.iter_mut().zip(&starts) {
            *spot = self.starts.spot(*spot, start);
        }
        for spot in spots {
            if let Some(slot) = self.starts.slot_before(*spot) {
                self.blocks.fetch(Hint(slot));
            }
        }
    }

    /// What is around the place of a block, if it was looked for and is still there.
    #[inline]
    pub(super) fn gap_at(&self, hint: Hint, start: u64) -> Option<Gap> {
        let spots = self.spots.as_flattened();
        self.starts.gap_at(*spots.get(hint.spot()?)?, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trackers::heap::tests::device_block;
    use aclsan_log::{BlockId, SiteId};

    #[test]
    fn a_hint_that_is_out_of_date_misleads_nobody() {
        let mut heap = Heap::default();
        let site = SiteId(9);
        let look = |heap: &mut Heap| {
            let steps = [
                What::Release {
                    block: BlockId(1),
                    site,
                },
                What::Other(0),
                What::Allocation {
                    block: BlockId(2),
                    site,
                    address: 0x1000,
                    size: 16,
                },
            ];
            let steps = steps.map(|what| Step {
                ns: 0,
                tid: 0,
                what,
            });
            let [block, rest @ ..] = heap.look_ahead(&steps);
            assert!(rest.iter().all(|hint| *hint == Hint::NONE));
            block
        };
        let nowhere = look(&mut heap);
        let again = device_block(2, 0x1000, 16);
        let first = heap.hold_plainly(Hint::NONE, device_block(1, 0x1000, 16), 0, 1);
        assert!(first.is_some(), "nothing lies there");
        let block = look(&mut heap);
        assert!(
            heap.hold_plainly(Hint::NONE, again, 0, 1).is_none(),
            "it lives"
        );
        let release = |heap: &mut Heap, hint, id| {
            let held = heap.release_plainly(hint, BlockId(id), site, |_| true);
            held.map(|(_, at)| heap.held_at(at).block.id)
        };
        assert_eq!(release(&mut heap, nowhere, 1), Some(BlockId(1)));
        assert_eq!(release(&mut heap, block, 1), None, "it has ended");
        let at = heap
            .hold_plainly(Hint::NONE, again, 5, 1)
            .expect("its memory is free");
        let held = heap.held_at(at);
        assert_eq!((held.order, held.since_ns), (1, 5));
        assert_eq!(release(&mut heap, block, 1), None, "another is there now");
        assert_eq!(release(&mut heap, block, 2), Some(BlockId(2)));
        // Where the next block begins there is room for 0x40, and no more.
        heap.allocate(device_block(3, 0x1040, 16), 0, 1);
        assert!(
            heap.hold_plainly(Hint::NONE, device_block(4, 0x1000, 0x41), 0, 1)
                .is_none()
        );
        assert!(
            heap.hold_plainly(Hint::NONE, device_block(4, 0x1008, 16), 0, 1)
                .is_none()
        );
        assert!(
            heap.hold_plainly(Hint::NONE, device_block(4, 0x1000, 0x40), 0, 1)
                .is_some()
        );
    }
}
