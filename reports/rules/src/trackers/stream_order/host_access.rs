//! Accesses of the CPU to host memory, and which host memory queued work still uses.
//!
//! A host that can see such accesses (`host_access=trap`) asks [`RaceDetector::in_flight`] what to watch when a copy is
//! queued, [`RaceDetector::is_in_flight`] when [`RaceDetector::host_version`] has changed, and
//! [`RaceDetector::host_access`] about each access that it sees. The log has these accesses, so replay asks the last one.

use aclsan_log::BlockId;
use aclsan_log::record;

use super::access::{Access, Kind, Range};
use super::copy_end::CopyEnd;
use super::epoch::{Epoch, HOST};
use super::state::RaceDetector;
use crate::api::block::{AddressInfo, Block};
use crate::api::family::is_host_memory;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::operation::RangeUse;
use crate::evidence::race::{Race, RaceAccess, TimelineKind};
use crate::rules::host_access_in_flight::{self, Conflict};

/// Bytes of a host block that queued work uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostUse {
    /// The block.
    pub block: BlockId,
    /// Its first byte and its end.
    pub bounds: (u64, u64),
    /// First byte used.
    pub from: u64,
    /// Address after the last byte used.
    pub to: u64,
    /// Whether they are written.
    pub writes: bool,
}

impl RaceDetector {
    /// Counts what the host has learned about its streams. While it stays the same, nothing has left the flight.
    #[inline]
    pub fn host_version(&self) -> u64 {
        self.timelines.host_version()
    }

    /// The uses of the host block at `address` by queued work that the host does not know to have completed; `place` is
    /// what the address is.
    pub fn in_flight(&mut self, address: u64, place: &AddressInfo) -> Vec<HostUse> {
        let Some(block) = self.host_block(address, place) else {
            return Vec::new();
        };
        let timelines = &self.timelines;
        let queued = self.accesses.queued(block.id).iter();
        let queued = queued.filter(|old| is_certain(old) && !timelines.is_before(old.epoch, HOST));
        queued
            .map(|old| HostUse {
                block: block.id,
                bounds: (block.address, block.address.saturating_add(block.size)),
                from: old.from.max(block.address),
                to: old.to.min(block.address.saturating_add(block.size)),
                writes: writes(old.kind),
            })
            .filter(|used| used.from < used.to)
            .collect()
    }

    /// Whether queued work that the host does not know to have completed still uses these bytes like that.
    pub fn is_in_flight(&mut self, used: &HostUse) -> bool {
        let timelines = &self.timelines;
        self.accesses.queued(used.block).iter().any(|old| {
            let covers = old.from <= used.from && used.to <= old.to;
            covers && writes(old.kind) == used.writes && !timelines.is_before(old.epoch, HOST)
        })
    }

    /// The CPU accesses a range; `place` is what its first address is.
    pub fn host_access(
        &mut self,
        call: &Call,
        used: &RangeUse,
        place: &AddressInfo,
    ) -> Option<Finding> {
        let block = self.host_block(used.address, place)?;
        let kind = match used.access {
            record::Access::Read => Kind::Read,
            record::Access::Write | record::Access::Both => Kind::Write,
        };
        let range = Range {
            address: used.address,
            extent: used.size,
            is_whole: true,
        };
        let epoch = Epoch {
            timeline: HOST,
            time: 0,
        };
        let next = Access::new(call, epoch, TimelineKind::Host, range, kind);
        let old = self
            .accesses
            .conflict(block.id, &next, HOST, &self.timelines)?;
        if !is_certain(&old) {
            return None;
        }
        let conflict = match (writes(old.kind), kind) {
            (true, Kind::Read) => Conflict::ReadOfTarget,
            (true, _) => Conflict::WriteToTarget,
            (false, _) => Conflict::WriteToSource,
        };
        let race = Race {
            earlier: old.side,
            here: RaceAccess {
                call: *call,
                timeline_kind: TimelineKind::Host,
            },
            block: &block,
            address: old.from.max(next.from).max(block.address),
            bytes: old.bytes(),
            gap: Some(self.gaps.between(block.id, &old, HOST, &self.timelines)),
        };
        Some(host_access_in_flight::check(&race, conflict))
    }

    /// The block of host memory at an address.
    fn host_block(&self, address: u64, place: &AddressInfo) -> Option<Block> {
        let registered = self.registered_at(address, place);
        match CopyEnd::of(place, registered.as_ref()) {
            CopyEnd::Block(block) if is_host_memory(block.family()) => Some(*block),
            _ => None,
        }
    }
}

/// Whether the access is known to touch every byte of its range, as a read or a write.
fn is_certain(old: &Access) -> bool {
    old.is_whole && old.tensor == 0 && (writes(old.kind) || old.kind == Kind::Read)
}

fn writes(kind: Kind) -> bool {
    matches!(kind, Kind::Write | Kind::Workspace)
}
