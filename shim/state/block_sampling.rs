//! Chooses the blocks that are recorded, with `block_sample=N`.
//!
//! Points lie on the bytes that a thread allocates, at random, N bytes apart on average (a Poisson process), and a block is recorded if
//! there is one on it: with probability 1 - exp(-size/N), whatever was recorded before. So a report can weigh each recorded block by the
//! inverse of that. tcmalloc and jemalloc sample alike.

use crate::state::start::options;
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes up to a thread's next point, and the state of the generator; both are 0 before its first block.
#[repr(C)]
pub struct Countdown {
    left: Cell<u64>,
    random: Cell<u64>,
}

/// Whether the options of the process ask for a sample: hooks read this at every call.
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Whether only a sample of the blocks is recorded.
#[inline(always)]
pub fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// The process begins with these options.
pub fn begin(mean: u32) {
    IS_ON.store(mean > 0, Relaxed);
}

/// Threads that have drawn.
static THREADS: AtomicU64 = AtomicU64::new(0);

impl Countdown {
    /// Before the thread's first block.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    pub const fn new() -> Self {
        Self {
            left: Cell::new(0),
            random: Cell::new(0),
        }
    }

    /// Whether the thread's next block, of `size` bytes, is recorded, if one per `mean` bytes is.
    #[inline(always)]
    pub fn is_next_recorded(&self, size: u64, mean: u32) -> bool {
        let left = self.left.get();
        match size < left {
            true => {
                self.left.set(left - size);
                false
            }
            false => self.reaches(size, mean),
        }
    }

    /// The block reaches the next point, unless there is none yet.
    #[cold]
    #[inline(never)]
    fn reaches(&self, size: u64, mean: u32) -> bool {
        let is_first = self.left.get() == 0;
        let next = self.draw(mean);
        // What follows a point is as random as what follows the block.
        self.left.set(next);
        if is_first && size < next {
            self.left.set(next - size);
            return false;
        }
        true
    }

    /// The distance to the next point, at least 1: exponentially distributed.
    fn draw(&self, mean: u32) -> u64 {
        let mut random = self.random.get();
        if random == 0 {
            let seed = u64::from(options().seed) << 32 | (THREADS.fetch_add(1, Relaxed) + 1);
            // Not a multiple of 2^64: the factor is odd.
            random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        // xorshift64*, Vigna 2016.
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        self.random.set(random);
        // 53 bits, above 0 and at most 1.
        let uniform =
            ((random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        (-libm::log(uniform) * f64::from(mean)).ceil().max(1.0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_recorded_with_the_probability_that_reports_assume() {
        for (size, mean) in [
            (64_u64, 4096),
            (4096, 4096),
            (3 << 20, 512 << 10),
            (100, 1 << 16),
        ] {
            let (rounds, countdown) = (200_000, Countdown::new());
            let recorded = (0..rounds).filter(|_| countdown.is_next_recorded(size, mean));
            let recorded = recorded.count() as f64;
            let probability = 1.0 - (-(size as f64) / f64::from(mean)).exp();
            let expected = probability * f64::from(rounds);
            let deviation = (expected * (1.0 - probability)).sqrt();
            // Five deviations, and what rounding distances up takes.
            assert!(
                (recorded - expected).abs() < 5.0 * deviation + expected * 1e-3 + 1.0,
                "{size}: {recorded}, {expected}"
            );
        }
    }

    #[test]
    fn threads_draw_different_numbers() {
        let firsts = |_| {
            let countdown = Countdown::new();
            let is_recorded = (0..64).map(|_| countdown.is_next_recorded(4096, 4096));
            is_recorded.collect::<Vec<_>>()
        };
        assert_ne!(firsts(0), firsts(1));
    }
}
