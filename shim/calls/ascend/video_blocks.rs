//! Pools of video blocks. A block has a handle and an address. It is recorded by address, since copies and pictures use that.

use crate::abi::*;
use crate::calls::actions::{given, record, recorded};
use crate::calls::interpose;
use crate::heap::{self, record_object};
use crate::record::Hook;
use crate::runtime::slots;
use crate::state::process::Process;
use crate::state::video_blocks::{VideoBlock, VideoBlocks};
use aclsan_log::Event;
use aclsan_os::lock::MutexGuard;

interpose! {
    fn hi_mpi_vb_create_pool(config: *const hi_vb_pool_config) -> hi_vb_pool = pool_created (config);
    fn hi_mpi_vb_destroy_pool(pool: hi_vb_pool) -> hi_s32 = pool_destroyed (pool);
    fn hi_mpi_vb_get_block(pool: hi_vb_pool, size: hi_u64, name: *const hi_char) -> hi_vb_blk = given_out (pool, size);
    fn hi_mpi_vb_release_block(block: hi_vb_blk) -> hi_s32 = given_back (block);
    fn hi_mpi_vb_block_copyref(block: hi_vb_blk) -> hi_s32 = shared (block);
}

/// The value that means no pool or no block.
const NONE: u32 = u32::MAX;

fn handles() -> MutexGuard<'static, VideoBlocks> {
    let handles = &Process::current().calls.video_blocks;
    handles.lock()
}

fn pool_created(
    hook: &Hook,
    forward: impl FnOnce() -> hi_vb_pool,
    config: *const hi_vb_pool_config,
) -> hi_vb_pool {
    let pool = forward();
    let (block_size, count) =
        given(config).map_or((0, 0), |config| (config.blk_size, config.blk_cnt.into()));
    let size = block_size.saturating_mul(count);
    hook.record(|recorder| {
        let call = recorder.call(0);
        if pool == NONE {
            let (site, status) = (call.site, -1);
            recorder.event(&Event::AllocationFailed { site, size, status });
        } else {
            record_object(recorder, &call, pool.into(), size);
            handles().block_sizes.insert(pool, block_size);
        }
    });
    pool
}

fn pool_destroyed(hook: &Hook, forward: impl FnOnce() -> hi_s32, pool: hi_vb_pool) -> hi_s32 {
    heap::release(hook, pool.into(), forward)
}

/// The address of a block that the runtime has just returned.
fn address_of(block: hi_vb_blk) -> Option<u64> {
    let address = slots::VIDEO_BLOCK_ADDRESS.call(|address_of| address_of(block))?;
    (!address.is_null()).then_some(address as u64)
}

fn given_out(
    hook: &Hook,
    forward: impl FnOnce() -> hi_vb_blk,
    pool: hi_vb_pool,
    size: hi_u64,
) -> hi_vb_blk {
    let block = forward();
    let address = (block != NONE).then(|| address_of(block)).flatten();
    hook.record(|recorder| {
        let call = recorder.call(0);
        if block == NONE {
            let (site, status) = (call.site, -1);
            recorder.event(&Event::AllocationFailed { site, size, status });
        } else if let Some(address) = address {
            let whole = handles().block_sizes.get(&pool).copied().unwrap_or(0);
            record_object(recorder, &call, address, size.max(whole));
            let known = VideoBlock { address, users: 1 };
            handles().blocks.insert(block, known);
        }
    });
    block
}

/// Drops one user; the last one releases the block.
fn given_back(hook: &Hook, forward: impl FnOnce() -> hi_s32, block: hi_vb_blk) -> hi_s32 {
    let known = handles().blocks.get(&block).copied();
    let set_users = |users| {
        if let Some(known) = handles().blocks.get_mut(&block) {
            known.users = users;
        }
    };
    match known {
        Some(VideoBlock { address, users }) if users <= 1 => {
            set_users(0);
            let status = heap::release(hook, address, forward);
            if status != 0 {
                set_users(users);
            }
            status
        }
        _ => {
            if let Some(VideoBlock { users, .. }) = known {
                set_users(users - 1);
            }
            recorded(hook, forward, |_| [block.into()])
        }
    }
}

fn shared(hook: &Hook, forward: impl FnOnce() -> hi_s32, block: hi_vb_blk) -> hi_s32 {
    let status = forward();
    if status == 0
        && let Some(known) = handles().blocks.get_mut(&block)
    {
        known.users += 1;
    }
    record(hook, 0, &[block.into()], status);
    status
}
