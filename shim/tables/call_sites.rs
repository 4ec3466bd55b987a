//! Call sites: a hooked function with its rarely changing arguments, its device and its stack, interned once and then
//! named by a number.
//!
//! A lookup takes no lock: it probes an open-addressed table of hashes that only grows. Two sites whose hashes have the same upper 41 bits, and
//! whose searches meet, would be taken for one; with a million sites the probability is about 1 in 4 million.

mod packed_frames;
mod table;

use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::{Mutex, rank};
use aclsan_log::CallSiteId;
use aclsan_rules::api::functions::FUNCTIONS;
use aclsan_rules::api::functions::Function;
use table::{MAX_NUMBER, Table};
// Counted under the lock.
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Total frames of all sites interned with their stacks. Past this, calls are recorded without a stack.
const MAX_FRAMES: usize = 1 << 25;
/// Maximum number of sites. The tables then take 128 MiB, the list 160, the frames 256.
const MAX_SITES: u32 = 1 << 22;
/// Sites without a stack that are interned beyond that.
const MAX_WITHOUT_STACK: u32 = 1 << 12;
const _: () = assert!(MAX_SITES + MAX_WITHOUT_STACK <= MAX_NUMBER);
/// Lookups in `/proc/self/maps` allowed for the fills of one site. A lookup costs tens of microseconds, and a site that
/// keeps filling memory of unknown origin has nothing new to say.
const MAX_MAPS_LOOKUPS: u8 = 8;

/// A call site without its stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallSiteKey {
    /// The hooked function.
    pub function: &'static Function,
    /// Its index in `FUNCTIONS`.
    pub number: u16,
    /// Policy, kind or flag.
    pub argument: u32,
    /// Device, −1 if unknown.
    pub device: i32,
}

/// All call sites of the process.
pub struct CallSiteInterner {
    table: AtomicPtr<Table>,
    /// Indexed by site number − 1. Its lock also guards growth of the table.
    records: Mutex<rank::CallSites, Vec<Record>>,
    /// Total number of frames.
    frames: AtomicUsize,
    /// Whether further stacks are no longer interned.
    is_full: AtomicBool,
    max: u32,
}

/// The stored data of a site.
struct Record {
    hash: u64,
    number: u16,
    /// Lookups used.
    maps_lookups: u8,
    argument: u32,
    device: i32,
    frames: Box<[u8]>,
}

/// A call site with its stack, for findings that are printed at once.
#[derive(Clone, Debug)]
pub struct CallSite {
    /// Function, argument, device.
    pub key: CallSiteKey,
    /// Return addresses, innermost first.
    pub frames: Box<[u64]>,
}

impl Default for CallSiteInterner {
    fn default() -> Self {
        Self::new(MAX_SITES)
    }
}

impl CallSiteKey {
    /// The 64-bit hash of the site with this stack.
    pub fn hash(&self, stack: u64) -> u64 {
        hash(self.number, self.argument, self.device, stack)
    }
}

/// The 64-bit hash of a site.
#[inline(always)]
pub fn hash(number: u16, argument: u32, device: i32, stack: u64) -> u64 {
    let rest = u64::from(number) << 48 | u64::from(argument) << 16 ^ u64::from(device as u32);
    let mixed = (stack ^ rest.wrapping_mul(0x9e37_79b9_7f4a_7c15)) as u128 * 0xa076_1d64_78bd_642f;
    (mixed >> 64) as u64 ^ mixed as u64
}

impl CallSiteInterner {
    /// An empty interner that takes up to `max` sites with stacks.
    pub fn new(max: u32) -> Self {
        Self {
            table: AtomicPtr::new(Table::first()),
            records: Mutex::new(Vec::new()),
            frames: AtomicUsize::new(0),
            is_full: AtomicBool::new(false),
            max: max.min(MAX_SITES),
        }
    }

    /// The number of the site with this hash, if known.
    #[inline(always)]
    pub fn find(&self, hash: u64) -> Option<CallSiteId> {
        // SAFETY: the pointer comes from `Table`, and no table is ever freed.
        unsafe { &*self.table.load(Ordering::Acquire) }
            .find(hash)
            .ok()
    }

    /// Whether further stacks are no longer interned.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Numbers a new site. `write` records it before anyone can see its number. Returns site 0 if there are too many.
    pub fn intern(
        &self,
        hash: u64,
        site: CallSite,
        write: impl FnOnce(CallSiteId, &CallSite),
    ) -> CallSiteId {
        let mut list = self.records.lock();
        if let Some(id) = self.find(hash) {
            return id; // Another thread was faster.
        }
        let frames = self.frames.fetch_add(site.frames.len(), Ordering::Relaxed);
        let next = list.len() as u32 + 1;
        if next >= self.max || frames >= MAX_FRAMES {
            self.is_full.store(true, Ordering::Relaxed);
        }
        if next > self.max + MAX_WITHOUT_STACK || list.try_reserve(1).is_err() {
            return CallSiteId(0);
        }
        let id = CallSiteId(list.len() as u32 + 1);
        write(id, &site);
        let CallSiteKey {
            number,
            argument,
            device,
            ..
        } = site.key;
        list.push(Record {
            hash,
            number,
            maps_lookups: 0,
            argument,
            device,
            frames: packed_frames::pack(&site.frames),
        });
        if !self.grow(&list) {
            return id; // Nobody will find it, so it gets a new number each time.
        }
        // SAFETY: as in `find`.
        unsafe { &*self.table.load(Ordering::Relaxed) }.put(hash, id);
        id
    }

