//! Entries that do not fit into a slot: blocks of 16 GiB and more, most of all, of which there are few.

use super::{AllocKindTable, Entry, ShardSlots, Slot, State};
use aclsan_log::SiteId;

impl ShardSlots {
    /// What stands for `entry`, under the key with that rest of a hash.
    #[inline(always)]
    pub fn slot(&mut self, rest: u64, entry: &Entry, kinds: &AllocKindTable) -> Slot {
        match Slot::of(rest, entry, kinds) {
            Some(slot) if self.overflow.is_empty() => slot,
            slot => self.put_overflow(rest, entry, slot),
        }
    }

    /// Has the slot at `at` stand for `entry`.
    #[inline]
    pub fn set(&mut self, at: usize, entry: &Entry, kinds: &AllocKindTable) {
        self.list[at] = self.slot(self.list[at].rest(), entry, kinds);
    }

    /// Keeps the entry elsewhere, if it does not fit into a slot; what its slot has.
    #[cold]
    #[inline(never)]
    fn put_overflow(&mut self, rest: u64, entry: &Entry, slot: Option<Slot>) -> Slot {
        self.forget_overflow(rest);
        slot.unwrap_or_else(|| {
            self.overflow.insert(rest, *entry);
            Slot::overflow(rest)
        })
    }

    /// Has the block whose entry is at `at` end, if it is live and does not fit: the entry as it was.
    #[cold]
    #[inline(never)]
    pub fn release_overflow(
        &mut self,
        at: usize,
        site: SiteId,
        age: u8,
        kinds: &AllocKindTable,
    ) -> Option<Entry> {
        let entry = self.entry(at, kinds)?;
        if entry.state != State::Live {
            return None;
        }
        let released = Entry {
            end: site,
            state: State::Released,
            age,
            guard: 0,
            slack: 0,
            ..entry
        };
        self.set(at, &released, kinds);
        Some(entry)
    }

    /// The entry that stands elsewhere, if there is one.
    #[cold]
    #[inline(never)]
    pub fn overflow_entry(&self, rest: u64) -> Option<Entry> {
        self.overflow.get(&rest).copied()
    }

    /// Drops it.
    pub fn forget_overflow(&mut self, rest: u64) {
        if !self.overflow.is_empty() {
            self.overflow.remove(&rest);
        }
    }
}
