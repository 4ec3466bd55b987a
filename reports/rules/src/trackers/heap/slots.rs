//! Blocks in reused slots, found by id and by where they begin.
//!
//! Indexes store slot numbers only.

use aclsan_log::BlockId;
use hashbrown::HashTable;
use prefetch_index::prefetch_index;

use super::hint::PrefetchHint;
use super::id_index::IdIndex;
use super::live_block::LiveBlock;
use super::slot::Slot;
use crate::api::block::{Block, End};
use crate::api::fast_hash::hash;

/// Recently freed blocks that are found by where they begin.
const RECENTLY_FREED: usize = 1024;
/// Recently named blocks that are.
const NAMED_BY_START: usize = 4096;

/// All slots.
pub struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
    ids: IdIndex,
    keys: HashTable<u32>,
    /// Recently freed blocks, by the low bits of the [`hash`] of their key: programs soon get the same memory again.
    recently_freed: Box<[u32; RECENTLY_FREED]>,
    /// Recently named blocks, by the high bits of the [`hash`] of their start: calls name the same ones again and
    /// again.
    recently_named: Box<[u32; NAMED_BY_START]>,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            ids: IdIndex::default(),
            keys: HashTable::new(),
            recently_freed: Box::new([u32::MAX; RECENTLY_FREED]),
            recently_named: Box::new([u32::MAX; NAMED_BY_START]),
        }
    }
}

impl Slots {
    /// Reserves room for this many blocks without moving any.
    pub fn reserve(&mut self, blocks: usize) {
        self.slots.reserve_exact(blocks);
        let slots = &self.slots;
        (self.keys).reserve(blocks / 8 * 7, |at| hash(slots[*at as usize].key()));
    }

    /// The slot of an id.
    #[inline]
    pub fn find(&self, id: BlockId) -> Option<u32> {
        self.ids.find(id)
    }

    /// Prefetches what [`Slots::find`] reads.
    #[inline]
    pub fn fetch_place(&self, id: BlockId) {
        self.ids.fetch(self.ids.place(id));
    }

    /// A slot whose block was freed recently and may have begun at this address.
    #[inline]
    pub fn ended_at(&self, address: u64) -> PrefetchHint {
        PrefetchHint(self.recently_freed[freed_place(address)])
    }

    /// The slot of the block that is probably stored under `key`; certain only after reading it.
    #[inline]
    pub fn may_begin(&self, key: u64) -> PrefetchHint {
        let likely = self.keys.find(hash(key), |_| true);
        likely.map_or(PrefetchHint::NONE, |&at| PrefetchHint(at))
    }

    /// Prefetches a slot, if there is one with that number. Prefetching an unmapped address would be slow.
    #[inline]
    pub fn fetch(&self, hint: PrefetchHint) {
        if (hint.0 as usize) < self.slots.len() {
            prefetch_index(&self.slots, hint.0 as usize);
        }
    }

    /// The slot of the block stored under `key`.
    #[inline]
    pub fn begins(&self, key: u64) -> Option<u32> {
        let is_it = |at: &u32| self.get(*at).key() == key;
        self.keys.find(hash(key), is_it).copied()
    }

    /// A slot that may have the block that begins at an address: it did when a call last named it.
    #[inline(always)]
    pub fn recently_named_at(&self, address: u64) -> u32 {
        self.recently_named[named_place(address)]
    }

    /// A slot, if there is one with that number.
    #[inline(always)]
    pub fn slot(&self, at: u32) -> Option<&Slot> {
        self.slots.get(at as usize)
    }

    /// [`Slots::begins`] for an address that calls may name again and again.
    #[inline]
    pub fn set_named_at(&mut self, address: u64) -> Option<u32> {
        let at = self.begins(address)?;
        self.recently_named[named_place(address)] = at;
        Some(at)
    }

