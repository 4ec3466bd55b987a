//! Stacks that a thread had before the last one.
//!
//! A program that repeats a step comes back to the same stacks, but not to the last one: each differs from the one before in many of its inner
//! frames, which would be walked. A remembered stack is compared instead: if its innermost frame is the same, and all slots that its walk read still
//! hold what they held, a walk would find the same frames.

use super::{Stack, Trace};
use crate::CodeMap;
use crate::frame::Frame;
use crate::step::{Slot, word};
use aclsan_os::cancel::CancelGuard;

/// The depth of a stack that was recalled: its frames are nowhere.
pub const RECALLED: usize = usize::MAX - 1;

impl Stack {
    /// Whether only its hash is known: [`Trace::capture_anew`] finds the frames.
    pub fn is_recalled(self) -> bool {
        self.depth == RECALLED
    }
}

impl<C: CodeMap> Trace<C> {
    /// The current stack, whose innermost frame is `frame`, if it is remembered.
    #[inline(always)]
    pub(super) fn recall(&mut self, frame: &Frame) -> Option<Stack> {
        let hash = self.recall.find(frame)?;
        let depth = RECALLED;
        Some(Stack { hash, depth })
    }

    /// Remembers the last stack, if it was walked before.
    #[inline(always)]
    pub(super) fn remember(&mut self) {
        if let Some(top) = self.depth.checked_sub(1)
            && self.recall.is_wanted(self.stack_hash)
        {
            self.put_last(top);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_last(&mut self, top: usize) {
        let _uncancelled = CancelGuard::enter(); // It allocates.
        let leaf = &self.cached[top];
        let returns = (1..=top).rev().map(|at| self.returns.get(at));
        let is_checked = |at: &usize| self.fp_checked[at / 64] >> (at % 64) & 1 != 0;
        let checked = (1..=top).rev().filter(is_checked);
        let saved = checked.map(|at| self.fp_slots[at]);
        let slots = returns.chain(saved);
        self.recall
            .put(leaf.frame, leaf.fp_live, self.stack_hash, slots);
    }
}

const SETS: usize = 32;
const WAYS: usize = 4;
/// Stacks walked of which a trace is kept, so that only those that come back are remembered.
const SEEN: usize = 256;
/// What remembering may cost before it has paid off: one per stack, earned back by each that is recalled.
const CREDIT: u32 = 2 * (SETS * WAYS) as u32;
/// Without credit, one in this many is remembered all the same: the program may have begun to repeat itself.
const WITHOUT_CREDIT: u32 = 32;

/// What finding a stack saves, in searches in vain: some 200 ns for one that differs from the last in seven frames, and 70.
const SAVED: i32 = 3;
/// The most that is counted of either, so that a program that changes its ways is noticed.
const MAX_SCORE: i32 = 32;
/// While more is lost than saved, a stack is looked for once in this many times.
const PROBE_EVERY: u32 = 16;

/// The remembered stacks of a thread.
pub struct Recall {
    /// Empty until one is remembered.
    stacks: Vec<Remembered>,
    /// A part of the hashes of stacks that were walked, by another part.
    seen: Box<[u32; SEEN]>,
    credit: u32,
    turned_away: u32,
    /// What looking for stacks has saved lately; negative if it cost more.
    score: i32,
    skipped: u32,
    next: usize,
}

#[derive(Clone, Default)]
struct Remembered {
    /// The innermost frame.
    frame: Frame,
    /// All ones if its `fp` is live.
    fp_live: u64,
    hash: u64,
    /// Hashes of the words that the walk read, innermost first: of the first ones and of all.
    inner: u64,
    words: u64,
    /// Where they are, in words above the innermost frame's `sp`; [`LANES`] or a multiple of it. Empty for no stack.
    places: Box<[u16]>,
}

/// Words that are hashed at a time, each into a lane of its own: a chain of products would take longer than the memory.
const LANES: usize = 4;
/// Times that, after which the hash is compared first: most stacks differ in an inner frame.
const INNER: usize = 2;

/// A hash of words.
struct WordHash([u64; LANES]);

impl WordHash {
    const fn new() -> Self {
        Self([1, 3, 5, 7])
    }

    #[inline(always)]
    fn add(&mut self, words: [u64; LANES]) {
        for (lane, word) in self.0.iter_mut().zip(words) {
            *lane = (*lane ^ word)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29);
        }
    }

    #[inline(always)]
    fn get(&self) -> u64 {
        let [a, b, c, d] = self.0;
        (a ^ b.rotate_left(17))
            .wrapping_add((c ^ d.rotate_left(41)).wrapping_mul(0xa076_1d64_78bd_642f))
    }
}

impl Remembered {
    #[inline(always)]
    fn is_at(&self, frame: &Frame) -> bool {
        let fp = (self.frame.fp ^ frame.fp) & self.fp_live;
        (self.frame.pc ^ frame.pc) | (self.frame.sp ^ frame.sp) | fp == 0
    }

