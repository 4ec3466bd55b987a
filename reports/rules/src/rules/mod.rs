//! One rule, one file: its page, its judgement, its tests.

pub mod context_mismatch;
pub mod copy_misaligned;
pub mod copy_overlap;
pub mod copy_overread;
pub mod copy_overrun;
pub mod copy_use_after_free;
pub mod copy_wrong_direction;
pub mod destmax_overstated;
pub mod device_address_on_host;
pub mod double_free;
pub mod executor_used_twice;
pub mod fragmented;
pub mod free_after_reset;
pub mod free_in_flight;
pub mod free_null;
pub mod freed_write;
pub mod guard_overrun;
pub mod guard_underrun;
pub mod hiai_ownership;
pub mod host_buffer_reused_in_flight;
pub mod host_register_order;
pub mod hot_loop_allocation;
pub mod interior_free;
pub mod invalid_free;
pub mod ipc_order;
pub mod leak;
pub mod leak_descriptor;
pub mod leak_growing;
pub mod leak_reachable;
pub mod leak_registration;
pub mod libc_free;
pub mod live_at_reset;
pub mod misaligned_block;
pub mod mismatched_free;
pub mod never_used;
pub mod page_class_waste;
pub mod page_fault;
pub mod pool_destroyed_live;
pub mod read_before_sync;
pub mod release_failed;
pub mod slack_write;
pub mod suballoc_misaligned;
pub mod suballoc_out_of_block;
pub mod suballoc_overlap;
pub mod suballoc_too_small;
pub mod tensor_out_of_block;
pub mod uninitialised_read;
pub mod unordered_access;
pub mod use_after_reset;
pub mod use_after_stream_free;
pub mod use_before_alloc;
pub mod vmm_order;
pub mod workspace_freed_in_flight;
pub mod workspace_too_small;

/// Blocks and calls for the tests of rules.
#[cfg(test)]
pub(crate) mod testing {
    use crate::block::{Block, End, Place};
    use crate::functions::{Call, function};
    use crate::order::{Clash, Lane, Side};
    use aclsan_log::{BlockId, SiteId};

    pub const ALLOCATION_SITE: SiteId = SiteId(1);
    pub const RELEASE_SITE: SiteId = SiteId(2);
    pub const HERE: SiteId = SiteId(3);
    pub const RESET_SITE: SiteId = SiteId(4);
    pub const QUEUED_SITE: SiteId = SiteId(9);

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
    pub fn clash<'a>(block: &'a Block, earlier: (&str, Lane), here: (&str, Lane)) -> Clash<'a> {
        let side = |(name, lane): (&str, Lane), site| Side {
            call: Call { site, ..call(name) },
            lane,
        };
        Clash {
            earlier: side(earlier, QUEUED_SITE),
            here: side(here, HERE),
            block,
            address: block.address,
        }
    }

    pub fn ended(block: Block, offset: u64) -> Place {
        Place::Ended(block, offset, End::Released(RELEASE_SITE))
    }

    pub fn sent(block: Block) -> Place {
        Place::Ended(block, 0, End::Sent(RELEASE_SITE))
    }

    pub fn dropped(block: Block, offset: u64) -> Place {
        Place::Ended(block, offset, End::Reset(RESET_SITE))
    }
}
