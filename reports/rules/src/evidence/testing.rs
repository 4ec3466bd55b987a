//! Blocks and calls for tests.

use crate::api::block::{AddressInfo, Block, End};
use crate::api::functions::{Call, function};
use crate::evidence::race::{Race, RaceAccess, TimelineKind};
use aclsan_log::{BlockId, CallSiteId};

pub const ALLOCATION_SITE: CallSiteId = CallSiteId(1);
pub const RELEASE_SITE: CallSiteId = CallSiteId(2);
pub const HERE: CallSiteId = CallSiteId(3);
pub const RESET_SITE: CallSiteId = CallSiteId(4);
pub const QUEUED_SITE: CallSiteId = CallSiteId(9);

pub fn call(name: &str) -> Call {
    call_with(name, 0)
}

pub fn call_with(name: &str, argument: u32) -> Call {
    Call {
        function: function(name).unwrap(),
        site: HERE,
        argument,
        device: 0,
    }
}

pub fn block(allocator: &str, address: u64, size: u64) -> Block {
    let function = function(allocator).unwrap();
    Block {
        id: BlockId(1),
        address,
        size,
        function,
        site: ALLOCATION_SITE,
        device: 0,
    }
}

pub fn device_block(address: u64, size: u64) -> Block {
    block("aclrtMalloc", address, size)
}

/// Two calls on `block` that nothing orders, each with where it runs.
pub fn race<'a>(
    block: &'a Block,
    earlier: (&str, TimelineKind),
    here: (&str, TimelineKind),
) -> Race<'a> {
    let side = |(name, timeline_kind): (&str, TimelineKind), site| RaceAccess {
        call: Call { site, ..call(name) },
        timeline_kind,
    };
    Race {
        earlier: side(earlier, QUEUED_SITE),
        here: side(here, HERE),
        block,
        address: block.address,
        bytes: None,
        gap: None,
    }
}

pub fn ended(block: Block, offset: u64) -> AddressInfo {
    AddressInfo::Ended(block, offset, End::Released(RELEASE_SITE))
}

pub fn sent(block: Block) -> AddressInfo {
    AddressInfo::Ended(block, 0, End::Sent(RELEASE_SITE))
}

pub fn dropped(block: Block, offset: u64) -> AddressInfo {
    AddressInfo::Ended(block, offset, End::Reset(RESET_SITE))
}
