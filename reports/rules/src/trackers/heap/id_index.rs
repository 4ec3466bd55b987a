//! A paged index from block ids to slots, with a sparse rest.
//!
//! An id is a segment of the log and a position in it. Both increase from allocation to allocation, so the ids of known
//! blocks are dense. Each segment has pages and each page has slots, both found by index, and a new id needs no memory
//! that is not in the cache already. A page with few blocks left moves into a hash table, so memory grows with the
//! number of blocks, whatever their ids are.
//!
//! Why not `slab`, `BTreeMap` or `indexmap`: together with [`address_index`](super::address_index), for blocks at
//! addresses in the order in which `malloc` returns memory, 10 million events take 0.45 s instead of 1.21 s (`cargo
//! bench -p aclsan-tests --bench replay`).

use aclsan_log::BlockId;
use prefetch_index::prefetch_index;

use crate::api::fast_hash::FastMap;

/// Ids per page.
const PAGE: usize = 128;
/// Pages per segment. 16 bits of an id are the position in its segment.
const PAGES_PER_SEGMENT: u64 = (1 << 16) / PAGE as u64;
/// Segments that are indexed: 128 GiB of a log. Ids of further segments are sparse.
const MAX_SEGMENTS: u64 = 1 << 21;
/// A page with this many blocks or fewer is not worth its memory; in the table they take no more.
const SPARSE_BELOW: u32 = 4;
/// No slot.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Page {
    /// The page number: the id without its low bits.
    number: u64,
    /// Slots in use, and slots ever filled. A full page gets no more ids.
    used: u32,
    filled: u32,
}

/// Pages, and the ids that are in none.
#[derive(Default)]
pub struct IdIndex {
    /// Slots of all pages, concatenated.
    slots: Vec<u32>,
    pages: Vec<Page>,
    /// By segment: the index of each of its pages, as far as there are any.
    rows: Vec<Vec<u32>>,
    /// Free pages.
    free: Vec<u32>,
    sparse: FastMap<BlockId, u32>,
    /// The page that the last id went to.
    last: Option<(u64, u32)>,
}

/// An id's page number, and its position in the page.
#[inline(always)]
fn split(id: BlockId) -> (u64, usize) {
    (id.0 / PAGE as u64, (id.0 % PAGE as u64) as usize)
}

impl IdIndex {
    /// The slot of an id.
    #[inline]
    pub fn find(&self, id: BlockId) -> Option<u32> {
        let slot = match self.at(self.place(id)) {
            NONE => self.find_sparse(id),
            slot => slot,
        };
        (slot != NONE).then_some(slot)
    }

    /// The position at which [`IdIndex::at`] finds the id's slot if a page has it; otherwise one without a slot.
    #[inline]
    pub fn place(&self, id: BlockId) -> u32 {
        let (number, place) = split(id);
        match self.page(number) {
            NONE => NONE,
            page => page * PAGE as u32 + place as u32,
        }
    }

    #[inline]
    fn page(&self, number: u64) -> u32 {
        let row = self.rows.get((number / PAGES_PER_SEGMENT) as usize);
        let page = row.and_then(|row| row.get((number % PAGES_PER_SEGMENT) as usize));
        page.copied().unwrap_or(NONE)
    }

    /// The slot at a position; [`u32::MAX`] if there is none.
    #[inline]
    pub fn at(&self, place: u32) -> u32 {
        self.slots.get(place as usize).copied().unwrap_or(NONE)
    }

    /// The slot of an id that no page has; [`u32::MAX`] if there is none.
    #[inline(never)]
    pub fn find_sparse(&self, id: BlockId) -> u32 {
        self.sparse.get(&id).copied().unwrap_or(NONE)
    }

    /// Prefetches what [`IdIndex::at`] reads.
    #[inline]
    pub fn fetch(&self, place: u32) {
        if (place as usize) < self.slots.len() {
            prefetch_index(&self.slots, place as usize);
        }
    }

