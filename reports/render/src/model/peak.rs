//! Finds what was live at the peak, in one pass.

/// Tracks a sum of sizes. At any time it can list the items that made up the highest sum: those still present and old enough, plus a list of
/// departed ones. Costs one comparison per event, and memory for no more items than the peak had.
///
/// A peak is settled when the next item departs: until then the sum only rose, so every present item belongs to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peak<T> {
    live: u64,
    /// Order and time of the newest item so far.
    latest: (u64, u64),
    settled: Settled<T>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Settled<T> {
    highest: u64,
    at_ns: u64,
    /// `order` of the newest item of the peak.
    newest: u64,
    departed: Vec<(u64, T)>,
}

impl<T> Default for Peak<T> {
    fn default() -> Self {
        let settled = Settled {
            highest: 0,
            at_ns: 0,
            newest: 0,
            departed: Vec::new(),
        };
        Self {
            live: 0,
            latest: (0, 0),
            settled,
        }
    }
}

impl<T: Clone> Peak<T> {
    /// Adds an item of `bytes`; `order` rises from item to item.
    pub fn arrive(&mut self, order: u64, bytes: u64, ns: u64) {
        self.live = self.live.saturating_add(bytes);
        self.latest = (order.max(self.latest.0), ns);
    }

    /// Forgets the item that arrived last, as if it had never come. Valid as long as nothing has departed since.
    pub fn withdraw(&mut self, bytes: u64) {
        self.live = self.live.saturating_sub(bytes);
    }

    /// Removes an item.
    pub fn depart(&mut self, order: u64, bytes: u64, item: T) {
        if self.live > self.settled.highest {
            self.settled.highest = self.live;
            (self.settled.newest, self.settled.at_ns) = self.latest;
            self.settled.departed.clear();
        }
        self.live = self.live.saturating_sub(bytes);
        if order <= self.settled.newest {
            self.settled.departed.push((order, item));
        }
    }

    /// How many bytes may be added before the sum is a new highest one; negative if it is already, and that is not settled.
    #[inline]
    pub fn room(&self) -> i64 {
        self.settled.highest.wrapping_sub(self.live) as i64
    }

    /// The order of the newest item of the settled peak: what departs later than that was no part of it.
    #[inline]
    pub fn newest(&self) -> u64 {
        self.settled.newest
    }

    /// The sum after several items came and went, within [`Peak::room`] all the while. `latest` is the order and time of the last that came.
    #[inline]
    pub fn shift(&mut self, live: u64, latest: Option<(u64, u64)>) {
        self.live = live;
        if let Some((order, ns)) = latest {
            self.latest = (order.max(self.latest.0), ns);
        }
    }

    /// One of those that went is part of the peak: it is not newer than [`Peak::newest`].
    #[inline]
    pub fn keep(&mut self, order: u64, item: T) {
        self.settled.departed.push((order, item));
    }

    /// Restores a removed item, as if it had never departed.
    pub fn come_back(&mut self, order: u64, bytes: u64, ns: u64) {
        let departed = &mut self.settled.departed;
        if let Some(gone) = departed.iter().rposition(|(gone, _)| *gone == order) {
            departed.remove(gone);
        }
        self.arrive(order, bytes, ns);
    }

    /// The current sum.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// The highest sum.
    pub fn highest(&self) -> u64 {
        self.settled.highest.max(self.live)
    }

    /// When the sum was highest.
    pub fn at_ns(&self) -> u64 {
        match self.live > self.settled.highest {
            true => self.latest.1,
            false => self.settled.at_ns,
        }
    }

    /// The items at the peak, given the present ones with their orders.
    pub fn items(&self, now: impl Iterator<Item = (u64, T)>) -> Vec<T> {
        if self.live > self.settled.highest {
            return now.map(|(_, item)| item).collect();
        }
        let still = now.filter(|(order, _)| *order <= self.settled.newest);
        let departed = self.settled.departed.iter().cloned();
        still.chain(departed).map(|(_, item)| item).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(peak: &Peak<&'static str>, now: &[(u64, &'static str)]) -> Vec<&'static str> {
        let mut items = peak.items(now.iter().copied());
        items.sort_unstable();
        items
    }

    #[test]
    fn the_peak_is_what_stayed_and_what_has_gone_since() {
        let mut peak = Peak::default();
        peak.arrive(0, 100, 1);
        peak.arrive(1, 50, 2);
        peak.depart(0, 100, "a"); // 50
        peak.arrive(2, 80, 3); // 130: below 150
        assert_eq!((peak.highest(), peak.at_ns(), peak.live()), (150, 2, 130));
        assert_eq!(sorted(&peak, &[(1, "b"), (2, "c")]), ["a", "b"]);
        peak.arrive(3, 30, 4); // 160: a new peak forgets `a`
        assert_eq!(
            sorted(&peak, &[(1, "b"), (2, "c"), (3, "d")]),
            ["b", "c", "d"]
        );
    }

    #[test]
    fn an_item_that_never_left_counts_once() {
        let mut peak = Peak::default();
        peak.arrive(0, 100, 1);
        peak.depart(0, 100, "a");
        peak.come_back(0, 100, 2);
        assert_eq!((peak.highest(), peak.at_ns(), peak.live()), (100, 1, 100));
        assert_eq!(sorted(&peak, &[(0, "a")]), ["a"]);
    }

    #[test]
    fn what_was_withdrawn_never_was() {
        let mut peak = Peak::default();
        peak.arrive(0, 100, 1);
        peak.depart(0, 100, "a");
        peak.arrive(1, 200, 2);
        peak.withdraw(200);
        peak.arrive(2, 10, 3);
        assert_eq!((peak.highest(), peak.at_ns(), peak.live()), (100, 1, 10));
        assert_eq!(sorted(&peak, &[(2, "c")]), ["a"]);
    }
}
