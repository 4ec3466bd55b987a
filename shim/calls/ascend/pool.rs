//! Stream-ordered pools: `aclrtMemPool…`.
//!
//! Blocks are not guarded: they belong to a stream, and our copies would not be in its order. The entry of a freed block ends with the
//! call, as the runtime's does: the next allocation may be given the address at once.

use crate::abi::*;
use crate::calls::actions::{self, Word, made_with_callbacks, recorded, recorded_as, written};
use crate::calls::interpose;
use crate::heap::{self, guard_page, record_call, record_object};
use crate::judge::{ask_rules, stream_order};
use crate::record::{Hook, Recorder};
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
    fn aclrtMemPoolCreate(pool: *mut aclrtMemPool, props: *const aclrtMemPoolProps) -> aclError = made_with_callbacks (pool, 0);
    /// Ends the blocks that the pool has not taken back.
    fn aclrtMemPoolDestroy(pool: aclrtMemPool) -> aclError = destroyed (pool);
    /// Records the block, its pool and its stream.
    fn aclrtMemPoolMallocAsync(ptr: *mut *mut c_void, size: usize, pool: aclrtMemPool, stream: aclrtStream) -> aclError
        = allocated (ptr, size, pool, stream);
    /// Records the release and its stream. Memory outside any pool is legal here.
    fn aclrtMemPoolFreeAsync(ptr: *mut c_void, stream: aclrtStream) -> aclError = freed (ptr, stream) with ptr;
    fn aclrtMemPoolSetAttr(pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: *mut c_void) -> aclError
        = recorded_as [pool, attr, Attribute(attr, value)] (attr);
    fn aclrtMemPoolGetAttr(pool: aclrtMemPool, attr: aclrtMemPoolAttr, value: *mut c_void) -> aclError
        = recorded_as [pool, attr, Attribute(attr, value)] (attr);
    fn aclrtMemPoolTrimTo(pool: aclrtMemPool, keep: usize) -> aclError = recorded [pool, keep];
}

fn allocated(
    hook: &Hook,
    forward: impl Fn() -> aclError,
    ptr: *mut *mut c_void,
    size: usize,
    pool: aclrtMemPool,
    stream: aclrtStream,
) -> aclError {
    let status = heap::forward_or_flush(hook, forward);
    // A size of 0 is a success without a block.
    let address = written(ptr, status == 0 && size > 0);
    hook.record(|recorder| match address {
        Some(address) => {
            recorder.detect_device(); // It has one: the stream is of its context.
            let call = recorder.call(0);
            let address = address as u64;
            pools(recorder).insert(address, pool as u64);
            record_object(recorder, &call, address, size as u64);
            tell(
                recorder,
                &call,
                &[address, size as u64, pool as u64, stream as u64],
            );
        }
        None if status == 0 => {
            record_call(
                recorder,
                0,
                &[0, size as u64, pool as u64, stream as u64],
                0,
            );
        }
        None => {
            let site = recorder.call(0).site;
            let size = size as u64;
            recorder.event(&Event::AllocationFailed { site, size, status });
            recorder.define_status(status);
            recorder.ask_memory();
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
    stream_order::called(recorder, call, &values, 0);
}

fn freed(
    hook: &Hook,
    forward: impl FnOnce(*mut c_void) -> aclError,
    ptr: *mut c_void,
    stream: aclrtStream,
) -> aclError {
    guard_page::set_release_stream(ptr as u64, stream as u64);
    let status = actions::freed(hook, forward, ptr);
    if status == 0 {
        hook.record(|recorder| {
            let call = recorder.call(0);
            tell(recorder, &call, &[ptr as u64, stream as u64]);
        });
    }
    status
}

fn destroyed(hook: &Hook, forward: impl FnOnce() -> aclError, pool: aclrtMemPool) -> aclError {
    let out = hook.record(|recorder| blocks_of(recorder, pool as u64));
    let status = heap::release(hook, pool as u64, forward);
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
            ask_rules(recorder, |profile| {
                judge::release(&call, start, &place, Mapping::Unknown, profile)
            });
            stream_order::releasing(recorder, &call, || entry.block(start));
        }
    }
}

/// An attribute, as the runtime reads or writes it: the reuse attributes (the first three) have 32 bits, the others 64.
#[derive(Clone, Copy)]
struct Attribute(aclrtMemPoolAttr, *mut c_void);

impl Word for Attribute {
    fn word(self, done: bool) -> u64 {
        match self {
            Self(_, value) if !done || value.is_null() => 0,
            // SAFETY: the runtime has read or written a value of this width there.
            Self(1..=3, value) => u64::from(unsafe { value.cast::<u32>().read_unaligned() }),
            // SAFETY: the runtime has read or written a value of this width there.
            Self(_, value) => unsafe { value.cast::<u64>().read_unaligned() },
        }
    }
}