    /// Sets the slot of an id. An older entry in the table is shadowed until it is removed. Returns the position, for
    /// [`IdIndex::remove`].
    #[inline]
    pub fn insert(&mut self, id: BlockId, slot: u32) -> u32 {
        let (number, place) = split(id);
        let at = match self.last {
            Some((last, page)) if last == number => page,
            _ if number / PAGES_PER_SEGMENT >= MAX_SEGMENTS => {
                self.sparse.insert(id, slot);
                return NONE;
            }
            _ => self.page_for(number),
        };
        let place = at as usize * PAGE + place;
        if std::mem::replace(&mut self.slots[place], slot) == NONE {
            let page = &mut self.pages[at as usize];
            page.used += 1;
            page.filled += 1;
        }
        place as u32
    }

    /// Removes an id if it has this slot. `place` is the position that [`IdIndex::insert`] returned. The page may have
    /// been freed since, but a position never holds a slot that was not inserted there.
    #[inline]
    pub fn remove(&mut self, place: u32, id: BlockId, slot: u32) {
        if let Some(known) = self.slots.get_mut(place as usize)
            && *known == slot
        {
            *known = NONE;
            let at = place / PAGE as u32;
            let page = &mut self.pages[at as usize];
            page.used -= 1;
            if page.used <= SPARSE_BELOW {
                self.on_page_shrunk(at);
            }
        } else {
            self.remove_sparse(id, slot);
        }
    }

    #[inline(never)]
    fn remove_sparse(&mut self, id: BlockId, slot: u32) {
        if self.sparse.get(&id) == Some(&slot) {
            self.sparse.remove(&id);
        }
    }

    /// A page has few blocks left.
    fn on_page_shrunk(&mut self, at: u32) {
        let page = self.pages[at as usize];
        match () {
            () if page.filled >= PAGE as u32 => self.make_sparse(at),
            () if page.used == 0 => self.drop_empty_page(at),
            () => {}
        }
    }

    /// The page with that number, created if missing. The next ids will go there.
    #[inline(never)]
    fn page_for(&mut self, number: u64) -> u32 {
        let last = self.last.take();
        if let Some((_, left)) = last.filter(|&(_, page)| self.pages[page as usize].used == 0) {
            self.drop_empty_page(left);
        }
        let page = match self.page(number) {
            NONE => self.add_page(number),
            page => page,
        };
        self.last = Some((number, page));
        page
    }

    fn add_page(&mut self, number: u64) -> u32 {
        let new = Page {
            number,
            used: 0,
            filled: 0,
        };
        let at = self.free.pop().unwrap_or(self.pages.len() as u32);
        match self.pages.get_mut(at as usize) {
            Some(page) => *page = new, // Those that are free have no slots.
            None => {
                self.pages.push(new);
                self.slots.resize(self.pages.len() * PAGE, NONE);
            }
        }
        let segment = (number / PAGES_PER_SEGMENT) as usize;
        if self.rows.len() <= segment {
            self.rows.resize(segment + 1, Vec::new());
        }
        let (row, place) = (
            &mut self.rows[segment],
            (number % PAGES_PER_SEGMENT) as usize,
        );
        if row.len() <= place {
            row.resize(place + 1, NONE);
        }
        row[place] = at;
        at
    }

    /// Frees an empty page, unless the next id may go there.
    fn drop_empty_page(&mut self, at: u32) {
        if self.last.is_none_or(|(_, last)| last != at) {
            self.free_page(at);
        }
    }

    /// Frees a page without slots.
    fn free_page(&mut self, at: u32) {
        let number = self.pages[at as usize].number;
        let row = &mut self.rows[(number / PAGES_PER_SEGMENT) as usize];
        row[(number % PAGES_PER_SEGMENT) as usize] = NONE;
        if row.iter().all(|&page| page == NONE) {
            *row = Vec::new();
        }
        self.free.push(at);
    }

