//! Right redzones: writing the pattern, and comparing it.

use super::plan::Plan;
use super::{Device, Space};
use aclsan_log::record::ByteSample;
use aclsan_rules::evidence::pattern;
use aclsan_tables::live::Entry;
use std::ops::Range;

/// Bytes that fit into the small stack buffer: a right redzone of the default length, and its padding.
const SMALL: usize = 256;

/// A run of bytes that differ from the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Offset of the first from the block's start; wraps around for bytes before the start.
    pub offset: u64,
    /// Length from the first to the last.
    pub extent: u64,
    /// The bytes found, up to a limit.
    pub found: ByteSample,
}

/// Writes the pattern after the block at `address`; `false` if the runtime refuses.
pub fn write_pattern(
    device: &impl Device,
    space: Space,
    address: u64,
    size: u64,
    plan: &Plan,
) -> bool {
    let length = usize::from(plan.padding) + usize::from(plan.right);
    pattern::behind_end(length).is_some_and(|bytes| device.write(space, address + size, bytes))
}

/// Compares the bytes after a block with the pattern. The outer `None` if the block has no right redzone, or it cannot be read.
pub fn compare(device: &impl Device, address: u64, entry: &Entry) -> Option<Option<Mismatch>> {
    if entry.slack == 0 && entry.guard == 0 {
        return None;
    }
    let length = usize::from(entry.slack) + usize::from(entry.guard);
    let pattern = pattern::behind_end(length)?;
    let differs = difference(device, Space::of(entry), address + entry.size, pattern)?;
    Some(differs.map(|(range, found)| Mismatch {
        offset: entry.size + range.start as u64,
        extent: range.len() as u64,
        found,
    }))
}

/// Range from the first to the last of the bytes at `from` that differ from `pattern`; the outer `None` if they cannot be read.
pub(super) fn difference(
    device: &impl Device,
    space: Space,
    from: u64,
    pattern: &[u8],
) -> Option<Option<(Range<usize>, ByteSample)>> {
    match pattern.len() {
        0..=SMALL => difference_in(&mut [0; SMALL], device, space, from, pattern),
        _ => difference_in(&mut [0; pattern::MAX_PATTERN], device, space, from, pattern),
    }
}

#[inline(always)]
fn difference_in(
    buffer: &mut [u8],
    device: &impl Device,
    space: Space,
    from: u64,
    pattern: &[u8],
) -> Option<Option<(Range<usize>, ByteSample)>> {
    let bytes = buffer.get_mut(..pattern.len())?;
    let is_read = device.read(space, from, bytes);
    is_read.then(|| first_and_last_mismatch(bytes, pattern))
}

/// Range from the first to the last differing byte. Compares whole slices first: nearly all checks end there.
pub(super) fn first_and_last_mismatch(
    bytes: &[u8],
    pattern: &[u8],
) -> Option<(Range<usize>, ByteSample)> {
    if bytes == pattern {
        return None;
    }
    let differs = |&i: &usize| bytes[i] != pattern[i];
    let first = (0..bytes.len()).find(differs)?;
    let end = (first..bytes.len()).rev().find(differs)? + 1;
    Some((first..end, ByteSample::new(&bytes[first..end])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake_device::{FakeDevice, entry};

    const PLAN: Plan = Plan {
        ask: 128,
        padding: 28,
        right: 64,
        left: 0,
    };

    #[test]
    fn what_was_written_compares_equal_and_an_overrun_is_found_with_its_bytes() {
        let device = FakeDevice::default();
        let entry = Entry {
            guard: PLAN.right,
            slack: PLAN.padding,
            ..entry(100)
        };
        assert!(write_pattern(&device, Space::Device, 4096, 100, &PLAN));
        assert_eq!(compare(&device, 4096, &entry), Some(None));
        device.write(Space::Device, 4096 + 100, &[0xff; 3]);
        let mismatch = compare(&device, 4096, &entry).unwrap().unwrap();
        assert_eq!((mismatch.offset, mismatch.extent), (100, 3));
        assert_eq!(mismatch.found, ByteSample::new(&[0xff; 3]));
    }

    #[test]
    fn what_cannot_be_read_or_has_no_redzone_is_neither_whole_nor_corrupted() {
        let device = FakeDevice::default();
        assert_eq!(compare(&device, 4096, &entry(100)), None);
        device.refuses.set(true);
        assert!(!write_pattern(&device, Space::Device, 4096, 100, &PLAN));
        let guarded = Entry {
            guard: 64,
            ..entry(100)
        };
        assert_eq!(compare(&device, 4096, &guarded), None);
    }

    #[test]
    fn what_differs_is_found_wherever_it_is() {
        for length in [1, 127, SMALL, SMALL + 1, pattern::MAX_PATTERN] {
            let pattern = pattern::behind_end(length).unwrap();
            assert_eq!(first_and_last_mismatch(pattern, pattern), None);
            for (first, last) in [(0, 0), (0, length - 1), (length / 2, length - 1)] {
                let mut bytes = pattern.to_vec();
                (bytes[first], bytes[last]) = (0, 0);
                let (range, found) = first_and_last_mismatch(&bytes, pattern).unwrap();
                assert_eq!(range, first..last + 1);
                assert_eq!(found, ByteSample::new(&bytes[first..=last]));
            }
        }
    }
}
