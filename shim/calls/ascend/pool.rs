//! Stream-ordered pools: `aclrtMemPool…`.
//!
//! Blocks are not guarded: they belong to a stream, and our copies would not be in its order. The entry of a freed block ends with the
//! call, as the runtime's does: the next allocation may be given the address at once.

use super::stream::{creating, made, ordered};
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents, guard_page};
use crate::judge::{AskOrder, Judge};
use crate::record::{Hook, Recorder};
use aclsan_guards::left_redzone;
use aclsan_log::{Event, Mapping, Values};
use aclsan_os::lock::MutexGuard;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::Call;
use aclsan_rules::judge;
use aclsan_tables::live::{Entry, State};
use std::collections::HashMap;
use std::ffi::c_void;

interpose! {
    fn aclrtMemPoolCreate(pool: *mut aclrtMemPool, props: *const aclrtMemPoolProps) -> aclError = on_create;
    /// Ends the blocks that the pool has not taken back.
    fn aclrtMemPoolDestroy(pool: aclrtMemPool) -> aclError = on_destroy;
    /// Records the block, its pool and its stream.
    fn aclrtMemPoolMallocAsync(ptr: *mut *mut c_void, size: usize, pool: aclrtMemPool, stream: aclrtStream) -> aclError = on_malloc;
    /// Records the release and its stream. Memory outside any pool is legal here.
    fn aclrtMemPoolFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError = on_free;
    fn aclrtMemPoolSetAttr(pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: *mut c_void) -> aclError = on_set_attribute;
    fn aclrtMemPoolGetAttr(pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: *mut c_void) -> aclError = on_get_attribute;
    fn aclrtMemPoolTrimTo(pool: aclrtMemPool, keep: usize) -> aclError = on_trim;
}

creating! {
    on_create: aclrtMemPoolCreate(pool: *mut aclrtMemPool, props: *const aclrtMemPoolProps);
}

ordered! {
    on_trim: aclrtMemPoolTrimTo(pool: aclrtMemPool, keep: usize), [pool as u64, keep as u64];
}

fn on_malloc(
    hook: &Hook,
    next: aclrtMemPoolMallocAsync::Fn,
    ptr: *mut *mut c_void,
    size: usize,
    pool: aclrtMemPool,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = heap::forward_or_flush(hook, || unsafe { next(ptr, size, pool, stream) });
    // SAFETY: null, or a pointer through which the runtime has written one on success; a size of 0 is a success without a block.
    let address = unsafe { ptr.as_ref() }.filter(|_| status == 0 && size > 0);
    hook.record(|recorder| match address {
        Some(&address) => {
            recorder.detect_device(); // It has one: the stream is of its context.
            let call = recorder.call(0);
            let address = address as u64;
            pools(recorder).insert(address, pool as u64);
            recorder.record_object(&call, address, size as u64);
            tell(
                recorder,
                &call,
                &[address, size as u64, pool as u64, stream as u64],
            );
        }
        None if status == 0 => {
            recorder.record_call(0, &[0, size as u64, pool as u64, stream as u64], 0);
        }
        None => {
            let site = recorder.call(0).site;
            let size = size as u64;
            recorder.event(&Event::AllocationFailed { site, size, status });
            recorder.define_status(status);
        }
    });
    status
}

/// The pool of each block, by the block's start. Entries may outlive their blocks: check that the block is live.
fn pools<'a>(recorder: &Recorder<'a>) -> MutexGuard<'a, HashMap<u64, u64>> {
    let process = recorder.process;
    process.calls.pools.lock()
}

/// Records further facts about an allocation or release.
fn tell(recorder: &mut Recorder, call: &Call, values: &[u64]) {
    let values = Values::new(values);
    recorder.call_event(call.site, &values, 0);
    recorder.order_called(call, &values, 0);
}

fn on_free(
    hook: &Hook,
    next: aclrtMemPoolFreeAsync::Fn,
    ptr: *mut c_void,
    stream: aclrtStream,
) -> aclError {
    guard_page::set_release_stream(ptr as u64, stream as u64);
    // SAFETY: the caller's own arguments, or the start of the block that they name.
    let forward = || left_redzone::release(ptr, |start| unsafe { next(start, stream) });
    let status = heap::release(hook, ptr as u64, forward);
    if status == 0 {
        hook.record(|recorder| {
            let call = recorder.call(0);
            tell(recorder, &call, &[ptr as u64, stream as u64]);
        });
    }
    status
}

fn on_destroy(hook: &Hook, next: aclrtMemPoolDestroy::Fn, pool: aclrtMemPool) -> aclError {
    let out = hook.record(|recorder| blocks_of(recorder, pool as u64));
    // SAFETY: the caller's own argument.
    let status = heap::release(hook, pool as u64, || unsafe { next(pool) });
    if status == 0 {
        let out = out.unwrap_or_default();
        hook.record(|recorder| end_blocks(recorder, &out));
    }
    status
}

/// The live blocks of the pool, in order of address.
fn blocks_of(recorder: &Recorder, pool: u64) -> Vec<(u64, Entry)> {
    let mut starts: Vec<u64> = Vec::new();
    pools(recorder).retain(|&start, of| {
        if *of == pool {
            starts.push(start);
        }
        *of != pool
    });
    starts.sort_unstable();
    let live = &recorder.process.heap.live;
    let entries = starts.into_iter().filter_map(|start| {
        let entry = live.get(start)?;
        let is_ours = entry.state == State::Live && entry.block(start).family() == Family::Pool;
        is_ours.then_some((start, entry))
    });
    entries.collect()
}

/// Releases the blocks of a pool, by the call that destroyed it, unless their addresses have been reused meanwhile.
fn end_blocks(recorder: &mut Recorder, blocks: &[(u64, Entry)]) {
    let live = &recorder.process.heap.live;
    for &(start, entry) in blocks {
        let call = recorder.call(0);
        if live.get(start).is_some_and(|now| now.id == entry.id)
            && live.release(start, call.site).is_some()
        {
            recorder.release(call.site, entry.id);
            let place = AddressInfo::Live(entry.block(start), 0);
            recorder
                .judge(|profile| judge::release(&call, start, &place, Mapping::Unknown, profile));
            recorder.order_releasing(&call, || entry.block(start));
        }
    }
}

/// The reuse attributes are 32 bits wide (the first three), the others 64.
fn on_set_attribute(
    hook: &Hook,
    next: aclrtMemPoolSetAttr::Fn,
    pool: aclrtMemPool,
    attr: aclrtMemPoolAttr,
    value: *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(pool, attr, value) };
    report_attribute(hook, pool, attr, value, status);
    status
}

fn on_get_attribute(
    hook: &Hook,
    next: aclrtMemPoolGetAttr::Fn,
    pool: aclrtMemPool,
    attr: aclrtMemPoolAttr,
    value: *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(pool, attr, value) };
    report_attribute(hook, pool, attr, value, status);
    status
}

fn report_attribute(
    hook: &Hook,
    pool: aclrtMemPool,
    attr: aclrtMemPoolAttr,
    value: *mut c_void,
    status: aclError,
) {
    let value = match attr {
        _ if status != 0 || value.is_null() => 0,
        // SAFETY: the runtime has read or written a value of this width there.
        1..=3 => u64::from(unsafe { value.cast::<u32>().read_unaligned() }),
        // SAFETY: the runtime has read or written a value of this width there.
        _ => unsafe { value.cast::<u64>().read_unaligned() },
    };
    hook.record(|recorder| recorder.record_call(attr, &[pool as u64, attr.into(), value], status));
}
