//! One rule, one file: its page, its judgement, its tests.

pub mod double_free;
pub mod mismatched_free;

/// Blocks and calls for the tests of rules.
#[cfg(test)]
pub(crate) mod testing {
    use crate::block::{Block, End, Place};
    use crate::functions::{Call, function};
    use aclsan_log::{BlockId, SiteId};

    pub const ALLOCATION_SITE: SiteId = SiteId(1);
    pub const RELEASE_SITE: SiteId = SiteId(2);
    pub const HERE: SiteId = SiteId(3);

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

    pub fn ended(block: Block, offset: u64) -> Place {
        Place::Ended(block, offset, End::Released(RELEASE_SITE))
    }
}
