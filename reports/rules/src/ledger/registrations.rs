//! Registered host memory, and where devices see it.

use super::{Part, Scene};
use crate::block::Block;
use crate::family::Family;
use crate::finding::Finding;
use crate::functions::Call;
use crate::rules::{device_address_on_host, host_register_order};
use aclsan_log::record::Values;

/// A registered range.
struct Range {
    host: Block,
    /// The device's address of its first byte; 0 if nobody asked.
    seen_at: u64,
}

impl Range {
    fn is_seen_at(&self, address: u64) -> bool {
        let is_apart = self.seen_at != 0 && self.seen_at != self.host.address;
        is_apart && address.wrapping_sub(self.seen_at) < self.host.size
    }
}

/// The ranges that are registered now.
#[derive(Default)]
pub(super) struct Registrations {
    ranges: Vec<Range>,
}

impl Part for Registrations {
    fn called(
        &mut self,
        call: &Call,
        values: &Values,
        status: i32,
        _: &dyn Scene,
        found: &mut Vec<Finding>,
    ) {
        let (first, second) = (values.get(0), values.get(1));
        match call.function.name {
            "aclrtHostRegister" | "aclrtHostRegisterV2" if status != 0 => {
                let finding = host_register_order::check_alignment(call, first, second, status);
                found.extend(finding);
            }
            "aclrtHostRegister" => self.see(first, values.get(2)),
            "aclrtHostGetDevicePointer" if status == 0 => self.see(first, second),
            "aclrtHostUnregister" if status == 0 => {
                let range = self.ranges.iter().find(|range| range.host.address == first);
                found.extend(
                    range.map(|range| host_register_order::check_unmapped(call, &range.host)),
                );
            }
            _ => {}
        }
    }

    fn made(&mut self, call: &Call, block: &Block, _: &dyn Scene, found: &mut Vec<Finding>) {
        if block.family() == Family::Registered {
            found.extend(host_register_order::check_alignment(
                call,
                block.address,
                block.size,
                0,
            ));
            self.ranges.push(Range {
                host: *block,
                seen_at: 0,
            });
        }
    }

    fn releasing(&mut self, call: &Call, block: &Block, _: &dyn Scene, found: &mut Vec<Finding>) {
        match block.family() {
            Family::Registered => self.ranges.retain(|range| range.host.id != block.id),
            Family::Pinned => {
                let range = self.ranges.iter().find(|range| overlap(&range.host, block));
                let finding =
                    range.map(|range| host_register_order::check_release(call, block, &range.host));
                found.extend(finding);
            }
            _ => {}
        }
    }

    fn kept(&mut self, block: &Block) {
        if block.family() == Family::Registered {
            self.ranges.push(Range {
                host: *block,
                seen_at: 0,
            });
        }
    }

    fn touched(&mut self, call: &Call, addresses: &[u64], found: &mut Vec<Finding>) {
        for &address in addresses {
            let range = self.ranges.iter().find(|range| range.is_seen_at(address));
            let finding =
                range.map(|range| device_address_on_host::check_view(call, address, &range.host));
            found.extend(finding);
        }
    }

    fn follows_blocks(&self) -> bool {
        !self.ranges.is_empty()
    }
}

impl Registrations {
    /// The host's address `host` is `device` to devices.
    fn see(&mut self, host: u64, device: u64) {
        let range = self.ranges.iter_mut().find(|range| range.host.covers(host));
        if let Some(range) = range.filter(|_| device != 0) {
            range.seen_at = device.wrapping_sub(host - range.host.address);
        }
    }
}

fn overlap(left: &Block, right: &Block) -> bool {
    left.covers(right.address) || right.covers(left.address)
}
