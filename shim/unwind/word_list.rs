//! A list of words, of which eight are compared at once with what is at eight addresses.
//!
//! That comparison is most of what a deep stack costs: SSE2 takes half the instructions of one word after the other.

use crate::MAX_DEPTH;
#[cfg(not(target_arch = "x86_64"))]
use crate::step::word;

/// Groups of eight words.
pub const GROUPS: usize = MAX_DEPTH / 8;

/// A word for each frame.
#[repr(align(64))]
pub struct WordList([u64; MAX_DEPTH]);

impl WordList {
    /// Zeros.
    pub fn new() -> Box<Self> {
        Box::new(Self([0; MAX_DEPTH]))
    }

    /// Word number `at`.
    #[inline(always)]
    pub fn get(&self, at: usize) -> u64 {
        self.0[at % MAX_DEPTH]
    }

    /// Replaces word number `at`.
    #[inline(always)]
    pub fn set(&mut self, at: usize, word: u64) {
        self.0[at % MAX_DEPTH] = word;
    }

    /// All of them.
    #[inline(always)]
    pub fn words(&mut self) -> &mut [u64; MAX_DEPTH] {
        &mut self.0
    }

    #[inline(always)]
    fn group(&self, group: usize) -> &[u64; 8] {
        &self.0.as_chunks().0[group % GROUPS]
    }

    /// Where each of them is.
    pub fn addresses(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|word| (&raw const *word).addr() as u64)
    }

    /// A bit for each of the `addresses` in this group of eight, as for [`crate::step::word`], which still holds its word.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub fn are_at(&self, addresses: &Self, group: usize) -> u64 {
        let pairs = addresses.group(group).iter().zip(self.group(group));
        pairs.zip(0..).fold(0, |all, ((&address, &known), place)| {
            all | u64::from(word(address) == known) << place
        })
    }

    /// A bit for each of the `addresses` in this group of eight, as for [`crate::step::word`], which still holds its word.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn are_at(&self, addresses: &Self, group: usize) -> u64 {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { self.are_at_by_sse2(addresses, group) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "sse2")]
    #[inline]
    fn are_at_by_sse2(&self, addresses: &Self, group: usize) -> u64 {
        use std::arch::x86_64::*;
        let (addresses, known) = (addresses.group(group), self.group(group));
        let is_equal = |at: usize| {
            let found = two_words(addresses[at], addresses[at + 1]);
            let known = (&raw const known[at]).cast();
            // SAFETY: two words of a group, at an even place; the alignment of a list is that of a group.
            _mm_cmpeq_epi32(found, unsafe { _mm_load_si128(known) })
        };
        let first = _mm_packs_epi32(is_equal(0), is_equal(2));
        let second = _mm_packs_epi32(is_equal(4), is_equal(6));
        // A byte for each half of a word: those of a word are compared together.
        let halves = _mm_packs_epi16(first, second);
        let is_equal = _mm_cmpeq_epi16(halves, _mm_set1_epi16(-1));
        _mm_movemask_epi8(_mm_packs_epi16(is_equal, _mm_setzero_si128())) as u64
    }
}

/// Two words at addresses as for [`crate::step::word`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn two_words(first: u64, second: u64) -> std::arch::x86_64::__m128i {
    let words;
    // SAFETY: as in `step::word`; reads eight bytes at each address, and writes nothing.
    unsafe {
        std::arch::asm!(
            "movq {words}, qword ptr [{first}]",
            "movhps {words}, qword ptr [{second}]",
            words = out(xmm_reg) words,
            first = in(reg) first,
            second = in(reg) second,
            options(nostack, preserves_flags, readonly),
        );
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_eight_words_is_compared_whole() {
        let (mut here, mut known, mut addresses) =
            (WordList::new(), WordList::new(), WordList::new());
        for (at, address) in here.addresses().enumerate() {
            addresses.set(at, address);
        }
        for at in 8..16 {
            let number = 0x0123_4567_89ab_cdef * at as u64;
            here.set(at, number);
            known.set(at, number);
        }
        assert_eq!(known.are_at(&addresses, 1), 0xff);
        for at in 8..16 {
            for bit in [0, 7, 15, 16, 31, 32, 47, 63] {
                known.set(at, here.get(at) ^ 1 << bit);
                assert_eq!(
                    known.are_at(&addresses, 1),
                    0xff ^ 1 << (at - 8),
                    "word {at}, bit {bit}"
                );
            }
            known.set(at, here.get(at));
        }
    }
}
