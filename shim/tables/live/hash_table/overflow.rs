//! Entries that do not fit in a slot, mostly blocks of 16 GiB and more. There are few.
//!
//! Results are boxed: a slot's entry is in registers, and would go through memory if a function returned the other kind there.

use super::{AllocKindTable, Entry, ShardSlots, Slot, State};
use aclsan_log::CallSiteId;

impl ShardSlots {
    /// The slot for `entry` under the key with this rest of a hash.
    #[inline(always)]
    pub fn slot(&mut self, rest: u64, entry: &Entry, kinds: &AllocKindTable) -> Slot {
        if self.overflow.is_none()
            && let Some(slot) = Slot::of(rest, entry, kinds)
        {
            return slot;
        }
        *self.put_overflow(rest, entry, kinds)
    }

    /// Stores `entry` in the slot at `at`.
    #[inline]
    pub fn set(&mut self, at: usize, entry: &Entry, kinds: &AllocKindTable) {
        self.list[at] = self.slot(self.list[at].rest(), entry, kinds);
    }

    /// Stores the entry in the overflow map if it does not fit. Returns its slot.
    #[cold]
    #[inline(never)]
    fn put_overflow(&mut self, rest: u64, entry: &Entry, kinds: &AllocKindTable) -> Box<Slot> {
        self.forget_overflow(rest);
        let slot = Slot::of(rest, entry, kinds).unwrap_or_else(|| {
            self.overflow.get_or_insert_default().insert(rest, *entry);
            Slot::overflow(rest)
        });
        Box::new(slot)
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
    ) -> Option<Box<Entry>> {
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
        Some(Box::new(entry))
    }

    /// The entry in the overflow map, if any.
    #[cold]
    #[inline(never)]
    pub fn overflow_entry(&self, rest: u64) -> Option<Box<Entry>> {
        let entry = self.overflow.as_ref()?.get(&rest)?;
        Some(Box::new(*entry))
    }

    /// Removes it.
    pub fn forget_overflow(&mut self, rest: u64) {
        if let Some(entries) = &mut self.overflow {
            entries.remove(&rest);
            if entries.is_empty() {
                self.overflow = None;
            }
        }
    }
}
