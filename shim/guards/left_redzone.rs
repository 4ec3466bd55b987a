//! Left redzones (`guard=both`). The program gets the address after the redzone; calls that need the block's real start get it translated.
//!
//! ```text
//! real start ─▶ left redzone, asked for on top │ the program's bytes │ alignment padding │ right redzone
//!               start − length                   start, as the program knows it
//! ```
//! Calls that accept any address inside a block need no translation: copies, kernels, descriptors, models, exports of whole pages, host
//! registrations, pointer attributes. Releases and `aclrtMemGetAddressRange` do.

use super::redzone::{self, Mismatch};
use super::{Device, Space};
use aclsan_log::record::ByteSample;
use aclsan_os::lock::{Mutex, rank};
use aclsan_rules::api::fast_hash::FastMap;
use aclsan_rules::evidence::pattern;
use aclsan_tables::live::Entry;
use std::ffi::c_void;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Bytes directly before a block that are compared, at most.
const MAX_COMPARED: usize = 4096;

/// The redzone before a block.
#[derive(Clone, Copy)]
struct LeftRedzone {
    /// Bytes from the real start to the program's start.
    length: u64,
    /// Whether its pattern is still compared; not after corruption was reported.
    is_watched: bool,
}

/// Left redzones by the program's address, and the program's addresses by real start. Not part of the per-process state: a forked child keeps
/// using its parent's pointers.
pub struct Table {
    redzones: FastMap<u64, LeftRedzone>,
    starts: FastMap<u64, u64>,
}

/// Locked across a fork, so that the child finds it consistent.
pub static TABLE: Mutex<rank::LeftRedzones, Table> = Mutex::new(Table {
    redzones: FastMap::with_hasher(BuildHasherDefault::new()),
    starts: FastMap::with_hasher(BuildHasherDefault::new()),
});
static COUNT: AtomicUsize = AtomicUsize::new(0);

impl Table {
    fn put(&mut self, address: u64, redzone: LeftRedzone) {
        self.redzones.insert(address, redzone);
        self.starts.insert(address - redzone.length, address);
    }

    fn take(&mut self, address: u64) -> Option<LeftRedzone> {
        let redzone = self.redzones.remove(&address)?;
        self.starts.remove(&(address - redzone.length));
        Some(redzone)
    }
}

fn change<T>(work: impl FnOnce(&mut Table) -> T) -> T {
    let mut table = TABLE.lock();
    let done = work(&mut table);
    COUNT.store(table.redzones.len(), Relaxed);
    done
}

/// Whether any block has a left redzone.
#[inline(always)]
fn any() -> bool {
    COUNT.load(Relaxed) > 0
}

fn compared(length: u64) -> usize {
    usize::try_from(length).map_or(MAX_COMPARED, |length| length.min(MAX_COMPARED))
}

/// Writes the pattern at the end of the first `length` bytes and registers the translation. Returns the address for the program; `None` if
/// the pattern cannot be written, and the program gets the real start.
#[cold]
pub fn open(device: &impl Device, space: Space, real: u64, length: u64) -> Option<u64> {
    let pattern = pattern::before_start(compared(length))?;
    let address = real.checked_add(length)?;
    if !device.write(space, address - pattern.len() as u64, pattern) {
        return None;
    }
    let is_watched = true;
    change(|table| table.put(address, LeftRedzone { length, is_watched }));
    Some(address)
}

/// Bytes from the real start to `address`; 0 for a block without a left redzone.
#[inline(always)]
pub fn length_before(address: u64) -> u64 {
    if !any() {
        return 0;
    }
    change(|table| (table.redzones.get(&address)).map_or(0, |redzone| redzone.length))
}

/// The program's address of the block that really starts at `real`.
#[inline(always)]
pub fn program_address(real: u64) -> Option<u64> {
    any().then(|| change(|table| table.starts.get(&real).copied()))?
}

/// Whether the bytes before the block at `address` are compared.
pub fn is_watched(address: u64) -> bool {
    compared_before(address).is_some()
}

/// How many bytes before the block at `address` are compared.
#[inline(always)]
fn compared_before(address: u64) -> Option<usize> {
    let redzone = any().then(|| change(|table| table.redzones.get(&address).copied()))??;
    redzone.is_watched.then(|| compared(redzone.length))
}

