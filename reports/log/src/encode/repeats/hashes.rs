//! Hashes by which events are found that may be repeated.

use super::LINE_BITS;
use crate::record::{CallSiteId, MAX_VALUES, tag};

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of an event without its call site. A loop: what a hook runs is fetched at most calls, and unrolled it would be three times as much.
#[inline(always)]
pub(super) fn content(kind: u8, values: &[u64]) -> u64 {
    let first = (values.len() as u64) << 8 | u64::from(kind);
    let mut hash = first.wrapping_mul(FACTOR);
    for value in values {
        hash = (hash.rotate_left(26) ^ value).wrapping_mul(FACTOR);
    }
    hash
}

/// Whether calls with these values share a line, so that it is known before their call site. Few values are the same at any number of sites, such as
/// the stream of a wait.
#[inline(always)]
pub(super) fn is_by_content(values: &[u64]) -> bool {
    (3..=MAX_VALUES).contains(&values.len())
}

/// What an event is looked up by.
#[derive(Clone, Copy)]
pub(super) struct Hashes {
    /// Of what chooses the line.
    pub home: u64,
    pub fingerprint: u64,
}

impl Hashes {
    /// Of an event with this content.
    #[inline(always)]
    pub fn of(content: u64, site: CallSiteId) -> Self {
        let fingerprint = fingerprint(content, site);
        Self {
            home: fingerprint,
            fingerprint,
        }
    }

    /// Of a call with these values.
    #[inline(always)]
    pub fn of_call(values: &[u64], site: CallSiteId) -> Self {
        let content = content(tag::CALL, values);
        let event = Self::of(content, site);
        match is_by_content(values) {
            true => Self {
                home: content,
                ..event
            },
            false => event,
        }
    }
}

/// The line of events with this hash.
#[inline(always)]
pub(super) fn line(home: u64) -> usize {
    (home >> (u64::BITS - LINE_BITS)) as usize
}

/// The hash of an event.
#[inline(always)]
pub(super) fn fingerprint(content: u64, site: CallSiteId) -> u64 {
    (content.rotate_left(26) ^ u64::from(site.0)).wrapping_mul(FACTOR)
}
