//! What was live at the peak, found in one pass.

/// Follows a sum of sizes and can tell, at any time, which items made it up when it was highest: those that are still there and old
/// enough, and those in a list of departed ones. Costs a comparison for each event, and memory for no more items than the peak had.
///
/// A peak is settled when the next item departs: until then the sum only rose, so all that is there belongs to it.
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
    /// An item of `bytes` arrives; `order` rises from item to item.
    pub fn arrive(&mut self, order: u64, bytes: u64, ns: u64) {
        self.live = self.live.saturating_add(bytes);
        self.latest = (order.max(self.latest.0), ns);
    }

    /// The item that arrived last was never meant: forgets it, as long as nothing departed since.
    pub fn withdraw(&mut self, bytes: u64) {
        self.live = self.live.saturating_sub(bytes);
    }

    /// An item departs.
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

    /// An item that departed is back, as if it had never gone.
    pub fn come_back(&mut self, order: u64, bytes: u64, ns: u64) {
        let departed = &mut self.settled.departed;
        if let Some(gone) = departed.iter().rposition(|(gone, _)| *gone == order) {
            departed.remove(gone);
        }
        self.arrive(order, bytes, ns);
    }

    /// The sum now.
    pub fn live(&self) -> u64 {
        self.live
    }

    /// The highest sum.
    pub fn highest(&self) -> u64 {
        self.settled.highest.max(self.live)
    }

    /// When the sum was that high.
    pub fn at_ns(&self) -> u64 {
        match self.live > self.settled.highest {
            true => self.latest.1,
            false => self.settled.at_ns,
        }
    }

    /// The items at the peak, given those that are there now with their orders.
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
