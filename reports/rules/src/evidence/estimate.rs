//! Estimates from a sample of the blocks, as `block_sample` records it.
//!
//! A block of size s is recorded with probability p = 1 - exp(-s/mean). Each recorded block counts as 1/p blocks and s/p bytes, so that
//! sums over recorded blocks are right on average (Horvitz and Thompson 1952). How far a sum may be off follows from the same numbers.

use crate::api::block::Block;

/// The sample of the blocks that a log has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockSample {
    /// Bytes allocated per recorded block, on average.
    mean: u32,
}

impl BlockSample {
    /// From the value of the option; `None` if all blocks are recorded.
    pub fn new(mean: u32) -> Option<Self> {
        (mean > 0).then_some(Self { mean })
    }

    /// Bytes allocated per recorded block, on average.
    pub fn mean(&self) -> u64 {
        self.mean.into()
    }

    /// The estimate of allocated bytes that the block contributes: its size over its probability.
    pub fn bytes(&self, block: &Block) -> u64 {
        if !block.family().is_sampled() {
            return block.size;
        }
        let probability = -libm::expm1(-(block.size.max(1) as f64) / f64::from(self.mean));
        (block.size as f64 / probability).round() as u64
    }
}

/// The number of blocks that `block` counts as, if it counts as `bytes`. The fraction is drawn by its number.
pub fn blocks(block: &Block, bytes: u64) -> u64 {
    let weight = bytes as f64 / block.size.max(1) as f64;
    let draw = (block.id.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64;
    weight as u64 + u64::from(draw < weight.fract())
}

/// How far a sum of bytes over a sample may be from the truth. Not at all if every block is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spread {
    /// Variance of the sum, in square bytes.
    variance: u128,
    /// By how much one more block might have raised the sum.
    step: u64,
    /// Bytes of the recorded blocks, which the sum cannot be below.
    recorded: u64,
}

/// The 97.5 % quantile of the normal distribution: both ends together leave out 5 %.
const Z: f64 = 1.96;

impl Spread {
    /// Adds a recorded block of `size` that counts as `bytes`.
    pub fn add(&mut self, size: u64, bytes: u64) {
        self.variance = self.variance.saturating_add(variance(size, bytes));
        self.step = self.step.max(bytes.saturating_sub(size));
        self.recorded = self.recorded.saturating_add(size);
    }

    /// It is no more.
    pub fn subtract(&mut self, size: u64, bytes: u64) {
        self.variance = self.variance.saturating_sub(variance(size, bytes));
        self.recorded = self.recorded.saturating_sub(size);
    }

    /// The spread of a sum of two independent sums.
    pub fn absorb(&mut self, other: &Self) {
        self.variance = self.variance.saturating_add(other.variance);
        self.step = self.step.max(other.step);
        self.recorded = self.recorded.saturating_add(other.recorded);
    }

    /// The largest that a sum of `bytes` can have, if one block per `mean` bytes is recorded: none of them counts as more than its size and
    /// `mean`.
    pub fn widest(bytes: u64, mean: u64) -> Self {
        Self {
            variance: u128::from(bytes) * u128::from(mean),
            step: mean,
            recorded: 0,
        }
    }

    /// The standard deviation in bytes, by how much one more block might raise the sum, and the bytes of the recorded blocks.
    pub fn parts(&self) -> (u64, u64, u64) {
        let deviation = (self.variance as f64).sqrt().round();
        (deviation as u64, self.step, self.recorded)
    }

    /// From what [`Self::parts`] returned.
    pub fn of_parts(deviation: u64, step: u64, recorded: u64) -> Self {
        Self {
            variance: u128::from(deviation) * u128::from(deviation),
            step,
            recorded,
        }
    }

    /// Bounds that the true value is within with 95 % confidence, given the estimate; `None` if it is exact.
    ///
    /// The gamma interval for weighted sums of rare events (Fay and Feuer 1997): right also for a few recorded blocks, where the normal
    /// distribution gives bounds below zero. Quantiles of chi-squared are Wilson and Hilferty's.
    pub fn bounds(&self, bytes: u64) -> Option<[u64; 2]> {
        self.bounds_at(bytes, Z)
    }

    /// As [`Self::bounds`], for the highest of the estimates of live bytes, during which `allocated` bytes came and went. That moment is one
    /// at which the estimate was too high, rather than too low: the more often the memory was renewed, the more so.
    pub fn peak_bounds(&self, peak: u64, allocated: u64) -> Option<[u64; 2]> {
        let renewed = allocated as f64 / (peak.max(1) as f64);
        // The highest of n normal deviates is about √(2 ln n).
        self.bounds_at(peak, (Z * Z + 2.0 * libm::log(renewed.max(1.0))).sqrt())
    }

