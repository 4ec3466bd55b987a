//! Sites: a call with its arguments that rarely change, its device and its stack, interned once and named by a number after that.
//!
//! A look-up takes no lock: an open-addressed table of 64-bit keys, which only grows. Two different sites that share a key would be
//! taken for one; with a million sites the chance of that is about 1 in 37 million.

mod packed_frames;

use packed_frames as frames;

use crate::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use crate::sync::{FIRST_SLOTS, Mutex, PoisonError};
use aclsan_log::SiteId;
use aclsan_rules::Function;
use aclsan_rules::functions::FUNCTIONS;
// Counted under the lock.
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Frames of all sites that are told apart with their stacks; later calls are recorded without a stack.
const FRAMES_MOST: usize = 1 << 25;
/// Sites that are told apart at most; table and list then take 128 MiB, frames 256.
const MOST: u32 = 1 << 22;
/// Sites without a stack that are told apart beyond that.
const BARE_MOST: u32 = 1 << 12;
/// Looks into `/proc/self/maps` that the fills of one site are worth: a look costs tens of microseconds, and a site that fills memory of
/// unknown origin again and again is the same news each time.
const LOOKS_MOST: u8 = 8;

/// What a site is, apart from its stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// The call.
    pub function: &'static Function,
    /// Its index in `FUNCTIONS`.
    pub number: u16,
    /// Policy, kind or flag.
    pub argument: u32,
    /// Device, −1 when not known.
    pub device: i32,
}

#[derive(Default)]
struct Slot {
    key: AtomicU64,
    id: AtomicU32,
}

struct Table {
    slots: Box<[Slot]>,
}

impl Table {
    /// Null where there is no memory for so many.
    fn new(slots: usize) -> *mut Self {
        let mut list = Vec::new();
        if list.try_reserve_exact(slots).is_err() {
            return std::ptr::null_mut();
        }
        list.extend((0..slots).map(|_| Slot::default()));
        let slots = list.into_boxed_slice();
        Box::into_raw(Box::new(Self { slots }))
    }

