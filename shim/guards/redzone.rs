//! Patterns after a block, and what comparing one shows.

use super::plan::Plan;
use super::{Device, Space};
use aclsan_log::record::Found;
use aclsan_rules::pattern;
use aclsan_tables::live::Entry;
use std::ops::Range;

/// Bytes that are compared without much room on the stack: a right redzone of the default length, and its padding.
const SMALL: usize = 256;

/// A run of bytes that differ from the pattern.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// From the block's start to the first of them; wraps around if that is before the start.
    pub offset: u64,
    /// From the first to the last of them.
    pub extent: u64,
    /// The first of them.
    pub found: Found,
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

/// Compares the bytes after a block with the pattern. The outer `None` if it has no redzone there, or the runtime refuses to read it.
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

/// Which of the bytes at `from` differ from `pattern`, from the first to the last of them; the outer `None` if the runtime refuses to read
/// them.
pub(super) fn difference(
    device: &impl Device,
    space: Space,
    from: u64,
    pattern: &[u8],
) -> Option<Option<(Range<usize>, Found)>> {
    match pattern.len() {
        0..=SMALL => difference_in(&mut [0; SMALL], device, space, from, pattern),
        _ => difference_in(&mut [0; pattern::MOST], device, space, from, pattern),
    }
}

#[inline(always)]
fn difference_in(
    buffer: &mut [u8],
    device: &impl Device,
    space: Space,
    from: u64,
    pattern: &[u8],
) -> Option<Option<(Range<usize>, Found)>> {
    let bytes = buffer.get_mut(..pattern.len())?;
    let is_read = device.read(space, from, bytes);
    is_read.then(|| first_and_last_mismatch(bytes, pattern))
}

/// Which bytes differ, from the first to the last. Whole slices are compared first: all but a few looks end there.
pub(super) fn first_and_last_mismatch(
    bytes: &[u8],
    pattern: &[u8],
) -> Option<(Range<usize>, Found)> {
    if bytes == pattern {
        return None;
    }
    let differs = |&i: &usize| bytes[i] != pattern[i];
    let first = (0..bytes.len()).find(differs)?;
    let end = (first..bytes.len()).rev().find(differs)? + 1;
    Some((first..end, Found::new(&bytes[first..end])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found_wherever_it_is() {
        for length in [1, 127, SMALL, SMALL + 1, pattern::MOST] {
            let pattern = pattern::behind_end(length).unwrap();
            assert_eq!(first_and_last_mismatch(pattern, pattern), None);
            for (first, last) in [(0, 0), (0, length - 1), (length / 2, length - 1)] {
                let mut bytes = pattern.to_vec();
                (bytes[first], bytes[last]) = (0, 0);
                let (range, found) = first_and_last_mismatch(&bytes, pattern).unwrap();
                assert_eq!(range, first..last + 1);
                assert_eq!(found, Found::new(&bytes[first..=last]));
            }
        }
    }
}
