//! Looks up the blocks of the next events before they are judged.
//!
//! A heap of many blocks does not fit the CPU's caches. So the blocks of the next events are prefetched while the
//! current ones are judged, and so is what the lookups for the events after those will read. The CPU then waits for
//! neither.

use aclsan_log::batch::{BatchEntry, EventKind};

use super::address_index::InsertPoint;
use super::hint::{LOOKAHEAD, PrefetchHint};
use super::model::Heap;

/// If this many of the steps allocate where no block was freed recently, the next steps are looked up in the index of
/// all addresses, which costs more, for this many rounds before the cheap lookup is tried again.
const MANY_MISSES: usize = LOOKAHEAD / 8;
const LOOKUP_ROUNDS: usize = 32;

impl Heap {
    /// Prefetches what [`Heap::look_ahead`] will read for the releases of these steps.
    #[inline]
    pub fn fetch(&self, steps: &[BatchEntry]) {
        for step in steps {
            if let EventKind::Release { block, .. } = step.what {
                self.blocks.fetch_place(block);
            }
        }
    }

    /// Looks up and prefetches what allocations and releases will need, for up to [`LOOKAHEAD`] steps. Returns the slot
    /// of the block that each step releases, or that probably begins where it allocates. The hints stay valid until the
    /// second lookahead after this one. Does not change the model.
    #[inline]
    pub fn look_ahead(&mut self, steps: &[BatchEntry]) -> [PrefetchHint; LOOKAHEAD] {
        let misses = std::mem::take(&mut self.misses);
        self.index_lookups = match self.index_lookups {
            0 if misses >= MANY_MISSES => LOOKUP_ROUNDS,
            index_lookups => index_lookups.saturating_sub(1),
        };
        let is_scattered = self.index_lookups > 0;
        let blocks = &self.blocks;
        let mut hints = [PrefetchHint::NONE; LOOKAHEAD];
        for (step, hint) in steps.iter().zip(&mut hints) {
            *hint = match step.what {
                EventKind::Release { block, .. } => {
                    blocks.find(block).map_or(PrefetchHint::NONE, PrefetchHint)
                }
                EventKind::Allocation { address, .. } if is_scattered => blocks.may_begin(address),
                EventKind::Allocation { address, .. } => blocks.ended_at(address),
                EventKind::Short(_) | EventKind::Fill(_) | EventKind::Other(_) => {
                    PrefetchHint::NONE
                }
            };
            blocks.fetch(*hint);
        }
        if is_scattered {
            self.look_up_cursors(steps, &mut hints);
        }
        hints
    }

    /// Looks up where new blocks will go that begin where no block is known.
    #[inline]
    fn look_up_cursors(&mut self, steps: &[BatchEntry], hints: &mut [PrefetchHint; LOOKAHEAD]) {
        let mut starts = [0; LOOKAHEAD];
        let mut count = 0;
        self.turn ^= 1;
        for (step, hint) in steps.iter().zip(hints) {
            if let EventKind::Allocation { address, .. } = step.what
                && *hint == PrefetchHint::NONE
            {
                *hint = PrefetchHint::of_cursor(self.turn * LOOKAHEAD + count);
                starts[count] = address;
                count += 1;
            }
        }
        let cursors = &mut self.cursors[self.turn][..count];
        // One loop per lookup, so that the memory accesses of all steps overlap.
        for (cursor, &start) in cursors.iter_mut().zip(&starts) {
            *cursor = self.starts.near(start);
        }
        for (cursor, &start) in cursors.iter_mut().zip(&starts) {
            *cursor = self.starts.cursor(*cursor, start);
        }
        for cursor in cursors {
            if let Some(slot) = self.starts.slot_before(*cursor) {
                self.blocks.fetch(PrefetchHint(slot));
            }
        }
    }

    /// The insert point of a block, if it was looked up and is still right.
    #[inline]
    pub(super) fn insert_point_at(&self, hint: PrefetchHint, start: u64) -> Option<InsertPoint> {
        let cursors = self.cursors.as_flattened();
        self.starts
            .insert_point_at(*cursors.get(hint.cursor()?)?, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trackers::heap::tests::device_block;
    use aclsan_log::{BlockId, CallSiteId};

    #[test]
    fn a_hint_that_is_out_of_date_misleads_nobody() {
        let mut heap = Heap::default();
        let site = CallSiteId(9);
        let look = |heap: &mut Heap| {
            let steps = [
                EventKind::Release {
                    block: BlockId(1),
                    site,
                },
                EventKind::Other(0),
                EventKind::Allocation {
                    block: BlockId(2),
                    site,
                    address: 0x1000,
                    size: 16,
                },
            ];
            let steps = steps.map(|what| BatchEntry {
                ns: 0,
                tid: 0,
                what,
            });
            let [block, rest @ ..] = heap.look_ahead(&steps);
            assert!(rest.iter().all(|hint| *hint == PrefetchHint::NONE));
            block
        };
        let nowhere = look(&mut heap);
        let again = device_block(2, 0x1000, 16);
        let first = heap.insert_fast(PrefetchHint::NONE, device_block(1, 0x1000, 16), 0, 1);
        assert!(first.is_some(), "nothing lies there");
        let block = look(&mut heap);
        assert!(
            heap.insert_fast(PrefetchHint::NONE, again, 0, 1).is_none(),
            "it lives"
        );
        let release = |heap: &mut Heap, hint, id| {
            let live = heap.release_fast(hint, BlockId(id), site, |_| true);
            live.map(|(_, at)| heap.block_at(at).block.id)
        };
        assert_eq!(release(&mut heap, nowhere, 1), Some(BlockId(1)));
        assert_eq!(release(&mut heap, block, 1), None, "it has ended");
        let at = heap
            .insert_fast(PrefetchHint::NONE, again, 5, 1)
            .expect("its memory is free");
        let live = heap.block_at(at);
        assert_eq!((live.order, live.since_ns), (1, 5));
        assert_eq!(release(&mut heap, block, 1), None, "another is there now");
        assert_eq!(release(&mut heap, block, 2), Some(BlockId(2)));
        // The next block begins after 0x40 bytes.
        heap.allocate(device_block(3, 0x1040, 16), 0, 1);
        assert!(
            heap.insert_fast(PrefetchHint::NONE, device_block(4, 0x1000, 0x41), 0, 1)
                .is_none()
        );
        assert!(
            heap.insert_fast(PrefetchHint::NONE, device_block(4, 0x1008, 16), 0, 1)
                .is_none()
        );
        assert!(
            heap.insert_fast(PrefetchHint::NONE, device_block(4, 0x1000, 0x40), 0, 1)
                .is_some()
        );
    }
}