    fn bounds_at(&self, bytes: u64, below: f64) -> Option<[u64; 2]> {
        if self.variance == 0 {
            return None;
        }
        let (sum, variance, step) = (bytes as f64, self.variance as f64, self.step as f64);
        let low = variance / (2.0 * sum) * quantile(2.0 * sum * sum / variance, -below);
        let (above, wider) = (sum + step, variance + step * step);
        let high = wider / (2.0 * above) * quantile(2.0 * above * above / wider, Z);
        // `as` saturates.
        Some([
            (low as u64).max(self.recorded).min(bytes),
            (high as u64).max(bytes),
        ])
    }
}

/// (1 - p) · (size/p)², for a block that counts as size/p bytes.
fn variance(size: u64, bytes: u64) -> u128 {
    u128::from(bytes) * u128::from(bytes.saturating_sub(size))
}

/// A quantile of the chi-squared distribution.
fn quantile(degrees: f64, z: f64) -> f64 {
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + z * part.sqrt()).max(0.0).powi(3)
}

/// Marks every number of blocks, parts and bytes in a sentence about sums as an estimate: `~310 blocks`.
pub fn marked(sentence: &str) -> String {
    let mut marked = String::with_capacity(sentence.len() + 8);
    let mut words = sentence.split_inclusive(' ').peekable();
    while let Some(word) = words.next() {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let is_sum = words.peek().is_some_and(|unit| is_unit(unit));
        if is_number && is_sum {
            marked.push('~');
        }
        marked.push_str(word);
    }
    marked
}

fn is_unit(word: &str) -> bool {
    let word = word.trim_end_matches([' ', ',', ':', ';', '.']);
    let things = ["block", "blocks", "byte", "bytes", "part", "parts"];
    things.contains(&word) || word.ends_with("iB")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::block;

    #[test]
    fn large_blocks_stand_for_themselves_and_small_ones_for_many() {
        let sample = BlockSample::new(1 << 19).expect("it is not 0");
        let of = |size| {
            let block = block("aclrtMalloc", 0, size);
            let bytes = sample.bytes(&block);
            (blocks(&block, bytes), bytes)
        };
        assert_eq!(of(1 << 30), (1, 1 << 30));
        // 64/(1 - exp(-2^-13)) = 2^19 + 32, and a block is one of 8192.5.
        let (blocks, bytes) = of(64);
        assert!(
            matches!(blocks, 8192 | 8193) && bytes == (1 << 19) + 32,
            "{blocks} {bytes}"
        );
        assert_eq!(BlockSample::new(0), None);
        let whole = block("aclrtCreateStream", 0, 0);
        assert_eq!(sample.bytes(&whole), 0);
    }

    #[test]
    fn an_exact_sum_has_no_bounds_and_one_block_wide_ones() {
        let mut spread = Spread::default();
        spread.add(100, 100);
        assert_eq!(spread.bounds(100), None);
        spread.add(64, (1 << 19) + 32);
        let [low, high] = spread.bounds(100 + (1 << 19) + 32).expect("an estimate");
        // A Poisson count of one: 0.025 to 5.57.
        assert!(
            (164..20_000).contains(&low) && ((5 << 19)..(6 << 19)).contains(&high),
            "{low} {high}"
        );
        spread.subtract(64, (1 << 19) + 32);
        assert_eq!(spread.bounds(100), None);
    }

    #[test]
    fn bounds_hold_in_nineteen_of_twenty_samples() {
        // Every mixture of sizes is sampled 400 times; each time the whole is known.
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut uniform = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 11) as f64 / (1_u64 << 53) as f64
        };
        for (blocks, sizes) in [
            (40_000, &[64_u64, 4096][..]),
            (300, &[1 << 16, 1 << 20]),
            (20, &[1 << 19]),
            (5_000, &[512, 1 << 21]),
        ] {
            let sample = BlockSample::new(1 << 19).expect("it is not 0");
            let all: Vec<u64> = (0..blocks).map(|at| sizes[at % sizes.len()]).collect();
            let truth: u64 = all.iter().sum();
            let mut held = 0;
            for round in 0..400 {
                let (mut spread, mut sum) = (Spread::default(), 0);
                for (at, &size) in all.iter().enumerate() {
                    let probability = 1.0 - (-(size as f64) / f64::from(1 << 19)).exp();
                    if uniform() < probability {
                        let mut one = block("aclrtMalloc", 0, size);
                        one.id.0 = (round * blocks + at) as u64;
                        let bytes = sample.bytes(&one);
                        spread.add(size, bytes);
                        sum += bytes;
                    }
                }
                let bounds = spread.bounds(sum).unwrap_or([sum, sum]);
                held += u32::from((bounds[0]..=bounds[1]).contains(&truth));
            }
            // 380 are expected; 361 is below that by more than four deviations.
            assert!(held > 361, "{held} of 400 for {blocks} blocks");
        }
    }

    #[test]
    fn only_sums_are_marked() {
        assert_eq!(
            marked("3 blocks, 12288 bytes in all, were never released"),
            "~3 blocks, ~12288 bytes in all, were never released"
        );
        assert_eq!(
            marked("device 0 has 1.5 GiB in 1 block of stream 3"),
            "device 0 has ~1.5 GiB in ~1 block of stream 3"
        );
    }
}
