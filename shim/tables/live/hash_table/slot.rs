//! An entry and its key in 24 bytes:
//!
//! ```text
//! rest of the hash 57 │ 3 unused │ 1 if the entry is in the overflow map │ status 3
//! id, high 10 │ kind 8 │ site that freed it, or of a live block padding 8 and redzone 13 │ site 23
//! id, low 30 │ size 34
//! ```
//!
//! The hash is a bijection, and all hashes of a shard begin with its number, so the rest identifies the key. A kind is
//! a function and a device: see [`AllocKindTable`]. Blocks of 16 GiB and more, and whatever else does not fit, are in
//! the overflow map.

use super::super::entry::{Entry, State};
use super::SHARD_BITS;
use super::alloc_kinds::AllocKindTable;
use aclsan_log::{BlockId, CallSiteId};

/// An empty slot is all zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot([u64; 3]);

const REST: u64 = !((1 << SHARD_BITS) - 1);
const STATUS: u64 = 7;
const LIVE: u64 = 1;
/// A status above [`LIVE`] is that of a freed block, with its generation in the last bit.
const STATE_SHIFT: u32 = 1;
const OVERFLOW: u64 = 1 << 3;

const SITE_BITS: u32 = 23;
const SITE: u64 = (1 << SITE_BITS) - 1;
const GUARD_BITS: u32 = 13;
const GUARD: u64 = (1 << GUARD_BITS) - 1;
const KIND_SHIFT: u32 = 2 * SITE_BITS;
const ID_HIGH_SHIFT: u32 = KIND_SHIFT + 8;

const SIZE_BITS: u32 = 34;
const SIZE: u64 = (1 << SIZE_BITS) - 1;
const ID_LOW_BITS: u32 = 64 - SIZE_BITS;
const ID: u64 = (1 << (ID_LOW_BITS + 64 - ID_HIGH_SHIFT)) - 1;

const _: () = assert!(OVERFLOW < 1 << SHARD_BITS && GUARD_BITS + 8 <= SITE_BITS);

impl Slot {
    /// Packs an entry for the key with this rest of a hash, given in its first bits. `None` if it does not fit.
    #[inline(always)]
    pub fn of(rest: u64, entry: &Entry, kinds: &AllocKindTable) -> Option<Self> {
        let kind = kinds.number(entry.function, entry.device)?;
        let (id, site, end) = (entry.id.0, u64::from(entry.site.0), u64::from(entry.end.0));
        let guard = u64::from(entry.guard);
        let beyond = (entry.size & !SIZE) | (guard & !GUARD) | ((site | end) & !SITE);
        // Blocks that are not on record all have the number of all ones.
        let fits = beyond == 0 && id.wrapping_add(1) <= ID;
        let (status, tail) = match entry.state {
            State::Live => (LIVE, guard | u64::from(entry.slack) << GUARD_BITS),
            state => (ended(state, entry.age), end),
        };
        fits.then(|| {
            Self([
                rest | status,
                site | tail << SITE_BITS
                    | u64::from(kind) << KIND_SHIFT
                    | id >> ID_LOW_BITS << ID_HIGH_SHIFT,
                entry.size | id << SIZE_BITS,
            ])
        })
    }

    /// The slot that refers to the overflow map.
    pub fn overflow(rest: u64) -> Self {
        Self([rest | OVERFLOW, 0, 0])
    }

    /// Whether the entry is in the overflow map.
    #[inline(always)]
    pub fn is_overflow(&self) -> bool {
        self.0[0] & OVERFLOW != 0
    }

    /// Whether the slot is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0[0] & !REST == 0
    }

    /// Whether it is occupied by a key with a smaller rest. One comparison checks both.
    #[inline(always)]
    pub fn is_before(&self, rest: u64) -> bool {
        self.0[0].wrapping_sub(1) < rest.saturating_sub(1)
    }

    /// Whether it holds the key with this rest.
    #[inline(always)]
    pub fn is_of(&self, rest: u64) -> bool {
        self.rest() == rest && !self.is_empty()
    }

    /// The rest of its key's hash.
    #[inline(always)]
    pub fn rest(&self) -> u64 {
        self.0[0] & REST
    }

    /// The entry; `None` if the slot is empty or the entry is in the overflow map.
    #[inline(always)]
    pub fn entry(&self, kinds: &AllocKindTable) -> Option<Entry> {
        let [first, second, third] = self.0;
        let status = first & STATUS;
        if status == 0 {
            return None;
        }
        let id = third >> SIZE_BITS | second >> ID_HIGH_SHIFT << ID_LOW_BITS;
        let (function, device) = kinds.get((second >> KIND_SHIFT) as u8);
        let tail = second >> SITE_BITS & SITE;
        let (state, end, guard) = match status {
            LIVE => (State::Live, 0, tail),
            ended => (State::of(ended >> STATE_SHIFT), tail, 0),
        };
        Some(Entry {
            id: BlockId(if id == ID { u64::MAX } else { id }),
            size: third & SIZE,
            site: CallSiteId((second & SITE) as u32),
            end: CallSiteId(end as u32),
            guard: (guard & GUARD) as u16,
            slack: (guard >> GUARD_BITS) as u8,
            function,
            device,
            state,
            age: if status == LIVE {
                0
            } else {
                (status & 1) as u8
            },
        })
    }

    /// Whether it holds a live block that is not in the overflow map.
    #[inline(always)]
    pub fn is_live(&self) -> bool {
        self.0[0] & STATUS == LIVE
    }

    /// Marks the live block as freed by `site`. Returns `false`, and does nothing, if it is not live or the site does
    /// not fit.
    #[inline(always)]
    pub fn release(&mut self, site: CallSiteId, age: u8) -> bool {
        let (site, [first, second, _]) = (u64::from(site.0), &mut self.0);
        if *first & STATUS != LIVE || site > SITE {
            return false;
        }
        *first = *first & !STATUS | ended(State::Released, age);
        *second = *second & !(SITE << SITE_BITS) | site << SITE_BITS;
        true
    }
}

