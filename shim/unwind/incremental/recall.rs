//! Stacks that a thread had before the last one.
//!
//! A program that repeats a step comes back to the same stacks, but not to the last one: each differs from the one before in many of its inner
//! frames, which would be walked. A remembered stack is compared instead: if its innermost frame is the same, and all slots that its walk read still
//! hold what they held, a walk would find the same frames.

mod remembered;

use super::{Stack, Trace, UNCACHED};
use crate::CodeMap;
use crate::frame::Frame;
use crate::step::Slot;
use aclsan_os::cancel::CancelGuard;
use remembered::{Note, Remembered};

/// The depth of the first of the remembered stacks: a stack that was recalled has its place there, and its frames are nowhere.
pub const RECALLED: usize = usize::MAX - STACKS;

impl Stack {
    /// Whether only its hash is known: [`Trace::capture_anew`] finds the frames.
    #[inline(always)]
    pub fn is_recalled(self) -> bool {
        (RECALLED..UNCACHED).contains(&self.depth)
    }
}

impl<C: CodeMap> Trace<C> {
    /// The current stack, whose innermost frame is `frame`, if it is remembered.
    #[inline(always)]
    pub(super) fn recall(&mut self, frame: &Frame) -> Option<Stack> {
        let (at, hash) = self.recall.find(frame)?;
        let depth = RECALLED + at;
        Some(Stack { hash, depth })
    }

    /// The number that [`Self::note`] has kept with the stack, if that was under this key.
    #[inline(always)]
    pub fn noted(&self, stack: Stack, key: u64) -> Option<u32> {
        self.recall.noted(stack, key)
    }

    /// Keeps a number with a stack that was recalled: what the caller has found by this key, which is different for another stack.
    #[inline(always)]
    pub fn note(&mut self, stack: Stack, key: u64, number: u32) {
        self.recall.note(stack, key, number);
    }

    /// Forgets what [`Self::note`] has kept.
    pub fn forget_notes(&mut self) {
        self.recall.forget_notes();
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
            .put(leaf.frame, leaf.fp_live != 0, self.stack_hash, slots);
    }
}