    /// Whether the whole stack is the current one, whose innermost frame is `frame`. By hashes: the words and their addresses would take four times
    /// as many lines of the cache as the places.
    #[inline(always)]
    fn is_current(&self, frame: &Frame) -> bool {
        let is_inner = |inner| inner == self.inner;
        self.is_at(frame)
            && !self.places.is_empty()
            && hash_of(frame.sp, &self.places, is_inner) == Some(self.words)
    }
}

/// The hash of the words at these places above `sp`, which the walk has read, or one with the same innermost frame. `None` if `is_inner` says no to
/// that of the first ones.
#[inline(always)]
fn hash_of(sp: u64, places: &[u16], mut is_inner: impl FnMut(u64) -> bool) -> Option<u64> {
    let mut hash = WordHash::new();
    for (at, places) in places.as_chunks::<LANES>().0.iter().enumerate() {
        hash.add(places.map(|place| word(sp + u64::from(place) * 8)));
        if at + 1 == INNER && !is_inner(hash.get()) {
            return None;
        }
    }
    Some(hash.get())
}

impl Recall {
    pub fn new() -> Self {
        Self {
            stacks: Vec::new(),
            seen: Box::new([0; SEEN]),
            credit: CREDIT,
            turned_away: 0,
            score: 0,
            skipped: 0,
            next: 0,
        }
    }

    /// The hash of the stack whose innermost frame is `frame`, if it is remembered.
    #[inline(always)]
    fn find(&mut self, frame: &Frame) -> Option<u64> {
        if self.score < 0 && self.is_skipped() {
            return None;
        }
        let ways = self.stacks.get(set(frame)..)?.first_chunk::<WAYS>()?;
        let Some(known) = ways.iter().find(|known| known.is_current(frame)) else {
            self.score = (self.score - 1).max(-MAX_SCORE);
            return None;
        };
        self.score = (self.score + SAVED).min(MAX_SCORE);
        self.credit = (self.credit + 1).min(CREDIT);
        Some(known.hash)
    }

    /// Whether nothing is looked for this time.
    #[inline(always)]
    fn is_skipped(&mut self) -> bool {
        self.skipped = self.skipped.wrapping_add(1);
        !self.skipped.is_multiple_of(PROBE_EVERY)
    }

    /// A stack with this hash was walked; whether it is worth remembering.
    #[inline(always)]
    fn is_wanted(&mut self, hash: u64) -> bool {
        let (part, seen) = ((hash >> 32) as u32, &mut self.seen[hash as usize % SEEN]);
        if std::mem::replace(seen, part) != part {
            return false;
        }
        if self.credit == 0 {
            self.turned_away += 1;
            return self.turned_away.is_multiple_of(WITHOUT_CREDIT);
        }
        self.credit -= 1;
        true
    }

