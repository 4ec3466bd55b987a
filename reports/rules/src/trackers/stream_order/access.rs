//! Accesses: what queued work does to a range of a block.

use smallvec::SmallVec;

use super::epoch::Epoch;
use crate::api::functions::Call;
use crate::evidence::byte_span::ByteSpan;
use crate::evidence::race::{RaceAccess, TimelineKind};

/// One end of a copy: how many bytes, and whether all of them are touched.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub address: u64,
    pub extent: u64,
    pub is_whole: bool,
}

impl Range {
    /// Address after the last byte.
    #[inline(always)]
    pub fn end(&self) -> u64 {
        self.address.saturating_add(self.extent)
    }
}

/// What an operation does to its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
    /// Touches it; whether it reads or writes is unknown.
    Touch,
    /// An operator reads and writes it as its workspace.
    Workspace,
    /// Allocates it in stream order.
    Allocation,
}

impl Kind {
    /// Whether two such accesses race unless they are ordered.
    #[inline]
    pub fn conflicts(self, other: Self) -> bool {
        let writes = |kind| matches!(kind, Self::Write | Self::Workspace | Self::Allocation);
        writes(self) || writes(other)
    }
}

/// One queued access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// First byte.
    pub from: u64,
    /// Address after the last byte.
    pub to: u64,
    /// Whether it touches every byte in between.
    pub is_whole: bool,
    pub kind: Kind,
    pub epoch: Epoch,
    pub side: RaceAccess,
    /// The tensor it goes through, as long as it is unsure that the operator has that tensor; else 0.
    pub tensor: u64,
}

impl Access {
    /// The access of `call` to a range.
    #[inline(always)]
    pub fn new(
        call: &Call,
        epoch: Epoch,
        timeline_kind: TimelineKind,
        range: Range,
        kind: Kind,
    ) -> Self {
        Self {
            from: range.address,
            to: range.end(),
            is_whole: range.is_whole,
            kind,
            epoch,
            side: RaceAccess {
                call: *call,
                timeline_kind,
            },
            tensor: 0,
        }
    }

    /// Replaces this access by a later one of the same kind on the same timeline that covers it.
    #[inline(always)]
    pub fn replace_with(
        &mut self,
        call: &Call,
        time: u64,
        timeline_kind: TimelineKind,
        range: Range,
    ) {
        self.from = range.address;
        self.to = range.end();
        self.epoch.time = time;
        self.side = RaceAccess {
            call: *call,
            timeline_kind,
        };
        self.tensor = 0;
    }

    /// Its range, if every byte of it is touched.
    pub fn bytes(&self) -> Option<ByteSpan> {
        self.is_whole
            .then(|| ByteSpan::run(self.from, self.to.saturating_sub(self.from)))
    }

    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.is_whole && other.is_whole && self.from < other.to && other.from < self.to
    }

    /// Whether it covers `old`, an earlier access.
    #[inline]
    pub fn covers(&self, old: &Self) -> bool {
        old.epoch.timeline == self.epoch.timeline
            && old.kind == self.kind
            && old.is_whole == self.is_whole
            && self.tensor == 0
            && self.from <= old.from
            && old.to <= self.to
    }
}

/// The accesses to one block. Mostly there is one, which is stored inline.
pub(super) type Accesses = SmallVec<[Access; 1]>;

/// The most severe access: the allocation, before which there is nothing to read or write; else the first certain one;
/// else the first.
#[inline]
pub(super) fn worst_race<'a>(known: impl Iterator<Item = &'a Access>) -> Option<&'a Access> {
    let (mut first, mut first_certain) = (None, None);
    for access in known {
        if access.kind == Kind::Allocation {
            return Some(access);
        }
        if access.tensor == 0 {
            first_certain = first_certain.or(Some(access));
        }
        first = first.or(Some(access));
    }
    first_certain.or(first)
}