const SETS: usize = 32;
const WAYS: usize = 4;
const STACKS: usize = SETS * WAYS;
/// Stacks walked of which a trace is kept, so that only those that come back are remembered.
const SEEN: usize = 256;
/// What remembering may cost before it has paid off: one per stack, earned back by each that is recalled.
const CREDIT: u32 = 2 * STACKS as u32;
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

    /// The stack whose innermost frame is `frame`, if it is remembered: its place and its hash.
    #[inline(always)]
    fn find(&mut self, frame: &Frame) -> Option<(usize, u64)> {
        if self.score < 0 && self.is_skipped() {
            return None;
        }
        let set = set(frame);
        let ways = self.stacks.get(set..)?.first_chunk::<WAYS>()?;
        let Some(way) = ways.iter().position(|known| known.is_current(frame)) else {
            self.score = (self.score - 1).max(-MAX_SCORE);
            return None;
        };
        self.score = (self.score + SAVED).min(MAX_SCORE);
        self.credit = (self.credit + 1).min(CREDIT);
        Some((set + way, ways[way].hash))
    }

    #[inline(always)]
    fn noted(&self, stack: Stack, key: u64) -> Option<u32> {
        let known = self.stacks.get(stack.depth.wrapping_sub(RECALLED))?;
        (known.note.key == key).then_some(known.note.number)
    }

    #[inline(always)]
    fn note(&mut self, stack: Stack, key: u64, number: u32) {
        if let Some(known) = self.stacks.get_mut(stack.depth.wrapping_sub(RECALLED)) {
            known.note = Note { key, number };
        }
    }

    fn forget_notes(&mut self) {
        let notes = self.stacks.iter_mut().map(|known| &mut known.note);
        notes.for_each(|note| *note = Note::default());
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

    /// Remembers a stack; `slots` innermost first.
    fn put(
        &mut self,
        frame: Frame,
        is_fp_live: bool,
        hash: u64,
        slots: impl Iterator<Item = Slot>,
    ) {
        let Some(new) = Remembered::new(frame, is_fp_live, hash, slots) else {
            return;
        };
        if self.stacks.is_empty() {
            self.stacks.resize(STACKS, Remembered::default());
        }
        self.next = (self.next + 1) % WAYS;
        let (next, set) = (self.next, set(&frame));
        let ways = &mut self.stacks[set..set + WAYS];
        // The same frames may have been reached through other slots.
        let same = ways.iter().position(|known| known.is_same(&new));
        let free = || ways.iter().position(Remembered::is_empty);
        ways[same.or_else(free).unwrap_or(next)] = new;
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
    use super::remembered::MOST_NEAR;
    use super::*;
    use crate::MAX_DEPTH;

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

    fn hash(recall: &mut Recall, frame: &Frame) -> Option<u64> {
        recall.find(frame).map(|(_, hash)| hash)
    }

    #[test]
    fn a_stack_with_another_word_anywhere_is_another_stack() {
        for length in (1..=40).chain(MOST_NEAR - 4..=MOST_NEAR + 8) {
            let mut stack: Vec<u64> = (0..length as u64).map(|at| at * at).collect();
            let mut recall = Recall::new();
            recall.put(frame(1, &stack), false, 5, slots(&stack));
            assert_eq!(hash(&mut recall, &frame(1, &stack)), Some(5));
            for at in 0..stack.len() {
                stack[at] ^= 1 << 40;
                assert_eq!(recall.find(&frame(1, &stack)), None, "{length} {at}");
                stack[at] ^= 1 << 40;
                recall.score = 0;
            }
        }
    }

    #[test]
    fn a_note_is_kept_with_its_stack_under_its_key() {
        let (inner, outer) = ([7u64], [8u64]);
        let mut recall = Recall::new();
        let mut put = |words: &[u64; 1]| {
            recall.put(frame(1, words), false, words[0], slots(words));
            let (at, hash) = recall.find(&frame(1, words)).unwrap();
            let depth = RECALLED + at;
            Stack { hash, depth }
        };
        let [first, second] = [put(&inner), put(&outer)];
        assert_eq!(recall.noted(first, 3), None);
        recall.note(first, 3, 30);
        recall.note(second, 4, 40);
        let noted = |recall: &Recall, stack| {
            (3..5)
                .map(move |key| recall.noted(stack, key))
                .collect::<Vec<_>>()
        };
        assert_eq!(noted(&recall, first), [Some(30), None]);
        assert_eq!(noted(&recall, second), [None, Some(40)]);
        // Remembered once more, it has no note.
        recall.put(frame(1, &inner), false, 7, slots(&inner));
        assert_eq!(noted(&recall, first), [None, None]);
        recall.forget_notes();
        assert_eq!(noted(&recall, second), [None, None]);
        // Of stacks that were walked, nothing is kept.
        for depth in [1, MAX_DEPTH, UNCACHED] {
            let walked = Stack { hash: 7, depth };
            recall.note(walked, 3, 30);
            assert_eq!(noted(&recall, walked), [None, None]);
            assert!(!walked.is_recalled());
        }
        assert!(first.is_recalled() && second.is_recalled());
    }

    #[test]
    fn a_thread_that_never_comes_back_to_a_stack_looks_seldom_and_one_that_does_finds_it_again() {
        let stack = [7u64];
        let frame = |pc| frame(pc, &stack);
        let mut recall = Recall::new();
        recall.put(frame(1), false, 5, slots(&stack));
        assert_eq!(hash(&mut recall, &frame(1)), Some(5));
        assert!((2..1000).all(|pc| recall.find(&frame(pc)).is_none()));
        assert_eq!(recall.score, -MAX_SCORE);
        let calls = PROBE_EVERY * (MAX_SCORE / SAVED + 1) as u32;
        let found = (0..calls).filter(|_| hash(&mut recall, &frame(1)).is_some());
        assert!(found.count() > 0);
        assert!((0..100).all(|_| hash(&mut recall, &frame(1)) == Some(5)));
    }
}