    #[inline(always)]
    fn find(&self, key: u64) -> Result<SiteId, usize> {
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        loop {
            match self.slots[at].key.load(Ordering::Acquire) {
                0 => return Err(at),
                found if found == key => {
                    return Ok(SiteId(self.slots[at].id.load(Ordering::Relaxed)));
                }
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn put(&self, key: u64, id: SiteId) {
        if let Err(at) = self.find(key) {
            self.slots[at].id.store(id.0, Ordering::Relaxed);
            self.slots[at].key.store(key, Ordering::Release);
        }
    }
}

/// All sites of the process.
pub struct Sites {
    table: AtomicPtr<Table>,
    /// By site number − 1; also the lock under which the table grows.
    known: Mutex<Vec<Kept>>,
    /// Frames of all of them.
    frames: AtomicUsize,
    /// Whether further stacks are not told apart.
    is_full: AtomicBool,
    most: u32,
}

/// What is kept of a site.
struct Kept {
    number: u16,
    /// Looks taken.
    looks: u8,
    argument: u32,
    device: i32,
    frames: Box<[u8]>,
}

/// A site, for findings that are printed at once.
#[derive(Clone, Debug)]
pub struct Known {
    /// Call, argument, device.
    pub key: Key,
    /// Return addresses, innermost first.
    pub frames: Box<[u64]>,
}

impl Default for Sites {
    fn default() -> Self {
        Self::new(MOST)
    }
}

/// The 64-bit key of a site, never 0.
#[inline(always)]
pub fn hash(key: &Key, stack: u64) -> u64 {
    let rest =
        u64::from(key.number) << 48 | u64::from(key.argument) << 16 ^ u64::from(key.device as u32);
    let mixed = (stack ^ rest.wrapping_mul(0x9e37_79b9_7f4a_7c15)) as u128 * 0xa076_1d64_78bd_642f;
    ((mixed >> 64) as u64 ^ mixed as u64) | 1
}

impl Sites {
    /// None yet; `most` are told apart with their stacks.
    pub fn new(most: u32) -> Self {
        let first = (0..FIRST_SLOTS).map(|_| Slot::default()).collect();
        Self {
            table: AtomicPtr::new(Box::into_raw(Box::new(Table { slots: first }))),
            known: Mutex::new(Vec::new()),
            frames: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            most: most.min(MOST),
        }
    }

    /// The number of the site with this key, if it is known.
    #[inline(always)]
    pub fn find(&self, key: u64) -> Option<SiteId> {
        // SAFETY: the pointer comes from `Table::new` and no table is ever freed.
        unsafe { &*self.table.load(Ordering::Acquire) }
            .find(key)
            .ok()
    }

    /// Whether further stacks are not told apart.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Numbers a new site; `write` puts it on record before its number is told to anybody. Site 0 when there are too many.
    pub fn add(&self, hash: u64, known: Known, write: impl FnOnce(SiteId, &Known)) -> SiteId {
        let mut list = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(id) = self.find(hash) {
            return id; // Another thread was faster.
        }
        let frames = self.frames.fetch_add(known.frames.len(), Ordering::Relaxed);
        let next = list.len() as u32 + 1;
        if next >= self.most || frames >= FRAMES_MOST {
            self.is_full.store(true, Ordering::Relaxed);
        }
        if next > self.most + BARE_MOST || list.try_reserve(1).is_err() {
            return SiteId(0);
        }
        let id = SiteId(list.len() as u32 + 1);
        write(id, &known);
        let Key {
            number,
            argument,
            device,
            ..
        } = known.key;
        list.push(Kept {
            number,
            looks: 0,
            argument,
            device,
            frames: frames::pack(&known.frames),
        });
        if !self.grow(list.len()) {
            return id; // Found by nobody, and numbered anew each time.
        }
        // SAFETY: as in `find`.
        unsafe { &*self.table.load(Ordering::Relaxed) }.put(hash, id);
        id
    }

    /// Keeps the table at most half full. Only called under the lock. The old table stays: readers may be in it, and all old ones
    /// together are smaller than the new one. `false` where there is no memory and no slot left.
    fn grow(&self, sites: usize) -> bool {
        // SAFETY: as in `find`.
        let old = unsafe { &*self.table.load(Ordering::Relaxed) };
        if sites * 2 <= old.slots.len() {
            return true;
        }
        let new = Table::new(old.slots.len() * 2);
        if new.is_null() {
            return sites + 1 < old.slots.len();
        }
        // SAFETY: just allocated, and nobody else knows it yet.
        let table = unsafe { &*new };
        for slot in old
            .slots
            .iter()
            .filter(|slot| slot.key.load(Ordering::Relaxed) != 0)
        {
            table.put(
                slot.key.load(Ordering::Relaxed),
                SiteId(slot.id.load(Ordering::Relaxed)),
            );
        }
        self.table.store(new, Ordering::Release);
        true
    }

    /// Counts a look that a site would like to take; `false` when it has had its share.
    pub fn may_look(&self, id: SiteId) -> bool {
        let mut list = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let index = (id.0 as usize).wrapping_sub(1);
        let Some(kept) = list.get_mut(index).filter(|kept| kept.looks < LOOKS_MOST) else {
            return false;
        };
        kept.looks += 1;
        true
    }

    /// Whether any recorded stack has a frame in one of these ranges.
    pub fn have_frames_in(&self, ranges: &[(u64, u64)]) -> bool {
        let list = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut frames = list.iter().flat_map(|kept| frames::unpack(&kept.frames));
        frames.any(|frame| {
            ranges
                .iter()
                .any(|range| (range.0..range.1).contains(&frame))
        })
    }

    /// What a number stands for; `None` for site 0.
    pub fn get(&self, id: SiteId) -> Option<Known> {
        let list = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = list.get((id.0 as usize).checked_sub(1)?)?;
        let key = Key {
            function: &FUNCTIONS[usize::from(kept.number)],
            number: kept.number,
            argument: kept.argument,
            device: kept.device,
        };
        let frames = frames::unpack(&kept.frames);
        Some(Known { key, frames })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(argument: u32) -> Known {
        Known {
            key: Key {
                function: &FUNCTIONS[0],
                number: 0,
                argument,
                device: 0,
            },
            frames: Box::new([u64::from(argument)]),
        }
    }

    #[test]
    fn ten_thousand_sites_keep_their_numbers_while_the_table_grows() {
        let sites = Sites::new(1 << 20);
        let keys: Vec<u64> = (0..10_000).map(|i| hash(&known(i).key, 77)).collect();
        let ids: Vec<SiteId> = keys
            .iter()
            .zip(0..)
            .map(|(&key, i)| sites.add(key, known(i), |_, _| {}))
            .collect();
        assert!(ids.iter().enumerate().all(|(i, id)| id.0 == i as u32 + 1));
        assert!(
            keys.iter()
                .zip(&ids)
                .all(|(&key, &id)| sites.find(key) == Some(id))
        );
        assert_eq!(*sites.get(SiteId(501)).unwrap().frames, [500]);
    }

    #[test]
    fn a_site_has_its_share_of_looks_and_no_more() {
        let sites = Sites::new(1 << 20);
        let (one, other) = (
            sites.add(9, known(1), |_, _| {}),
            sites.add(11, known(2), |_, _| {}),
        );
        assert_eq!(
            (0..100).filter(|_| sites.may_look(one)).count(),
            usize::from(LOOKS_MOST)
        );
        assert!(sites.may_look(other) && !sites.may_look(SiteId(0)));
    }

    #[test]
    fn a_site_is_written_once_however_often_it_is_added() {
        let sites = Sites::new(1 << 20);
        let mut written = 0;
        for _ in 0..3 {
            sites.add(9, known(1), |_, _| written += 1);
        }
        assert_eq!(written, 1);
    }

    #[test]
    fn beyond_the_most_there_is_room_for_some_without_a_stack_and_then_for_none() {
        let sites = Sites::new(100);
        for i in 0..99 {
            sites.add(hash(&known(i).key, 5), known(i), |_, _| {});
            assert!(!sites.is_full(), "{i}");
        }
        sites.add(hash(&known(99).key, 5), known(99), |_, _| {});
        assert!(sites.is_full());
        let last = (100..100 + BARE_MOST + 5)
            .map(|i| sites.add(hash(&known(i).key, 0), known(i), |_, _| {}));
        let numbers: Vec<u32> = last.map(|id| id.0).collect();
        assert_eq!(numbers[BARE_MOST as usize - 1], 100 + BARE_MOST);
        assert_eq!(numbers[BARE_MOST as usize..], [0; 5]);
    }

    #[test]
    fn device_argument_and_function_tell_sites_apart() {
        let key = |argument, device, number| {
            hash(
                &Key {
                    number,
                    device,
                    ..known(argument).key
                },
                5,
            )
        };
        let keys = [
            key(0, 0, 0),
            key(1, 0, 0),
            key(0, 1, 0),
            key(0, -1, 0),
            key(0, 0, 1),
        ];
        assert!((0..keys.len()).all(|i| !keys[i + 1..].contains(&keys[i])));
    }
}
