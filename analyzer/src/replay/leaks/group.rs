//! Blocks of one allocation site with one fate.

use std::collections::BTreeMap;

use aclsan_log::{Mapping, SiteId};
use aclsan_rules::Hold;
use aclsan_rules::heap::Held;

use crate::replay::accounting::totals::Sum;
use crate::replay::annotations::Names;

/// Names of a group that are told.
const MAX_NAMES: usize = 8;

/// A reset's site and time.
pub type Reset = (SiteId, u64);

/// Blocks of one place in the program with one fate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The oldest.
    pub first: Held,
    /// Blocks.
    pub blocks: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes of the largest.
    pub largest: u64,
    /// When the youngest was allocated.
    pub youngest_ns: u64,
    /// The reset that dropped them, if one did.
    pub reset: Option<Reset>,
    /// Whether the program still knew them, and where the first one's pointer was.
    pub hold: Hold,
    pub mapping: Mapping,
    /// What the program calls them, by text; the first few.
    pub names: Vec<u32>,
    /// By thread, age and epoch.
    pub parts: BTreeMap<Part, Sum>,
}

/// What tells parts of a group apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    /// The thread that allocated.
    pub thread: u32,
    /// Younger than this at the end: a power of ten from a millisecond on.
    pub below_ns: u64,
    /// The epoch of the allocation, counted from 1; 0 when it was in none.
    pub epoch: u32,
}

impl Group {
    pub fn new(first: Held, reset: Option<Reset>, (hold, mapping): (Hold, Mapping)) -> Self {
        Self {
            first,
            blocks: 0,
            bytes: 0,
            largest: 0,
            youngest_ns: 0,
            reset,
            hold,
            mapping,
            names: Vec::new(),
            parts: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, held: &Held, mapping: Mapping, names: &Names) {
        if !names.is_empty()
            && let Some(&name) = names.get(&held.block.id)
            && self.names.len() < MAX_NAMES
            && !self.names.contains(&name)
        {
            self.names.push(name);
        }
        if held.order < self.first.order {
            (self.first, self.mapping) = (*held, mapping);
        }
        self.blocks += 1;
        self.bytes = self.bytes.saturating_add(held.block.size);
        self.largest = self.largest.max(held.block.size);
        self.youngest_ns = self.youngest_ns.max(held.since_ns);
    }
}
