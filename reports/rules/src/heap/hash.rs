//! Hashing of block numbers. They are handed out by our own writer, so nobody gains from making them collide; a damaged log that
//! does costs time, not memory.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds [`IdHasher`]s.
pub type IdHash = BuildHasherDefault<IdHasher>;

/// One multiplication, then the halves folded: hashbrown takes its bucket from the low bits and its tag from the high ones.
#[derive(Clone, Copy, Default)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        // 2^64 / golden ratio, odd: Knuth, TAOCP 3 §6.4.
        let product = u128::from(self.0 ^ value) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
}

/// The hash of one number.
#[inline]
pub fn hash(value: u64) -> u64 {
    let mut hasher = IdHasher::default();
    hasher.write_u64(value);
    hasher.finish()
}
