//! Copies between host and devices, by the kind of host memory at their other end.

use std::collections::BTreeMap;

use aclsan_log::CallSiteId;
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::evidence::operation::{Copy, Copy2d};

use super::sites::Sites;

/// Transfers of pageable memory by one call site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pageable {
    pub copies: u64,
    pub bytes: u64,
    /// Copies of the same host memory as the previous one.
    pub again: u64,
    pub is_async: bool,
    last: u64,
}

/// Totals of transfers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Transferred {
    pub copies: u64,
    pub bytes: u64,
    pub pinned: u64,
    pub registered: u64,
    pub pageable: BTreeMap<CallSiteId, Pageable>,
    /// Ends of registered ranges, by start.
    ranges: BTreeMap<u64, u64>,
}

impl Transferred {
    /// A host range was registered.
    pub fn made(&mut self, block: &Block) {
        if block.family() == Family::Registered {
            let end = block.address.saturating_add(block.size);
            self.ranges.insert(block.address, end);
        }
    }

    /// A host range was unregistered.
    pub fn gone(&mut self, block: &Block) {
        if block.family() == Family::Registered {
            self.ranges.remove(&block.address);
        }
    }

    /// A copy that the runtime will perform.
    pub fn copied(
        &mut self,
        call: &Call,
        copy: &Copy,
        to: &AddressInfo,
        from: &AddressInfo,
        sites: &Sites,
    ) {
        if copy.count <= copy.room {
            self.add(call, copy.count, (copy.to, to), (copy.from, from), sites);
        }
    }

    /// As [`Transferred::copied`], for rows.
    pub fn copied_2d(
        &mut self,
        call: &Call,
        copy: &Copy2d,
        to: &AddressInfo,
        from: &AddressInfo,
        sites: &Sites,
    ) {
        let bytes = copy.width.saturating_mul(copy.height);
        self.add(call, bytes, (copy.to, to), (copy.from, from), sites);
    }

    fn add(
        &mut self,
        call: &Call,
        bytes: u64,
        to: (u64, &AddressInfo),
        from: (u64, &AddressInfo),
        sites: &Sites,
    ) {
        // Only what is certain: one end is a device block, the other is none.
        let host = match (is_device(to.1), is_device(from.1)) {
            (true, false) => from,
            (false, true) => to,
            _ => return,
        };
        if bytes == 0 || host.0 == 0 || matches!(call.argument, 3 | 6 | 7) {
            return;
        }
        let (start, place) = host;
        let registered = self.ranges.range(..=start).next_back();
        let is_registered = registered.is_some_and(|(_, &end)| start < end);
        match place {
            AddressInfo::Live(block, _) if block.family().is_host() => {
                self.pinned = self.pinned.saturating_add(bytes);
            }
            AddressInfo::Live(..) | AddressInfo::Ended(..) => return, // its contents are unknown
            AddressInfo::Unknown if is_registered => {
                self.registered = self.registered.saturating_add(bytes);
            }
            AddressInfo::Unknown => {
                let pageable = self.pageable.entry(sites.canonical(call.site)).or_default();
                pageable.copies += 1;
                pageable.bytes = pageable.bytes.saturating_add(bytes);
                pageable.again += u64::from(pageable.last == start);
                pageable.is_async |= call.function.is_async;
                pageable.last = start;
            }
        }
        self.copies += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Whether it is a live block in device memory.
fn is_device(place: &AddressInfo) -> bool {
    match place {
        AddressInfo::Live(block, _) => {
            let family = block.family();
            !family.is_host() && (!family.is_handle() || family == Family::Physical)
        }
        _ => false,
    }
}
