//! Blocks by number, in slots that are used again.
//!
//! Numbers are handed out one after another within a segment of the log, so a row of slots stands for neighbouring numbers: those that are
//! new lie close together, and rows whose blocks are all gone are used again, like segments'.

use std::collections::HashMap;

use aclsan_log::BlockId;

use super::{Held, IdHash};
use crate::block::End;

/// Numbers in a row: two cache lines of slots.
const ROW: usize = 32;
/// No slot, and no row.
const NONE: u32 = u32::MAX;

/// A block that is known.
#[derive(Clone, Copy)]
pub struct Slot {
    pub held: Held,
    /// How far behind its start no other block begins, or nearer.
    pub room: u64,
    pub state: State,
}

/// What became of a slot's block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    Free,
    Live,
    Ended(End),
}

struct Row {
    used: u32,
    slots: [u32; ROW],
}

const EMPTY: Row = Row {
    used: 0,
    slots: [NONE; ROW],
};

/// The rows of one segment, by number, and how many there are.
#[derive(Default)]
struct Segment {
    used: u32,
    rows: Vec<u32>,
}

/// All slots.
#[derive(Default)]
pub struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
    segments: HashMap<u64, Segment, IdHash>,
    rows: Vec<Row>,
    free_rows: Vec<u32>,
}

impl Slots {
    /// The slot of a number.
    #[inline]
    pub fn find(&self, id: BlockId) -> Option<u32> {
        let (segment, row, at) = place(id);
        let row = *self.segments.get(&segment)?.rows.get(row)?;
        let slot = self.rows.get(row as usize)?.slots[at];
        (slot != NONE).then_some(slot)
    }

    pub fn get(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    pub fn get_mut(&mut self, slot: u32) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    /// Gives a live block a slot.
    pub fn insert(&mut self, held: Held, room: u64) -> u32 {
        let new = Slot {
            held,
            room,
            state: State::Live,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = new;
                slot
            }
            None => {
                self.slots.push(new);
                self.slots.len() as u32 - 1
            }
        };
        self.number(held.block.id, slot);
        slot
    }

    /// Puts a live block where another was, which is forgotten.
    pub fn replace(&mut self, slot: u32, held: Held) {
        let known = &mut self.slots[slot as usize];
        let old = std::mem::replace(&mut known.held, held);
        known.state = State::Live;
        self.unnumber(old.block.id);
        self.number(held.block.id, slot);
    }

    /// Forgets a block.
    pub fn remove(&mut self, slot: u32) {
        let known = &mut self.slots[slot as usize];
        if known.state != State::Free {
            known.state = State::Free;
            let id = known.held.block.id;
            self.free.push(slot);
            self.unnumber(id);
        }
    }

    /// Blocks that are known, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        let slots = self.slots.iter();
        slots.filter(|slot| slot.state != State::Free)
    }

    #[inline]
    fn number(&mut self, id: BlockId, slot: u32) {
        let (segment, row, at) = place(id);
        let segment = self.segments.entry(segment).or_default();
        if segment.rows.len() <= row {
            segment.rows.resize(row + 1, NONE);
        }
        let known = &mut segment.rows[row];
        if *known == NONE {
            segment.used += 1;
            *known = self.free_rows.pop().unwrap_or_else(|| {
                self.rows.push(EMPTY);
                self.rows.len() as u32 - 1
            });
        }
        let row = &mut self.rows[*known as usize];
        row.used += u32::from(row.slots[at] == NONE);
        row.slots[at] = slot;
    }

    #[inline]
    fn unnumber(&mut self, id: BlockId) {
        let (key, row, at) = place(id);
        let Some(segment) = self.segments.get_mut(&key) else {
            return;
        };
        let Some(known) = segment.rows.get_mut(row).filter(|row| **row != NONE) else {
            return;
        };
        let row = &mut self.rows[*known as usize];
        if row.slots[at] != NONE {
            row.slots[at] = NONE;
            row.used -= 1;
            if row.used == 0 {
                self.free_rows.push(std::mem::replace(known, NONE));
                segment.used -= 1;
                if segment.used == 0 {
                    self.segments.remove(&key);
                }
            }
        }
    }
}

/// A number's segment, the row in it, and the place in that.
fn place(id: BlockId) -> (u64, usize, usize) {
    let place = usize::from(id.place());
    (id.0 >> 16, place / ROW, place % ROW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::tests::device_block;

    fn held(id: u64) -> Held {
        Held {
            block: device_block(id, 0x1000 * id, 16),
            since_ns: 0,
            thread: 1,
            is_named: false,
            order: id,
        }
    }

    #[test]
    fn memory_goes_with_blocks_and_not_with_numbers() {
        let mut slots = Slots::default();
        for id in 1..100_000 {
            let slot = slots.insert(held(id), 0);
            assert_eq!(slots.find(BlockId(id)), Some(slot));
            slots.remove(slot);
            assert_eq!(slots.find(BlockId(id)), None);
        }
        assert_eq!((slots.slots.len(), slots.segments.len()), (1, 0));
        assert_eq!(slots.rows.len(), slots.free_rows.len());
        // One in each row of 32.
        for n in 0..1000 {
            slots.insert(held(1 + 32 * n), 0);
        }
        let used = slots.rows.len() - slots.free_rows.len();
        assert_eq!((slots.slots.len(), used), (1000, 1000));
        assert_eq!(slots.iter().count(), 1000);
    }

    #[test]
    fn a_slot_that_is_taken_over_is_found_by_its_new_number_alone() {
        let mut slots = Slots::default();
        let slot = slots.insert(held(1), 7);
        slots.replace(slot, held(u64::MAX >> 13));
        assert_eq!(slots.find(BlockId(1)), None);
        assert_eq!(slots.find(BlockId(u64::MAX >> 13)), Some(slot));
        slots.remove(slot);
        slots.remove(slot);
        assert_eq!((slots.free.len(), slots.iter().count()), (1, 0));
    }
}