    /// Keeps the table at most half full. Call with the lock held. Old tables are kept because readers may be in them;
    /// together they are smaller than the new one. Returns `false` if there is neither memory nor a free slot.
    fn grow(&self, sites: &[Record]) -> bool {
        // SAFETY: as in `find`.
        let old = unsafe { &*self.table.load(Ordering::Relaxed) };
        if sites.len() * 2 <= old.len() {
            return true;
        }
        let new = Table::new(old.len() * 2);
        if new.is_null() {
            return sites.len() + 1 < old.len();
        }
        // SAFETY: just allocated, and nobody else knows it yet.
        let table = unsafe { &*new };
        for (record, number) in sites.iter().zip(1..) {
            table.put(record.hash, CallSiteId(number));
        }
        self.table.store(new, Ordering::Release);
        true
    }

    /// Takes one of the site's lookups in `/proc/self/maps`; `false` if none is left.
    pub fn take_maps_lookup(&self, id: CallSiteId) -> bool {
        let mut list = self.records.lock();
        let index = (id.0 as usize).wrapping_sub(1);
        let Some(record) = list
            .get_mut(index)
            .filter(|record| record.maps_lookups < MAX_MAPS_LOOKUPS)
        else {
            return false;
        };
        record.maps_lookups += 1;
        true
    }

    /// Whether any recorded stack has a frame in one of these ranges.
    pub fn have_frames_in(&self, ranges: &[(u64, u64)]) -> bool {
        let list = self.records.lock();
        let mut frames = list
            .iter()
            .flat_map(|record| packed_frames::unpack(&record.frames));
        frames.any(|frame| {
            ranges
                .iter()
                .any(|range| (range.0..range.1).contains(&frame))
        })
    }

    /// The site with this number; `None` for site 0.
    pub fn get(&self, id: CallSiteId) -> Option<CallSite> {
        let list = self.records.lock();
        let record = list.get((id.0 as usize).checked_sub(1)?)?;
        let key = CallSiteKey {
            function: &FUNCTIONS[usize::from(record.number)],
            number: record.number,
            argument: record.argument,
            device: record.device,
        };
        let frames = packed_frames::unpack(&record.frames);
        Some(CallSite { key, frames })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(argument: u32) -> CallSite {
        CallSite {
            key: CallSiteKey {
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
        let sites = CallSiteInterner::new(1 << 20);
        let keys: Vec<u64> = (0..10_000).map(|i| known(i).key.hash(77)).collect();
        let ids: Vec<CallSiteId> = keys
            .iter()
            .zip(0..)
            .map(|(&key, i)| sites.intern(key, known(i), |_, _| {}))
            .collect();
        assert!(ids.iter().enumerate().all(|(i, id)| id.0 == i as u32 + 1));
        assert!(
            keys.iter()
                .zip(&ids)
                .all(|(&key, &id)| sites.find(key) == Some(id))
        );
        assert_eq!(*sites.get(CallSiteId(501)).unwrap().frames, [500]);
    }

    #[test]
    fn a_site_has_its_share_of_lookups_and_no_more() {
        let sites = CallSiteInterner::new(1 << 20);
        let (one, other) = (
            sites.intern(9, known(1), |_, _| {}),
            sites.intern(11, known(2), |_, _| {}),
        );
        assert_eq!(
            (0..100).filter(|_| sites.take_maps_lookup(one)).count(),
            usize::from(MAX_MAPS_LOOKUPS)
        );
        assert!(sites.take_maps_lookup(other) && !sites.take_maps_lookup(CallSiteId(0)));
    }

    #[test]
    fn a_site_is_written_once_however_often_it_is_added() {
        let sites = CallSiteInterner::new(1 << 20);
        let mut written = 0;
        for _ in 0..3 {
            sites.intern(9, known(1), |_, _| written += 1);
        }
        assert_eq!(written, 1);
    }

    #[test]
    fn beyond_the_maximum_some_sites_fit_without_a_stack_and_then_none() {
        let sites = CallSiteInterner::new(100);
        for i in 0..99 {
            sites.intern(known(i).key.hash(5), known(i), |_, _| {});
            assert!(!sites.is_full(), "{i}");
        }
        sites.intern(known(99).key.hash(5), known(99), |_, _| {});
        assert!(sites.is_full());
        let last = (100..100 + MAX_WITHOUT_STACK + 5)
            .map(|i| sites.intern(known(i).key.hash(0), known(i), |_, _| {}));
        let numbers: Vec<u32> = last.map(|id| id.0).collect();
        assert_eq!(
            numbers[MAX_WITHOUT_STACK as usize - 1],
            100 + MAX_WITHOUT_STACK
        );
        assert_eq!(numbers[MAX_WITHOUT_STACK as usize..], [0; 5]);
    }

    #[test]
    fn device_argument_and_function_tell_sites_apart() {
        let key = |argument, device, number| hash(number, argument, device, 5);
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
