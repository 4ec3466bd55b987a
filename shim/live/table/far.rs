//! Entries that do not fit into a slot: blocks of 32 GiB and more, most of all, of which there are few.

use super::{Entry, Packed, Slots};

/// Such entries, by key.
#[derive(Default)]
pub struct Far(Vec<(u64, Entry)>);

impl Slots {
    /// The entry of `key`, if it is here.
    #[cold]
    #[inline(never)]
    pub fn far_entry(&self, key: u64) -> Option<Entry> {
        let mut all = self.far.iter().flat_map(|far| &far.0);
        all.find(|far| far.0 == key).map(|far| far.1)
    }

    /// Keeps the entry of `key` elsewhere, if it does not fit into a slot; what its slot has.
    #[cold]
    #[inline(never)]
    pub fn keep_far(&mut self, key: u64, entry: &Entry, packed: Option<Packed>) -> Packed {
        self.forget_far(key);
        packed.unwrap_or_else(|| {
            self.far.get_or_insert_default().0.push((key, *entry));
            Packed::FAR
        })
    }

    /// Drops the entry of `key`, if it is here.
    pub fn forget_far(&mut self, key: u64) {
        if let Some(far) = &mut self.far {
            far.0.retain(|far| far.0 != key);
        }
    }

    /// Has the slot at `at` stand for `entry`.
    #[inline]
    pub fn set(&mut self, at: usize, entry: &Entry) {
        let key = !self.list[at].key;
        self.list[at].packed = match Packed::of(entry) {
            Some(packed) if self.far.is_none() => packed,
            packed => self.keep_far(key, entry, packed),
        };
    }
}
