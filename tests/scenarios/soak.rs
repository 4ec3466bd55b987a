//! Repetition counts of tests: a slice in ordinary runs, all of it with `SOAK=1`.

/// `all` with `SOAK=1`, else `slice`.
pub fn times(slice: u64, all: u64) -> u64 {
    match is_asked_for() {
        true => all,
        false => slice,
    }
}

/// Whether to run everything, regardless of time.
pub fn is_asked_for() -> bool {
    std::env::var_os("SOAK").is_some_and(|value| value == "1")
}

/// xorshift64*, Vigna 2016: the same numbers in every run, so that failures reproduce.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % limit
    }
}
