//! A remembered stack, and how it is compared with the current one.
//!
//! By hashes: the words that a walk has read, and their addresses, would take four times as many lines of the cache as their places.

use crate::frame::Frame;
use crate::step::{Slot, word};

/// Words that are hashed at a time, each into a lane of its own: a chain of products would take longer than the memory.
const LANES: usize = 4;
/// Times that, after which the hash is compared first: most stacks differ in an inner frame.
const INNER: usize = 2;

/// Where words are, above the innermost frame's `sp`, in words.
type Places = [u16; LANES];

/// With it [`Remembered`] takes four lines of the cache.
const NEAR: usize = 22;
/// Words that have their places side by side with the rest, so that the processor fetches all at once. Few stacks have more.
#[cfg(test)]
pub const MOST_NEAR: usize = NEAR * LANES;

/// A stack that a thread had.
#[derive(Clone, Default)]
#[repr(C, align(64))]
pub struct Remembered {
    /// The innermost frame.
    frame: Frame,
    /// As [`Stack`](super::Stack) has it.
    pub hash: u64,
    /// Hashes of the words that the walk read, innermost first: of all and of the first ones.
    words: u64,
    inner: u32,
    /// How many of `near` are places; 0 for no stack.
    count: u16,
    /// Whether the `fp` of the innermost frame is live.
    is_fp_live: bool,
    pub note: Note,
    near: [Places; NEAR],
    /// Further ones.
    far: Box<[Places]>,
}

const _: () = assert!(size_of::<Remembered>() == 4 * 64);

/// What the caller has found by a key.
#[derive(Clone, Copy, Default)]
pub struct Note {
    pub key: u64,
    pub number: u32,
}

impl Remembered {
    /// The current stack; `slots` are what its walk has read, innermost first. `None` if it is too large, or has changed since: nearly all are smaller
    /// than the half megabyte that places reach.
    pub fn new(
        frame: Frame,
        is_fp_live: bool,
        hash: u64,
        slots: impl Iterator<Item = Slot>,
    ) -> Option<Self> {
        let place = |slot: Slot| {
            let above = slot.address.checked_sub(frame.sp)?;
            let is_kept = above % 8 == 0 && slot.difference() == 0;
            u16::try_from(above / 8).ok().filter(|_| is_kept)
        };
        let mut places = slots.map(place).collect::<Option<Vec<_>>>()?;
        let &last = places.last()?;
        places.resize(places.len().next_multiple_of(LANES), last);
        let places = places.as_chunks::<LANES>().0;
        let (near, far) = places.split_at(NEAR.min(places.len()));
        let mut new = Self {
            frame,
            hash,
            count: near.len() as u16,
            is_fp_live,
            far: far.into(),
            ..Self::default()
        };
        new.near[..near.len()].copy_from_slice(near);
        let mut inner = 0;
        new.words = new.hash_words(|first| {
            inner = first;
            true
        })?;
        new.inner = inner;
        Some(new)
    }

    /// Whether it is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether it has the same frames.
    pub fn is_same(&self, other: &Self) -> bool {
        self.hash == other.hash && self.is_at(&other.frame)
    }

    /// Whether it is the current stack, whose innermost frame is `frame`.
    #[inline(always)]
    pub fn is_current(&self, frame: &Frame) -> bool {
        let is_inner = |inner| inner == self.inner;
        self.is_at(frame) && !self.is_empty() && self.hash_words(is_inner) == Some(self.words)
    }

    #[inline(always)]
    fn is_at(&self, frame: &Frame) -> bool {
        let fp = match self.is_fp_live {
            true => self.frame.fp ^ frame.fp,
            false => 0,
        };
        (self.frame.pc ^ frame.pc) | (self.frame.sp ^ frame.sp) | fp == 0
    }

    /// The hash of the words at all places, which the walk has read, or one with the same innermost frame. `None` if `is_inner` says no to that of the
    /// first ones.
    #[inline(always)]
    fn hash_words(&self, is_inner: impl FnOnce(u32) -> bool) -> Option<u64> {
        let mut hash = WordHash::new();
        let near = &self.near[..usize::from(self.count)];
        let (inner, outer) = near.split_at(INNER.min(near.len()));
        self.add_words(&mut hash, inner);
        if !is_inner(hash.get() as u32) {
            return None;
        }
        self.add_words(&mut hash, outer);
        self.add_words(&mut hash, &self.far);
        Some(hash.get())
    }

    #[inline(always)]
    fn add_words(&self, hash: &mut WordHash, places: &[Places]) {
        for places in places {
            hash.add(places.map(|place| word(self.frame.sp + u64::from(place) * 8)));
        }
    }
}

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
