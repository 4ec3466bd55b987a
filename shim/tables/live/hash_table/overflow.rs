//! Entries that do not fit in a slot, mostly blocks of 16 GiB and more. There are few.

use super::{AllocKindTable, Entry, ShardSlots, Slot, State};
use aclsan_log::CallSiteId;

impl ShardSlots {
    /// The slot for `entry` under the key with this rest of a hash.
    #[inline(always)]
    pub fn slot(&mut self, rest: u64, entry: &Entry, kinds: &AllocKindTable) -> Slot {
        if self.overflow.is_empty()
            && let Some(slot) = Slot::of(rest, entry, kinds)
        {
            return slot;
        }
        self.put_overflow(rest, entry, kinds)
    }

    /// Stores `entry` in the slot at `at`.
    #[inline]
    pub fn set(&mut self, at: usize, entry: &Entry, kinds: &AllocKindTable) {
        self.list[at] = self.slot(self.list[at].rest(), entry, kinds);
    }

    /// Stores the entry in the overflow map if it does not fit. Returns its slot.
    #[cold]
    #[inline(never)]
    fn put_overflow(&mut self, rest: u64, entry: &Entry, kinds: &AllocKindTable) -> Slot {
        self.forget_overflow(rest);
        Slot::of(rest, entry, kinds).unwrap_or_else(|| {
            self.overflow.insert(rest, *entry);
            Slot::overflow(rest)
        })
    }

    /// Marks the block at `at` as freed if it is live and in the overflow map. Returns the entry as it was.
    #[cold]
    #[inline(never)]
    pub fn release_overflow(
        &mut self,
        at: usize,
        site: CallSiteId,
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

    /// The entry in the overflow map, if any.
    #[cold]
    #[inline(never)]
    pub fn overflow_entry(&self, rest: u64) -> Option<Entry> {
        self.overflow.get(&rest).copied()
    }

    /// Removes it.
    pub fn forget_overflow(&mut self, rest: u64) {
        if !self.overflow.is_empty() {
            self.overflow.remove(&rest);
        }
    }
}
