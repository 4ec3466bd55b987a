//! Pools of video blocks. A block has a handle and an address. It is recorded by address, since copies and pictures use that.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use crate::runtime::slots;
use crate::state::process::Process;
use crate::state::video_blocks::{VideoBlock, VideoBlocks};
use aclsan_log::Event;
use aclsan_os::lock::MutexGuard;

interpose! {
    fn hi_mpi_vb_create_pool(config: *const hi_vb_pool_config) -> hi_vb_pool = on_create;
    fn hi_mpi_vb_destroy_pool(pool: hi_vb_pool) -> hi_s32 = on_destroy;
    fn hi_mpi_vb_get_block(pool: hi_vb_pool, size: hi_u64, name: *const hi_char) -> hi_vb_blk = on_get;
    fn hi_mpi_vb_release_block(block: hi_vb_blk) -> hi_s32 = on_release;
    fn hi_mpi_vb_block_copyref(block: hi_vb_blk) -> hi_s32 = on_copy_reference;
}

/// The value that means no pool or no block.
const NONE: u32 = u32::MAX;

fn handles() -> MutexGuard<'static, VideoBlocks> {
    let handles = &Process::current().calls.video_blocks;
    handles.lock()
}

fn on_create(
    hook: &Hook,
    next: hi_mpi_vb_create_pool::Fn,
    config: *const hi_vb_pool_config,
) -> hi_vb_pool {
    // SAFETY: the caller's own argument.
    let pool = unsafe { next(config) };
    // SAFETY: null, or the caller's record, which the runtime has just read.
    let (block_size, count) = unsafe { config.as_ref() }
        .map_or((0, 0), |config| (config.blk_size, config.blk_cnt.into()));
    let size = block_size.saturating_mul(count);
    hook.record(|recorder| {
        let call = recorder.call(0);
        if pool == NONE {
            let (site, status) = (call.site, -1);
            recorder.event(&Event::AllocationFailed { site, size, status });
        } else {
            recorder.record_object(&call, pool.into(), size);
            handles().block_sizes.insert(pool, block_size);
        }
    });
    pool
}

fn on_destroy(hook: &Hook, next: hi_mpi_vb_destroy_pool::Fn, pool: hi_vb_pool) -> hi_s32 {
    // SAFETY: the caller's own argument.
    heap::release(hook, pool.into(), || unsafe { next(pool) })
}

/// The address of a block that the runtime has just returned.
fn address_of(block: hi_vb_blk) -> Option<u64> {
    // SAFETY: a handle of a block that has a user.
    let address = slots::VIDEO_BLOCK_ADDRESS.call(|address_of| unsafe { address_of(block) })?;
    (!address.is_null()).then_some(address as u64)
}

fn on_get(
    hook: &Hook,
    next: hi_mpi_vb_get_block::Fn,
    pool: hi_vb_pool,
    size: hi_u64,
    name: *const hi_char,
) -> hi_vb_blk {
    // SAFETY: the caller's own arguments.
    let block = unsafe { next(pool, size, name) };
    let address = (block != NONE).then(|| address_of(block)).flatten();
    hook.record(|recorder| {
        let call = recorder.call(0);
        if block == NONE {
            let (site, status) = (call.site, -1);
            recorder.event(&Event::AllocationFailed { site, size, status });
        } else if let Some(address) = address {
            let whole = handles().block_sizes.get(&pool).copied().unwrap_or(0);
            recorder.record_object(&call, address, size.max(whole));
            let known = VideoBlock { address, users: 1 };
            handles().blocks.insert(block, known);
        }
    });
    block
}

/// Drops one user; the last one releases the block.
fn on_release(hook: &Hook, next: hi_mpi_vb_release_block::Fn, block: hi_vb_blk) -> hi_s32 {
    let known = handles().blocks.get(&block).copied();
    let forward = || {
        // SAFETY: the caller's own argument.
        unsafe { next(block) }
    };
    let set_users = |users| {
        if let Some(known) = handles().blocks.get_mut(&block) {
            known.users = users;
        }
    };
    match known {
        Some(VideoBlock { users, .. }) if users > 1 => {
            set_users(users - 1);
            let status = forward();
            hook.record(|recorder| recorder.record_call(0, &[block.into()], status));
            status
        }
        Some(VideoBlock { address, users }) => {
            set_users(0);
            let status = heap::release(hook, address, forward);
            if status != 0 {
                set_users(users);
            }
            status
        }
        None => {
            let status = forward();
            hook.record(|recorder| recorder.record_call(0, &[block.into()], status));
            status
        }
    }
}

fn on_copy_reference(hook: &Hook, next: hi_mpi_vb_block_copyref::Fn, block: hi_vb_blk) -> hi_s32 {
    // SAFETY: the caller's own argument.
    let status = unsafe { next(block) };
    if status == 0
        && let Some(known) = handles().blocks.get_mut(&block)
    {
        known.users += 1;
    }
    hook.record(|recorder| recorder.record_call(0, &[block.into()], status));
    status
}
