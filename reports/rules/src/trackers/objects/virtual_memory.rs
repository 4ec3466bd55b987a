//! Virtual memory: what is mapped where, and the order in which mappings come and go.

use super::mappings::Mappings;
use super::tracker::{HeapView, Tracker};
use crate::api::block::{AddressInfo, Block, End};
use crate::api::family::Family;
use crate::api::functions::{Call, Effect};
use crate::evidence::finding::Finding;
use crate::rules::vmm_order::{self, Access, Map};
use aclsan_log::record::Values;
use std::collections::HashMap;

/// Ranges with unknown mappings that are kept.
const MAX_BLURRED: usize = 1 << 10;

/// The state machine.
#[derive(Default)]
pub struct VirtualMemory {
    mappings: Mappings,
    /// Handles of mappings whose call was reported before their block; by address.
    asked: HashMap<u64, u64>,
    /// Ranges in which some of the requested mappings were made before one was refused: which ones is unknown.
    blurred: Vec<(u64, u64)>,
}

impl VirtualMemory {
    /// What an access to `address` touches. If `place` is a live reserved range: the run of mappings around the
    /// address, the mapping that was there, or the range itself if nothing was ever mapped.
    #[inline]
    pub fn resolve(&self, address: u64, place: AddressInfo) -> AddressInfo {
        match &place {
            AddressInfo::Live(block, _) if block.family() == Family::Reserved => {
                self.reach_in(address, place)
            }
            _ => place,
        }
    }

    #[inline(never)]
    fn reach_in(&self, address: u64, place: AddressInfo) -> AddressInfo {
        match (self.mappings.at(address), self.mappings.run(address)) {
            // The host's memory, or memory of an unknown device: rules about devices do not apply.
            (Some(mapping), Some(_)) if mapping.block.device < 0 => AddressInfo::Unknown,
            (Some(mapping), Some((start, end))) => {
                let run = Block {
                    address: start,
                    size: end - start,
                    ..mapping.block
                };
                AddressInfo::Live(run, address - start)
            }
            (Some(mapping), None) => match mapping.end {
                Some(end) => {
                    AddressInfo::Ended(mapping.block, address - mapping.block.address, end)
                }
                None => AddressInfo::Unknown,
            },
            (None, _) if self.is_blurred(address, address.saturating_add(1)) => {
                AddressInfo::Unknown
            }
            (None, _) => place,
        }
    }

    fn is_blurred(&self, from: u64, to: u64) -> bool {
        let mut ranges = self.blurred.iter();
        ranges.any(|&(start, end)| start < to && from < end)
    }

    fn mapped(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        let [address, size, handle] = [0, 1, 3].map(|index| values.get(index));
        if status == 0 {
            self.asked.insert(address, handle);
        }
        let end = address.saturating_add(size);
        let memory = view.place(Family::Physical.key(handle));
        // Only for memory that is gone, since it looks at every mapping.
        let is_mapped = matches!(memory, AddressInfo::Ended(..)) && self.mappings.is_mapped(handle);
        let map = Map {
            address,
            size,
            status,
            target: view.place(address),
            memory,
            over: self.mappings.live(address, end).next().map(|at| at.block),
            is_mapped,
        };
        vmm_order::check_map(call, &map)
    }

    fn access_set(
        &self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
    ) -> Option<Finding> {
        let (address, size) = (values.get(0), values.get(1));
        let access = Access {
            address,
            size,
            status,
            range: view.place(address),
            mapping: self
                .mappings
                .at(address)
                .filter(|at| at.end.is_none())
                .map(|at| at.block),
        };
        vmm_order::check_access(call, &access)
    }
}

impl Tracker for VirtualMemory {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        found.extend(match call.function.effect() {
            Effect::Map => self.mapped(call, values, status, view),
            Effect::MapLink if status != 0 => {
                let (start, size) = (values.get(0), values.get(1));
                if self.blurred.len() >= MAX_BLURRED {
                    self.blurred = vec![(0, u64::MAX)]; // Everything is unknown from here on.
                }
                self.blurred.push((start, start.saturating_add(size)));
                None
            }
            Effect::SetAccess => self.access_set(call, values, status, view),
            _ => None,
        });
    }

    fn made(&mut self, _: &Call, block: &Block, _: &dyn HeapView, _: &mut Vec<Finding>) {
        match block.family() {
            Family::Mapped => {
                let handle = self.asked.remove(&block.address).unwrap_or(0);
                self.mappings.add(*block, handle);
            }
            Family::Reserved => {
                let end = block.address.saturating_add(block.size);
                self.mappings.forget(block.address, end);
                self.blurred
                    .retain(|&(from, to)| to <= block.address || end <= from);
            }
            _ => {}
        }
    }

    fn releasing(
        &mut self,
        call: &Call,
        block: &Block,
        _: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        match block.family() {
            Family::Mapped => self.mappings.end(block.address, End::Released(call.site)),
            Family::Reserved if call.function.family() == Some(Family::Reserved) => {
                let end = block.address.saturating_add(block.size);
                let inside: Vec<Block> = self
                    .mappings
                    .live(block.address, end)
                    .map(|mapping| mapping.block)
                    .collect();
                found.extend(vmm_order::check_release(call, block, &inside));
            }
            _ => {}
        }
    }

    fn on_release_failed(&mut self, block: &Block) {
        if block.family() == Family::Mapped {
            self.mappings.revive(block.address);
        }
    }

    fn on_unknown_pointer(
        &mut self,
        call: &Call,
        address: u64,
        view: &dyn HeapView,
        found: &mut Vec<Finding>,
    ) {
        if call.function.family() != Some(Family::Mapped) {
            return;
        }
        let around = self.mappings.at(address).filter(|at| at.end.is_none());
        let around = around.map(|mapping| mapping.block);
        if around.is_none() && self.is_blurred(address, address.saturating_add(1)) {
            return;
        }
        let place = view.place(address);
        found.extend(vmm_order::check_unmap(call, address, around, &place));
    }

    fn reset(&mut self, call: &Call, device: i32) {
        let of_device = |block: &&Block| block.device == device;
        let gone: Vec<u64> = self
            .mappings
            .all_live()
            .map(|mapping| &mapping.block)
            .filter(of_device)
            .map(|block| block.address)
            .collect();
        for address in gone {
            self.mappings.end(address, End::Reset(call.site));
        }
    }
}

#[cfg(test)]
mod tests;
