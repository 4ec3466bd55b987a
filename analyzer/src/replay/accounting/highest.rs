//! The highest sum of live bytes, and when it was. What made it up is kept by [`Peak`](aclsan_render::model::Peak) alone.

/// A sum and its highest value, which counts from when the next block goes: until then more may come.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Highest {
    live: u64,
    latest_ns: u64,
    settled: (u64, u64),
}

impl Highest {
    /// More bytes are live.
    #[inline(always)]
    pub fn rise(&mut self, bytes: u64, ns: u64) {
        self.live = self.live.saturating_add(bytes);
        self.latest_ns = ns;
    }

    /// Fewer are.
    #[inline(always)]
    pub fn fall(&mut self, bytes: u64) {
        if self.live > self.settled.0 {
            self.settled = (self.live, self.latest_ns);
        }
        self.live = self.live.saturating_sub(bytes);
    }

    /// How many bytes more may be live before the sum is a new highest one; negative if it is already, and that is not settled.
    #[inline(always)]
    pub fn room(&self) -> i64 {
        self.settled.0.wrapping_sub(self.live) as i64
    }

    /// The sum after several blocks came and went, within [`Highest::room`] all the while. `latest_ns` is when the last came.
    #[inline(always)]
    pub fn shift(&mut self, live: u64, latest_ns: Option<u64>) {
        self.live = live;
        self.latest_ns = latest_ns.unwrap_or(self.latest_ns);
    }

    /// The current sum.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// The current sum, the highest, and when that was.
    pub fn all(&self) -> (u64, u64, u64) {
        let (highest, ns) = self.highest();
        (self.live, highest, ns)
    }

    /// The highest sum, and when it was.
    pub fn highest(&self) -> (u64, u64) {
        match self.live > self.settled.0 {
            true => (self.live, self.latest_ns),
            false => self.settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use aclsan_render::model::Peak;

    use super::*;

    #[test]
    fn it_is_the_peak_without_its_items() {
        let (mut highest, mut peak) = (Highest::default(), Peak::default());
        let changes = [(1, 100), (2, 50), (3, -100), (4, 80), (5, -50), (6, 90)];
        for (ns, change) in changes {
            let bytes = i64::unsigned_abs(change);
            match change > 0 {
                true => {
                    highest.rise(bytes, ns);
                    peak.arrive(ns, bytes, ns);
                }
                false => {
                    highest.fall(bytes);
                    peak.depart(ns, bytes, ());
                }
            }
            assert_eq!(highest.live(), peak.live());
            assert_eq!(highest.highest(), (peak.highest(), peak.at_ns()));
        }
    }
}
