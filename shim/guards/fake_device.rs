//! A device for unit tests: a flat memory, and a runtime that can be made to refuse.

use crate::{Device, MapError, Mapping, Space};
use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::functions;
use aclsan_tables::live::{Entry, State};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ops::Range;

const PAGE: usize = 4096;

/// The memory, and what was done to ranges.
#[derive(Default)]
pub struct FakeDevice {
    /// Pages that were written, by number.
    pages: RefCell<HashMap<u64, [u8; PAGE]>>,
    /// Whether copies and unmapping are refused.
    pub refuses: Cell<bool>,
    /// Bases of mapped ranges, in the order of their mapping.
    pub mapped: RefCell<Vec<u64>>,
    /// Bases of ranges whose addresses were released.
    pub unreserved: RefCell<Vec<u64>>,
}

/// The pages of `length` bytes at `address`: the number of each, where the bytes start in it, and which bytes those are.
fn pieces(address: u64, length: usize) -> impl Iterator<Item = (u64, usize, Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let here = address + done as u64;
        let at = (here % PAGE as u64) as usize;
        let part = done..length.min(done + PAGE - at);
        done = part.end;
        (!part.is_empty()).then_some((here / PAGE as u64, at, part))
    })
}

impl Device for FakeDevice {
    fn write(&self, _: Space, to: u64, bytes: &[u8]) -> bool {
        if self.refuses.get() {
            return false;
        }
        let mut pages = self.pages.borrow_mut();
        for (number, at, part) in pieces(to, bytes.len()) {
            let page = pages.entry(number).or_insert([0; PAGE]);
            page[at..at + part.len()].copy_from_slice(&bytes[part]);
        }
        true
    }

    fn read(&self, _: Space, from: u64, bytes: &mut [u8]) -> bool {
        let pages = self.pages.borrow();
        for (number, at, part) in pieces(from, bytes.len()) {
            let page = pages.get(&number).unwrap_or(&[0; PAGE]);
            bytes[part.clone()].copy_from_slice(&page[at..at + part.len()]);
        }
        !self.refuses.get()
    }

    fn map(
        &self,
        _: u32,
        bytes: u64,
        page: u64,
        is_free: impl FnOnce(u64) -> bool,
    ) -> Result<Mapping, MapError> {
        let mut mapped = self.mapped.borrow_mut();
        let base = (1 << 40) + mapped.len() as u64 * (64 << 20);
        if self.refuses.get() {
            return Err(MapError::TooLittleMemory);
        }
        assert!(bytes.is_multiple_of(page) && is_free(base));
        mapped.push(base);
        Ok(Mapping { base, handle: base })
    }

    fn unmap(&self, mapping: &Mapping) -> bool {
        if !self.refuses.get() {
            self.mapped
                .borrow_mut()
                .retain(|&base| base != mapping.base);
        }
        !self.refuses.get()
    }

    fn unreserve(&self, base: u64) -> bool {
        self.unreserved.borrow_mut().push(base);
        true
    }
}

/// A live block of `aclrtMalloc` on device 0.
pub fn entry(size: u64) -> Entry {
    Entry {
        id: BlockId(7),
        size,
        site: CallSiteId(0),
        end: CallSiteId(0),
        guard: 0,
        slack: 0,
        function: functions::number("aclrtMalloc"),
        device: 0,
        state: State::Live,
        age: 0,
    }
}
