//! Slots by the number of their block.
//!
//! A number is a segment of the log and a place there, and both rise from allocation to allocation: those of known blocks lie close together.
//! So a segment has pages and a page has slots, each found by its index, and a new number needs no memory that is not at hand. A page with
//! few blocks left goes into a table instead, so that memory goes with blocks, whatever their numbers are.

use aclsan_log::BlockId;
use prefetch_index::prefetch_index;

use crate::api::fast_hash::FastMap;

/// Numbers of a page.
const PAGE: usize = 128;
/// Pages of a segment, of whose blocks 16 bits of the number tell the place.
const PAGES_PER_SEGMENT: u64 = (1 << 16) / PAGE as u64;
/// Segments whose pages are found by index, 128 GiB of a log. Those behind go into the table.
const MAX_SEGMENTS: u64 = 1 << 21;
/// Blocks of a page that are not worth its room: they take no more of the table.
const SPARSE_BELOW: u32 = 4;
/// No slot.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Page {
    /// The page's number.
    number: u64,
    /// Blocks that it has, and those that it ever got: with all of them it fills no further.
    used: u32,
    filled: u32,
}

/// Pages, and the blocks that are in none.
#[derive(Default)]
pub struct IdIndex {
    /// Of all pages, one behind the other.
    slots: Vec<u32>,
    pages: Vec<Page>,
    /// By segment: which page has each of its pages of numbers, as far as there are any.
    rows: Vec<Vec<u32>>,
    /// Pages that are free.
    free: Vec<u32>,
    sparse: FastMap<BlockId, u32>,
    /// Where the last number went.
    last: Option<(u64, u32)>,
}

/// The page of a number, and its place there.
#[inline(always)]
fn split(id: BlockId) -> (u64, usize) {
    (id.0 / PAGE as u64, (id.0 % PAGE as u64) as usize)
}

impl IdIndex {
    /// The slot of a number.
    #[inline]
    pub fn find(&self, id: BlockId) -> Option<u32> {
        let slot = match self.at(self.place(id)) {
            NONE => self.find_sparse(id),
            slot => slot,
        };
        (slot != NONE).then_some(slot)
    }

    /// Where [`IdIndex::at`] finds its slot, if it is in a page; else a place where there is none.
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

    /// The slot at a place; [`u32::MAX`] for none.
    #[inline]
    pub fn at(&self, place: u32) -> u32 {
        self.slots.get(place as usize).copied().unwrap_or(NONE)
    }

    /// The slot of a number that has none at its place; [`u32::MAX`] for none.
    #[inline(never)]
    pub fn find_sparse(&self, id: BlockId) -> u32 {
        self.sparse.get(&id).copied().unwrap_or(NONE)
    }

    /// Has memory fetch what [`IdIndex::at`] reads.
    #[inline]
    pub fn fetch(&self, place: u32) {
        if (place as usize) < self.slots.len() {
            prefetch_index(&self.slots, place as usize);
        }
    }

    /// Gives a number a slot, in place of any that it has. Where that is in the table, it stays there, out of sight, until it is taken away.
    /// Tells its place, for [`IdIndex::remove`].
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

    /// A number has no slot any more, if it has this one. `place` is where it was put; the page may have gone since, but no place has a slot
    /// that was not put there with it.
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

    /// Few blocks are left of a page.
    fn on_page_shrunk(&mut self, at: u32) {
        let page = self.pages[at as usize];
        match () {
            () if page.filled >= PAGE as u32 => self.make_sparse(at),
            () if page.used == 0 => self.drop_empty_page(at),
            () => {}
        }
    }

    /// The page of that number, made where there is none: the next numbers will be of it.
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

    /// A page that is empty goes, unless the next number may be of it.
    fn drop_empty_page(&mut self, at: u32) {
        if self.last.is_none_or(|(_, last)| last != at) {
            self.free_page(at);
        }
    }

    /// A page without slots is of no number any more.
    fn free_page(&mut self, at: u32) {
        let number = self.pages[at as usize].number;
        let row = &mut self.rows[(number / PAGES_PER_SEGMENT) as usize];
        row[(number % PAGES_PER_SEGMENT) as usize] = NONE;
        if row.iter().all(|&page| page == NONE) {
            *row = Vec::new();
        }
        self.free.push(at);
    }

    /// The blocks of a page go into the table.
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

    /// Takes it from where it is now.
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
        // Of each thousand numbers one stays: the pages go, their places serve again.
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