    /// Remembers a stack; `slots` innermost first. Not one that is too large: nearly all are smaller than the half megabyte that places reach.
    fn put(&mut self, frame: Frame, fp_live: u64, hash: u64, slots: impl Iterator<Item = Slot>) {
        let place = |slot: Slot| {
            let above = slot.address.checked_sub(frame.sp)?;
            let is_kept = above % 8 == 0 && slot.difference() == 0;
            u16::try_from(above / 8).ok().filter(|_| is_kept)
        };
        let Some(mut places) = slots.map(place).collect::<Option<Vec<_>>>() else {
            return;
        };
        let Some(&last) = places.last() else {
            return;
        };
        places.resize(places.len().next_multiple_of(LANES), last);
        if self.stacks.is_empty() {
            self.stacks.resize(SETS * WAYS, Remembered::default());
        }
        self.next = (self.next + 1) % WAYS;
        let (next, set) = (self.next, set(&frame));
        let ways = &mut self.stacks[set..set + WAYS];
        // The same frames may have been reached through other slots.
        let same = ways
            .iter()
            .position(|known| known.hash == hash && known.is_at(&frame));
        let free = || ways.iter().position(|known| known.places.is_empty());
        let way = same.or_else(free).unwrap_or(next);
        let mut inner = 0;
        let words = hash_of(frame.sp, &places, |first| {
            inner = first;
            true
        });
        ways[way] = Remembered {
            frame,
            fp_live,
            hash,
            inner,
            words: words.unwrap_or_default(),
            places: places.into(),
        };
    }

    /// Forgets all: code was unloaded, and what is at an address may be another function.
    pub fn clear(&mut self) {
        self.stacks.clear();
    }
}

/// Index of the first stack in the set of those with this innermost frame.
#[inline(always)]
fn set(frame: &Frame) -> usize {
    let key = (frame.pc ^ frame.sp << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (key >> 59) as usize * WAYS
}

const _: () = assert!(SETS == 1 << (64 - 59));

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(pc: u64, stack: &[u64]) -> Frame {
        let sp = stack.as_ptr().addr() as u64;
        Frame { pc, sp, fp: 0 }
    }

    /// What a walk from there has read.
    fn slots(stack: &[u64]) -> impl Iterator<Item = Slot> {
        stack.iter().map(|word| Slot {
            address: std::ptr::from_ref(word).addr() as u64,
            word: *word,
        })
    }

    #[test]
    fn a_stack_with_another_word_anywhere_is_another_stack() {
        for length in 1..=40 {
            let mut stack: Vec<u64> = (0..length).map(|at| at * at).collect();
            let mut recall = Recall::new();
            recall.put(frame(1, &stack), 0, 5, slots(&stack));
            assert_eq!(recall.find(&frame(1, &stack)), Some(5));
            for at in 0..stack.len() {
                stack[at] ^= 1 << 40;
                assert_eq!(recall.find(&frame(1, &stack)), None, "{length} {at}");
                stack[at] ^= 1 << 40;
                recall.score = 0;
            }
        }
    }

    #[test]
    fn a_thread_that_never_comes_back_to_a_stack_looks_seldom_and_one_that_does_finds_it_again() {
        let stack = [7u64];
        let frame = |pc| frame(pc, &stack);
        let mut recall = Recall::new();
        recall.put(frame(1), 0, 5, slots(&stack));
        assert_eq!(recall.find(&frame(1)), Some(5));
        assert!((2..1000).all(|pc| recall.find(&frame(pc)).is_none()));
        assert_eq!(recall.score, -MAX_SCORE);
        let calls = PROBE_EVERY * (MAX_SCORE / SAVED + 1) as u32;
        let found = (0..calls).filter(|_| recall.find(&frame(1)).is_some());
        assert!(found.count() > 0);
        assert!((0..100).all(|_| recall.find(&frame(1)) == Some(5)));
    }
}
