//! What the next events will ask for, looked up for all of them beforehand.
//!
//! A heap of many blocks lies in memory that the processor has to wait for, and what judges one event must know what the event before left.
//! Lookups alone need not wait for one another: made together, they share the waiting, and judging finds everything at hand.

use std::hint::black_box;

use aclsan_log::BlockId;

use super::Heap;

/// Events that are worth looking up together: what they need stays in the first cache until they are judged.
pub const AHEAD: usize = 32;

/// What an event will ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// A block by its number.
    Block(BlockId),
    /// What begins, or has ended, at an address.
    Start(u64),
    /// Nothing that is worth a look.
    Nothing,
}

/// Where something was when it was looked up beforehand: it may have gone since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hint(pub(super) u32);

impl Hint {
    /// Nobody looked, or there was nothing.
    pub const NONE: Self = Self(u32::MAX);
}

impl Heap {
    /// Looks for what [`AHEAD`] events at most will ask for, and has memory fetch it. Changes nothing.
    #[inline]
    pub fn look_ahead(&self, asked: impl Iterator<Item = Asked> + Clone) -> [Hint; AHEAD] {
        let mut hints = [Hint::NONE; AHEAD];
        let blocks = &self.blocks;
        // One loop for each look, so that those of all events are under way at once.
        for (hint, asked) in hints.iter_mut().zip(asked.clone()) {
            if let Asked::Block(id) = asked {
                hint.0 = blocks.place(id);
            }
        }
        hints.iter_mut().for_each(|hint| hint.0 = blocks.at(hint.0));
        let starts = asked.map(|asked| match asked {
            Asked::Start(address) => blocks.ended_at(address),
            Asked::Block(_) | Asked::Nothing => Hint::NONE,
        });
        let touched = hints.iter().copied().chain(starts);
        black_box(touched.fold(0, |sum, hint| sum ^ blocks.touch(hint)));
        hints
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::tests::device_block;
    use aclsan_log::SiteId;

    #[test]
    fn a_hint_that_is_out_of_date_misleads_nobody() {
        let mut heap = Heap::default();
        let site = SiteId(9);
        let look = |heap: &Heap| {
            let asked = [
                Asked::Block(BlockId(1)),
                Asked::Nothing,
                Asked::Start(0x1000),
            ];
            let [block, rest @ ..] = heap.look_ahead(asked.into_iter());
            assert!(rest.iter().all(|hint| *hint == Hint::NONE));
            block
        };
        let nowhere = look(&heap);
        let again = device_block(2, 0x1000, 16);
        let first = heap.hold_plainly(device_block(1, 0x1000, 16), 0, 1);
        assert!(first.is_some(), "nothing lies there");
        let block = look(&heap);
        assert!(heap.hold_plainly(again, 0, 1).is_none(), "it lives");
        let release = |heap: &mut Heap, hint, id| {
            let held = heap.release_if(hint, BlockId(id), site, |_| true);
            held.map(|held| held.block.id)
        };
        assert_eq!(release(&mut heap, nowhere, 1), Some(BlockId(1)));
        assert_eq!(release(&mut heap, block, 1), None, "it has ended");
        let held = heap.hold_plainly(again, 5, 1).expect("its memory is free");
        assert_eq!((held.order, held.since_ns), (1, 5));
        assert_eq!(release(&mut heap, block, 1), None, "another is there now");
        assert_eq!(release(&mut heap, block, 2), Some(BlockId(2)));
        // Where the next block begins there is room for 0x40, and no more.
        heap.allocate(device_block(3, 0x1040, 16), 0, 1);
        assert!(
            heap.hold_plainly(device_block(4, 0x1000, 0x41), 0, 1)
                .is_none()
        );
        assert!(
            heap.hold_plainly(device_block(4, 0x1008, 16), 0, 1)
                .is_none()
        );
        assert!(
            heap.hold_plainly(device_block(4, 0x1000, 0x40), 0, 1)
                .is_some()
        );
    }
}