#[inline(always)]
fn ended(state: State, age: u8) -> u64 {
    (state as u64) << STATE_SHIFT | u64::from(age & 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: Entry = Entry {
        id: BlockId(5 << 16 | 7),
        size: 4096,
        site: CallSiteId(11),
        end: CallSiteId(0),
        guard: 512,
        slack: 31,
        function: 3,
        device: -1,
        state: State::Live,
        age: 0,
    };
    const MAX_FREED: Entry = Entry {
        end: CallSiteId(77),
        guard: 0,
        slack: 0,
        state: State::Released,
        age: 1,
        ..ENTRY
    };
    const HASH: u64 = 0x1234_5678_9abc_de00;

    fn comes_back(entry: Entry) -> bool {
        let kinds = AllocKindTable::default();
        let slot = Slot::of(HASH, &entry, &kinds).unwrap();
        assert!(slot.rest() == HASH && !slot.is_empty() && !slot.is_overflow());
        assert_eq!(slot.is_live(), entry.state == State::Live);
        slot.entry(&kinds) == Some(entry)
    }

    #[test]
    fn entries_fit_or_say_that_they_do_not() {
        let most = Entry {
            id: BlockId(ID - 1),
            size: SIZE,
            site: CallSiteId(SITE as u32),
            guard: GUARD as u16,
            slack: 255,
            function: u16::MAX,
            device: 127,
            ..ENTRY
        };
        let id = BlockId(u64::MAX);
        assert!(comes_back(ENTRY) && comes_back(most) && comes_back(Entry { id, ..ENTRY }));
        for (state, age) in [State::Released, State::Reset, State::Sent]
            .into_iter()
            .flat_map(|state| [(state, 0), (state, 1)])
        {
            let end = CallSiteId(SITE as u32);
            assert!(
                comes_back(Entry {
                    state,
                    age,
                    ..MAX_FREED
                }),
                "{state:?}"
            );
            assert!(
                comes_back(Entry {
                    state,
                    age,
                    end,
                    guard: 0,
                    slack: 0,
                    ..most
                }),
                "{state:?}"
            );
        }
        for large in [
            Entry {
                size: SIZE + 1,
                ..most
            },
            Entry {
                guard: 1 << 13,
                ..most
            },
            Entry {
                id: BlockId(ID),
                ..most
            },
            Entry {
                site: CallSiteId(1 << 23),
                ..most
            },
            Entry {
                end: CallSiteId(1 << 23),
                ..MAX_FREED
            },
        ] {
            assert_eq!(
                Slot::of(HASH, &large, &AllocKindTable::default()),
                None,
                "{large:?}"
            );
        }
        let far = Slot::overflow(HASH);
        assert!(far.is_overflow() && !far.is_live() && !far.is_empty() && far.rest() == HASH);
        assert!(Slot::default().is_empty());
    }

    #[test]
    fn a_release_changes_only_what_marks_an_end() {
        let kinds = AllocKindTable::default();
        let mut slot = Slot::of(HASH, &ENTRY, &kinds).unwrap();
        assert!(slot.release(CallSiteId(77), 1));
        assert_eq!(slot.entry(&kinds), Some(MAX_FREED));
        assert!(!slot.is_live() && slot.rest() == HASH);
        assert!(
            !slot.release(CallSiteId(78), 0) && !Slot::overflow(HASH).release(CallSiteId(1), 0)
        );
        assert_eq!(slot.entry(&kinds), Some(MAX_FREED));
        let mut slot = Slot::of(HASH, &ENTRY, &kinds).unwrap();
        assert!(!slot.release(CallSiteId(1 << 23), 0));
        assert_eq!(slot.entry(&kinds), Some(ENTRY));
    }

    #[test]
    fn slots_come_in_the_order_of_their_hashes_and_empty_ones_end_a_search() {
        let step = 1 << SHARD_BITS;
        let slot = |rest| Slot::of(rest, &ENTRY, &AllocKindTable::default()).unwrap();
        for rest in [0, step, 7 * step, REST] {
            for slot in [slot(rest), Slot::overflow(rest)] {
                assert!(slot.is_of(rest) && !slot.is_before(rest));
            }
            assert!(!Slot::default().is_before(rest) && !Slot::default().is_of(rest));
        }
        for (less, more) in [(0, step), (step, 2 * step), (REST - step, REST)] {
            assert!(slot(less).is_before(more) && Slot::overflow(less).is_before(more));
            assert!(!slot(more).is_before(less) && !slot(more).is_of(less));
        }
    }
}