    #[inline]
    pub fn get(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, slot: u32) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    /// Gives a live block a slot. No other block may be stored under its key.
    pub fn insert(&mut self, live: LiveBlock, room: u64) -> u32 {
        let (id, key) = (live.block.id, live.block.key());
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::FREE);
            self.slots.len() as u32 - 1
        });
        let slots = &self.slots;
        let filed = |at: &u32| hash(slots[*at as usize].key());
        self.keys.insert_unique(hash(key), slot, filed);
        // If two blocks have one id, as in corrupted logs, the later one gets it.
        let place = self.ids.insert(id, slot);
        let new = self.get_mut(slot);
        *new = Slot::of(live);
        new.set_room(room);
        new.place = place;
        slot
    }

    /// Ends the block if it is live in that slot and `is_fit` accepts it. Returns the slot.
    #[inline(always)]
    pub fn end_if(
        &mut self,
        at: u32,
        id: BlockId,
        how: End,
        is_fit: impl FnOnce(&Block) -> bool,
    ) -> Option<&Slot> {
        let slot = self.slots.get_mut(at as usize)?;
        let is_it = slot.id() == id && slot.is_live() && is_fit(&slot.block());
        is_it.then(|| {
            slot.end(Some(how));
            self.recently_freed[freed_place(slot.key())] = at;
            &*slot
        })
    }

    /// Ends the block in a slot.
    #[inline]
    pub fn end(&mut self, at: u32, how: End) {
        let slot = self.get_mut(at);
        slot.end(Some(how));
        let end = freed_place(slot.key());
        self.recently_freed[end] = at;
    }

    /// Replaces a block by a live one that begins at the same key. The room stays.
    #[inline]
    pub fn replace(&mut self, slot: u32, live: LiveBlock) {
        let known = &mut self.slots[slot as usize];
        let (place, before) = (known.place, known.id());
        self.ids.remove(place, before, slot);
        known.replace(live);
        known.place = self.ids.insert(live.block.id, slot);
    }

    /// [`Slots::replace`] for two blocks of memory, the first of which has ended.
    #[inline(always)]
    pub fn replace_ended(&mut self, slot: u32, live: LiveBlock) {
        let known = &mut self.slots[slot as usize];
        let (place, before) = (known.place, known.id());
        self.ids.remove(place, before, slot);
        known.replace_by_memory(live);
        known.place = self.ids.insert(live.block.id, slot);
    }

    /// Forgets a block.
    pub fn remove(&mut self, slot: u32) {
        let known = self.get(slot);
        if !known.is_taken() {
            return;
        }
        let (place, id, key) = (known.place, known.id(), known.key());
        let filed = self.keys.find_entry(hash(key), |at| *at == slot);
        if let Ok(entry) = filed {
            entry.remove();
        }
        self.ids.remove(place, id, slot);
        self.get_mut(slot).free();
        self.free.push(slot);
    }

    /// Freed blocks that are still known, in no particular order.
    pub fn ended(&self) -> impl Iterator<Item = BlockId> {
        let ended = self.slots.iter().filter(|slot| slot.has_ended());
        ended.map(Slot::id)
    }

    /// Live blocks, in no particular order.
    pub fn live(&self) -> impl Iterator<Item = LiveBlock> {
        let live = self.slots.iter().filter(|slot| slot.is_live());
        live.map(Slot::live)
    }
}

/// Position in [`Slots::recently_freed`].
#[inline(always)]
fn freed_place(key: u64) -> usize {
    hash(key) as usize % RECENTLY_FREED
}

/// Position in [`Slots::recently_named`]. Even for blocks at equal distances, as pools place them.
#[inline(always)]
fn named_place(address: u64) -> usize {
    (hash(address) >> (u64::BITS - NAMED_BY_START.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trackers::heap::tests::device_block;

    fn live(id: u64) -> LiveBlock {
        LiveBlock {
            block: device_block(id, 0x1000 * id, 16),
            since_ns: 0,
            thread: 1,
            is_named: false,
            order: id,
            bytes: 16,
        }
    }

    #[test]
    fn memory_goes_with_blocks_and_not_with_numbers() {
        let mut slots = Slots::default();
        for id in 1..100_000 {
            slots.insert(live(id), 0);
            let slot = slots.find(BlockId(id)).expect("it is there");
            assert_eq!(slots.begins(0x1000 * id), Some(slot));
            slots.remove(slot);
            assert_eq!(slots.find(BlockId(id)), None);
            assert_eq!(slots.begins(0x1000 * id), None);
        }
        assert_eq!((slots.slots.len(), slots.live().count()), (1, 0));
        // Three: the smallest capacity of a hashbrown table.
        assert!(slots.keys.capacity() <= 3);
    }

    #[test]
    fn a_slot_that_is_taken_over_is_found_by_its_new_number_alone() {
        let mut slots = Slots::default();
        slots.insert(live(1), 0x1000 + 640);
        let slot = slots.find(BlockId(1)).expect("it is there");
        let mut other = live(1);
        other.block.id = BlockId(u64::MAX >> 13);
        slots.replace(slot, other);
        assert_eq!(slots.find(BlockId(1)), None);
        assert_eq!(slots.find(other.block.id), Some(slot));
        assert_eq!(
            (slots.get(slot).room(), slots.get(slot).live()),
            (0x1000 + 640, other)
        );
        slots.remove(slot);
        slots.remove(slot);
        assert_eq!((slots.free.len(), slots.live().count()), (1, 0));
    }

    #[test]
    fn of_two_blocks_of_one_number_the_later_has_it_until_it_goes() {
        let mut slots = Slots::default();
        slots.insert(live(1), 0);
        let mut twin = live(2);
        twin.block.id = BlockId(1);
        slots.insert(twin, 0);
        let (first, second) = (slots.begins(0x1000), slots.begins(0x2000));
        assert_eq!(slots.find(BlockId(1)), second);
        slots.remove(first.expect("it is there"));
        assert_eq!(slots.find(BlockId(1)), second);
        slots.remove(second.expect("it is there"));
        assert_eq!(slots.find(BlockId(1)), None);
    }

    #[test]
    fn room_is_rounded_down_and_never_reported_too_large() {
        let mut slots = Slots::default();
        slots.insert(live(1), u64::MAX);
        let slot = slots.get_mut(0);
        assert_eq!(slot.room(), 0x1000 + u64::from(u32::MAX) * 16);
        slot.set_room(0x1000 + 31);
        assert_eq!(slot.room(), 0x1000 + 16);
        slot.set_room(0);
        assert_eq!(slot.room(), 0x1000);
    }
}