    /// Moves the blocks of a page into the table.
    #[inline(never)]
    fn make_sparse(&mut self, at: u32) {
        let number = self.pages[at as usize].number;
        let first = number * PAGE as u64;
        let slots = self.slots.iter_mut().skip(at as usize * PAGE).take(PAGE);
        for (id, slot) in (first..).map(BlockId).zip(slots) {
            if *slot != NONE {
                self.sparse.insert(id, *slot);
                *slot = NONE;
            }
        }
        self.free_page(at);
        self.last.take_if(|(_, last)| *last == at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: u64 = 7 << 16;

    fn id(number: u64) -> BlockId {
        BlockId(FIRST + number)
    }

    /// Removes an id from wherever it is.
    fn take(numbers: &mut IdIndex, id: BlockId, slot: u32) {
        numbers.remove(numbers.place(id), id, slot);
    }

    #[test]
    fn numbers_keep_their_slots_until_they_are_taken_away() {
        let mut numbers = IdIndex::default();
        for at in 0..1000 {
            numbers.insert(id(at), at as u32);
        }
        for at in (0..1000).filter(|at| at % 3 != 0) {
            take(&mut numbers, id(at), 5000); // not its slot
            assert_eq!(numbers.find(id(at)), Some(at as u32));
            take(&mut numbers, id(at), at as u32);
            take(&mut numbers, id(at), at as u32);
        }
        for at in 0..1000 {
            let slot = (at % 3 == 0).then_some(at as u32);
            assert_eq!(numbers.find(id(at)), slot, "{at}");
        }
        assert_eq!(numbers.find(BlockId(u64::MAX)), None);
    }

    #[test]
    fn segments_that_are_out_of_reach_take_no_more_room_than_others() {
        let mut numbers = IdIndex::default();
        let far = [MAX_SEGMENTS << 16, u64::MAX].map(BlockId);
        assert_eq!(far.map(|id| numbers.insert(id, 3)), [NONE; 2]);
        assert_eq!(far.map(|id| numbers.find(id)), [Some(3); 2]);
        assert!(numbers.rows.is_empty() && numbers.pages.is_empty());
        far.into_iter().for_each(|id| take(&mut numbers, id, 3));
        assert!(numbers.sparse.is_empty());
    }

    #[test]
    fn what_is_left_of_a_page_costs_no_page() {
        let mut numbers = IdIndex::default();
        // One id of each thousand stays: the pages are freed and reused.
        for at in 0..1_000_000 {
            numbers.insert(id(at), 1);
            if at % 1000 != 0 {
                take(&mut numbers, id(at), 1);
            }
        }
        assert!(numbers.pages.len() < 4, "{}", numbers.pages.len());
        assert!(numbers.sparse.len() <= 1000);
        assert!((0..1_000_000).all(|at| numbers.find(id(at)).is_some() == (at % 1000 == 0)));
    }

    #[test]
    fn threads_that_take_turns_leave_no_empty_pages() {
        let mut numbers = IdIndex::default();
        for at in 0..100_000 {
            let id = BlockId(((at % 64) << 16) | (at / 64));
            numbers.insert(id, 1);
            take(&mut numbers, id, 1);
        }
        assert!(numbers.rows.iter().filter(|row| !row.is_empty()).count() <= 1);
        assert!(numbers.pages.len() <= 2, "{}", numbers.pages.len());
    }

    #[test]
    fn a_number_that_comes_again_has_its_last_slot() {
        let mut numbers = IdIndex::default();
        (0..PAGE as u32).for_each(|at| assert_ne!(numbers.insert(id(at.into()), at), NONE));
        (1..PAGE as u64).for_each(|at| take(&mut numbers, id(at), at as u32));
        assert_eq!(numbers.sparse.len(), 1);
        numbers.insert(id(0), 9);
        assert_eq!(numbers.find(id(0)), Some(9));
        take(&mut numbers, id(0), 0);
        assert_eq!(numbers.find(id(0)), Some(9));
        take(&mut numbers, id(0), 9);
        assert_eq!((numbers.find(id(0)), numbers.sparse.len()), (None, 0));
    }

    #[test]
    fn a_number_that_came_again_goes_back_to_what_is_left() {
        let mut numbers = IdIndex::default();
        (0..PAGE as u32).for_each(|at| assert_ne!(numbers.insert(id(at.into()), at), NONE));
        (1..PAGE as u64).for_each(|at| take(&mut numbers, id(at), at as u32));
        numbers.insert(id(0), 9);
        take(&mut numbers, id(0), 9);
        assert_eq!((numbers.find(id(0)), numbers.sparse.len()), (Some(0), 1));
        take(&mut numbers, id(0), 0);
        assert_eq!((numbers.find(id(0)), numbers.sparse.len()), (None, 0));
    }
}
