//! Attributes of one runtime pool: what the program set, what the runtime reported, and what the log shows.

use std::collections::BTreeMap;

use aclsan_render::model::{POOL_PAGE, PoolAttributes, Reading, Setting};

/// Tracks used bytes in whole pages, by address.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PoolAttributeTracker {
    reported: PoolAttributes,
    live: BTreeMap<u64, u64>,
    /// Peak since the program last reset the high-water mark.
    mark: u64,
}

impl PoolAttributeTracker {
    /// For a pool; `is_whole` says whether the log has its creation.
    pub fn new(is_whole: bool) -> Self {
        let mut new = Self::default();
        new.reported.is_whole = is_whole;
        new
    }

    /// The pool gave out a block.
    pub fn given(&mut self, address: u64, size: u64) {
        let pages = size.max(1).div_ceil(POOL_PAGE).saturating_mul(POOL_PAGE);
        self.taken_back(address);
        self.live.insert(address, pages);
        let used = &mut self.reported.log_used_bytes;
        *used = used.saturating_add(pages);
        self.mark = self.mark.max(*used);
        self.reported.log_used_high_bytes = self.reported.log_used_high_bytes.max(*used);
    }

    /// The block is back in the pool.
    pub fn taken_back(&mut self, address: u64) {
        let pages = self.live.remove(&address).unwrap_or(0);
        self.reported.log_used_bytes = self.reported.log_used_bytes.saturating_sub(pages);
    }

    /// The program set an attribute, by its number in `aclrtMemPoolAttr`.
    pub fn set(&mut self, attribute: u64, value: u64) {
        match attribute {
            1..=4 => self.settle(attribute, value, "set"),
            // Only 0 is accepted.
            8 => self.mark = 0,
            _ => {}
        }
    }

    /// The program read an attribute.
    pub fn read(&mut self, attribute: u64, value: u64, ns: u64) {
        let log_bytes = match attribute {
            7 => Some(self.reported.log_used_bytes),
            8 => Some(self.mark),
            _ => None,
        };
        let to = match attribute {
            5 => &mut self.reported.reserved,
            6 => &mut self.reported.reserved_high,
            7 => &mut self.reported.used,
            8 => &mut self.reported.used_high,
            _ => return self.settle(attribute, value, "read"),
        };
        *to = Some(Reading {
            bytes: value,
            ns,
            log_bytes: log_bytes.filter(|_| self.reported.is_whole),
        });
    }

    /// The program trimmed the pool to `keep` bytes.
    pub fn trimmed(&mut self, keep: u64) {
        self.reported.trims += 1;
        self.reported.last_trim_bytes = Some(keep);
    }

    /// A graph uses a block that is live at the end.
    pub fn in_graph(&mut self, size: u64) {
        self.reported.graph_blocks += 1;
        self.reported.graph_bytes = self.reported.graph_bytes.saturating_add(size);
    }

    /// The attributes at the end of the log.
    pub fn finish(&self) -> PoolAttributes {
        self.reported.clone()
    }

    fn settle(&mut self, attribute: u64, value: u64, reported: &'static str) {
        let to = match attribute {
            1 => &mut self.reported.event_dependencies,
            2 => &mut self.reported.opportunistic,
            3 => &mut self.reported.internal_dependencies,
            4 => &mut self.reported.release_threshold,
            _ => return,
        };
        *to = Some(Setting { value, reported });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_counted_in_pages_and_the_mark_starts_over_when_it_is_set() {
        let mut pool = PoolAttributeTracker::new(true);
        pool.given(0x1000_0000, 1); // one page
        pool.given(0x2000_0000, POOL_PAGE + 1); // two
        pool.taken_back(0x1000_0000);
        pool.taken_back(0x1000_0000); // known to be gone
        pool.read(7, 2 * POOL_PAGE, 5);
        pool.set(8, 0);
        pool.read(8, 0, 6);
        let reported = pool.finish();
        let of = |bytes, ns, log| {
            Some(Reading {
                bytes,
                ns,
                log_bytes: Some(log),
            })
        };
        assert_eq!(reported.used, of(2 * POOL_PAGE, 5, 2 * POOL_PAGE));
        assert_eq!(reported.used_high, of(0, 6, 0));
        pool.given(0x1000_0000, POOL_PAGE); // 2 and 1 pages, as once before
        pool.read(8, 3 * POOL_PAGE, 7);
        let reported = pool.finish();
        assert_eq!(reported.used_high, of(3 * POOL_PAGE, 7, 3 * POOL_PAGE));
        assert_eq!(
            (reported.log_used_bytes, reported.log_used_high_bytes),
            (3 * POOL_PAGE, 3 * POOL_PAGE)
        );
    }

    #[test]
    fn the_last_word_on_an_attribute_counts_and_numbers_that_nobody_knows_are_left_alone() {
        let mut pool = PoolAttributeTracker::new(false);
        pool.set(1, 1);
        pool.read(1, 0, 1);
        pool.set(4, 4096);
        pool.set(99, 1);
        pool.read(99, 1, 1);
        pool.trimmed(8192);
        pool.trimmed(0);
        pool.read(5, POOL_PAGE, 2);
        pool.read(7, POOL_PAGE, 3);
        let reported = pool.finish();
        let setting = |value, reported| Some(Setting { value, reported });
        assert_eq!(reported.event_dependencies, setting(0, "read"));
        assert_eq!(reported.release_threshold, setting(4096, "set"));
        assert_eq!(
            (reported.opportunistic, reported.internal_dependencies),
            (None, None)
        );
        assert_eq!((reported.trims, reported.last_trim_bytes), (2, Some(0)));
        // A log never shows reserved bytes, and shows used bytes only if it has the pool's creation.
        assert_eq!(reported.reserved.map(|it| it.log_bytes), Some(None));
        assert_eq!(reported.used.map(|it| it.log_bytes), Some(None));
    }
}