/// Releases the block that the program knows by `address`; `forward` gets the real start. The translation is removed before the call:
/// afterwards the memory may already be another thread's.
#[inline(always)]
pub fn release(address: *mut c_void, forward: impl FnOnce(*mut c_void) -> i32) -> i32 {
    if !any() {
        return forward(address);
    }
    release_translated(address as u64, |real| forward(real as *mut c_void))
}

#[cold]
fn release_translated(address: u64, forward: impl FnOnce(u64) -> i32) -> i32 {
    let (redzone, inside) = change(|table| {
        let redzone = table.take(address);
        // A real start, which the program was never given: it must not release that block.
        let inside = table.starts.get(&address).copied();
        (redzone, inside)
    });
    let Some(redzone) = redzone else {
        return forward(inside.unwrap_or(address));
    };
    let status = forward(address - redzone.length);
    if status != 0 {
        change(|table| table.put(address, redzone));
    }
    status
}

/// Removes a block whose memory a device reset has dropped.
pub fn forget(address: u64) {
    if any() {
        change(|table| table.take(address));
    }
}

/// Stops comparing the left redzone of a block, after its corruption was reported.
pub fn reported(address: u64) {
    if any() {
        change(|table| {
            if let Some(redzone) = table.redzones.get_mut(&address) {
                redzone.is_watched = false;
            }
        });
    }
}

/// Compares the bytes before a block with the pattern. The outer `None` if there is nothing to compare, or it cannot be read.
#[inline(always)]
pub fn compare(device: &impl Device, address: u64, entry: &Entry) -> Option<Option<Mismatch>> {
    let length = compared_before(address)?;
    let pattern = pattern::before_start(length)?;
    let from = address - length as u64;
    let differs = redzone::difference(device, Space::of(entry), from, pattern)?;
    Some(mismatch(length, differs))
}

/// Converts a differing range of the `length` bytes before a block to offsets from its start.
fn mismatch(length: usize, differs: Option<(Range<usize>, ByteSample)>) -> Option<Mismatch> {
    let (range, found) = differs?;
    Some(Mismatch {
        offset: ((length - range.start) as u64).wrapping_neg(),
        extent: range.len() as u64,
        found,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_device::{FakeDevice, entry};

    #[test]
    fn addresses_are_translated_until_the_release_succeeds() {
        let device = FakeDevice::default();
        let real = 1 << 41;
        let address = open(&device, Space::Device, real, 4096).unwrap();
        assert_eq!((address, length_before(address)), (real + 4096, 4096));
        assert_eq!(program_address(real), Some(address));
        assert_eq!(compare(&device, address, &entry(64)), Some(None));
        device.write(Space::Device, address - 2, &[0]);
        let mismatch = compare(&device, address, &entry(64)).unwrap().unwrap();
        assert_eq!((mismatch.offset.wrapping_neg(), mismatch.extent), (2, 1));
        reported(address);
        assert_eq!(compare(&device, address, &entry(64)), None);
        // The program was never given the real start: a release of it is passed on as the block that the runtime does not know.
        let pointer = |address: u64| address as *mut c_void;
        assert_eq!(
            release(pointer(real), |start| (start as u64 == address) as i32),
            1
        );
        let refused = release(pointer(address), |start| (start as u64 == real) as i32);
        assert_eq!((refused, length_before(address)), (1, 4096));
        assert_eq!(release(pointer(address), |_| 0), 0);
        assert_eq!((length_before(address), program_address(real)), (0, None));
    }

    #[test]
    fn corruption_before_a_block_is_placed_from_its_start() {
        let pattern = pattern::before_start(512).unwrap();
        let mut bytes = pattern.to_vec();
        let differs = redzone::first_and_last_mismatch(&bytes, pattern);
        assert!(mismatch(512, differs).is_none());
        (bytes[508], bytes[511]) = (0, 0); // the fourth and the first before the block
        let differs = redzone::first_and_last_mismatch(&bytes, pattern);
        let mismatch = mismatch(512, differs).unwrap();
        assert_eq!((mismatch.offset.wrapping_neg(), mismatch.extent), (4, 4));
    }
}
