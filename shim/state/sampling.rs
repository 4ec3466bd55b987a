//! Chooses the calls whose full stack is captured, with `stack_sample=1/N`.

/// The distance between two sampled calls of a thread: random, N on average. With a fixed step, a loop whose number of calls divides N
/// would always sample the same ones and never the others.
pub struct SamplingInterval(u64);

impl SamplingInterval {
    /// Seeds the generator from the thread's number.
    pub fn new(thread: u32) -> Self {
        Self((u64::from(thread) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Number of calls to skip before the next sample, 0 to 2 (N − 1).
    pub fn next(&mut self, sample: u32) -> u32 {
        // xorshift64*, Vigna 2016: never 0, since the seed is not.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let limit = u64::from(sample.saturating_mul(2).saturating_sub(1).max(1));
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        ((high * limit) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_n_is_taken_and_each_of_a_loop_as_often_as_the_others() {
        for (thread, sample, turns) in [(1, 64, 16), (4711, 64, 64), (u32::MAX, 8, 8), (7, 2, 2)] {
            let mut interval = SamplingInterval::new(thread);
            let mut taken = vec![0_u64; turns];
            let (mut call, mut all) = (0_usize, 0_u64);
            while call < 1_000_000 {
                taken[call % turns] += 1;
                all += 1;
                call += 1 + interval.next(sample) as usize;
            }
            let expected = 1_000_000 / u64::from(sample);
            assert!(all.abs_diff(expected) < expected / 20, "{sample}: {all}");
            let each = all / turns as u64;
            let most = taken.iter().map(|&times| times.abs_diff(each)).max();
            assert!(most < Some(each / 2), "{sample}: {taken:?}");
        }
    }

    #[test]
    fn extremes_are_held() {
        let mut interval = SamplingInterval::new(0);
        assert!((0..1000).all(|_| interval.next(1) == 0));
        assert!((0..1000).all(|_| interval.next(0) == 0));
        let far = (0..1000).map(|_| interval.next(u32::MAX)).max();
        assert!(far > Some(u32::MAX / 2));
    }
}
