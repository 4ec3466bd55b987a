//! The segments that are known, by where they start.
//!
//! A pool adds and removes one at each tensor, while only findings and data buffers ask for those beside an address. So
//! a table has them, and their order is kept from the first such question on.

use super::Owner;
use crate::api::fast_hash::FastMap;
use crate::evidence::suballocation::Segment;
use aclsan_log::BlockId;
use aclsan_log::branch::cold_path;
use std::collections::BTreeSet;
use std::sync::OnceLock;

pub(super) struct Known {
    pub segment: Segment,
    pub owner: Owner,
    pub block: BlockId,
}

impl Known {
    pub fn is_buffer(&self) -> bool {
        matches!(self.owner, Owner::Buffer(_))
    }
}

#[derive(Default)]
pub(super) struct Segments {
    known: FastMap<u64, Known>,
    /// How many are no data buffers.
    reported: usize,
    /// The starts of all, once somebody has asked for them.
    order: OnceLock<BTreeSet<u64>>,
}

impl Segments {
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there are data buffers alone.
    pub fn are_buffers(&self) -> bool {
        self.reported == 0
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn contains(&self, start: u64) -> bool {
        self.known.contains_key(&start)
    }

    /// The one that starts there.
    pub fn get(&self, start: u64) -> Option<&Known> {
        self.known.get(&start)
    }

    /// In place of any that starts there.
    pub fn insert(&mut self, new: Known) {
        let start = new.segment.address;
        if let Some(order) = self.order.get_mut() {
            cold_path();
            order.insert(start);
        }
        self.reported += usize::from(!new.is_buffer());
        let old = self.known.insert(start, new);
        self.reported -= usize::from(old.is_some_and(|old| !old.is_buffer()));
    }

    /// Removes the one that starts there, if it `is_meant`.
    pub fn remove_if(&mut self, start: u64, is_meant: impl FnOnce(&Known) -> bool) {
        use std::collections::hash_map::Entry::Occupied;
        if let Occupied(known) = self.known.entry(start)
            && is_meant(known.get())
        {
            self.reported -= usize::from(!known.remove().is_buffer());
            if let Some(order) = self.order.get_mut() {
                cold_path();
                order.remove(&start);
            }
        }
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&Known) -> bool) {
        self.known.retain(|_, known| is_kept(known));
        let reported = self.known.values().filter(|known| !known.is_buffer());
        self.reported = reported.count();
        self.order.take();
    }

    /// Those that start in `from..to`, by address.
    pub fn within(&self, from: u64, to: u64) -> impl DoubleEndedIterator<Item = &Known> {
        let order = self
            .order
            .get_or_init(|| self.known.keys().copied().collect());
        order
            .range(from..to.max(from))
            .map(|start| &self.known[start])
    }

    /// The last that starts at `address` or before.
    pub fn last_until(&self, address: u64) -> Option<&Known> {
        // Nothing with bytes starts at the very end.
        self.within(0, address.saturating_add(1)).next_back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::testing::HERE;
    use std::collections::BTreeMap;

    fn known(address: u64, size: u64) -> Known {
        Known {
            segment: Segment {
                address,
                size,
                site: HERE,
            },
            owner: match size % 3 {
                0 => Owner::Buffer(size),
                _ => Owner::Heap(0),
            },
            block: BlockId(1),
        }
    }

    /// The same whether the order is asked for at each step, or never before the end.
    #[test]
    fn the_order_is_that_of_a_sorted_map() {
        for between in [1, 7, 2_000] {
            let (mut segments, mut model) = (Segments::default(), BTreeMap::new());
            let mut random = 1_u64;
            for step in 0..2_000 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let address = (random >> 33) % 200 * 64;
                match random >> 62 {
                    0 => {
                        segments.remove_if(address, |known| known.segment.size % 2 == 0);
                        if model.get(&address).is_some_and(|size| size % 2 == 0) {
                            model.remove(&address);
                        }
                    }
                    1 if step % 97 == 0 => {
                        segments.retain(|known| known.segment.address % 128 == 0);
                        model.retain(|start, _| start % 128 == 0);
                    }
                    _ => {
                        segments.insert(known(address, step));
                        model.insert(address, step);
                    }
                }
                assert_eq!(segments.len(), model.len());
                let are_buffers = model.values().all(|size| size % 3 == 0);
                assert_eq!(segments.are_buffers(), are_buffers);
                if step % between == 0 {
                    let found = segments.within(address, 100 * 64);
                    let found: Vec<_> = found.map(|known| known.segment.address).collect();
                    let expected = model.range(address..address.max(100 * 64));
                    assert_eq!(found, expected.map(|(start, _)| *start).collect::<Vec<_>>());
                    let last = segments.last_until(address).map(|known| known.segment.size);
                    let expected = model.range(..=address).next_back();
                    assert_eq!(last, expected.map(|(_, size)| *size));
                }
            }
        }
    }
}
