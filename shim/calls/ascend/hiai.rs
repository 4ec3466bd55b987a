//! The legacy HiAI Matrix: its memory, as C functions and C++ statics, and sending it.
//!
//! Its blocks are ordinary memory from a pool of its own. They are never guarded: a request too large for the pool would wait. The status
//! of a release or send is passed on but not trusted, since sources disagree about the number that means success: a release always counts,
//! and after a send that returns anything but 0 the owner of the block is unknown.

mod callers;
mod sending;

use crate::abi::*;
use crate::calls::actions::{Word, out, recorded};
use crate::calls::interpose;
use crate::heap::{self, record_object};
use crate::record::Hook;
use crate::state::process::Process;
use aclsan_guards::left_redzone;
use aclsan_log::Event;
use aclsan_os::lock::MutexGuard;
use aclsan_rules::api::family::Family;
use aclsan_rules::trackers::hiai_auto_free::AutoFree;
use aclsan_tables::live::State;
use std::cell::Cell;
use std::ffi::{c_char, c_void};

interpose! {
    fn HIAI_DMalloc(size: u32, time_out: u32, flag: u32) -> *mut c_void = returned (size, flag, next) knowing next, HIAI_DMalloc;
    fn HIAI_DFree(buffer: *mut c_void) -> HIAI_StatusT = freed (buffer, next) with buffer knowing next, HIAI_DFree;
    fn HIAI_DVPP_DMalloc(size: u32) -> *mut c_void = returned (size, 0, next) knowing next, HIAI_DVPP_DMalloc;
    fn HIAI_DVPP_DFree(buffer: *mut c_void) -> HIAI_StatusT = freed (buffer, next) with buffer knowing next, HIAI_DVPP_DFree;
    /// The C form copies: the caller keeps the message.
    fn HIAI_C_SendData(port: HIAI_PortID_t, name: *const c_char, size: usize, message: *mut c_void) -> HIAI_StatusT
        = recorded [message], HIAI_C_SendData;
    fn malloc_by_reference(size: u32, buffer: *mut *mut c_void, time_out: *const u32, flag: u32) -> u32
        = written_into (buffer, size, flag, next) knowing next,
            _ZN4hiai10HIAIMemory12HIAI_DMallocEjRPvRKjj as "hiai::HIAIMemory::HIAI_DMalloc";
    fn malloc_by_value(size: u32, buffer: *mut *mut c_void, time_out: u32, flag: u32) -> u32
        = written_into (buffer, size, flag, next) knowing next,
            _ZN4hiai10HIAIMemory12HIAI_DMallocEjRPvjj as "hiai::HIAIMemory::HIAI_DMalloc";
    fn free(buffer: *mut c_void) -> u32
        = freed (buffer, next) with buffer knowing next, _ZN4hiai10HIAIMemory10HIAI_DFreeEPv as "hiai::HIAIMemory::HIAI_DFree";
    fn media_malloc(size: u32, buffer: *mut *mut c_void) -> u32
        = written_into (buffer, size, 0, next) knowing next,
            _ZN4hiai10HIAIMemory17HIAI_DVPP_DMallocEjRPv as "hiai::HIAIMemory::HIAI_DVPP_DMalloc";
    fn media_free(buffer: *mut c_void) -> u32
        = freed (buffer, next) with buffer knowing next, _ZN4hiai10HIAIMemory15HIAI_DVPP_DFreeEPv as "hiai::HIAIMemory::HIAI_DVPP_DFree";
    fn engine_send(this: *mut c_void, port: u32, name: *const c_void, message: *const *mut c_void, time_out: u32) -> u32
        = sending::sent (message),
        _ZN4hiai6Engine8SendDataEjRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKSt10shared_ptrIvEj
        as "hiai::Engine::SendData";
    fn engine_send_old(this: *mut c_void, port: u32, name: *const c_void, message: *const *mut c_void, time_out: u32) -> u32
        = sending::sent (message), _ZN4hiai6Engine8SendDataEjRKSsRKSt10shared_ptrIvEj as "hiai::Engine::SendData";
    fn graph_send(this: *mut c_void, port: *const c_void, name: *const c_void, message: *const *mut c_void, time_out: u32) -> u32
        = sending::sent (message),
        _ZN4hiai5Graph8SendDataERKNS_12EnginePortIDERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEERKSt10shared_ptrIvEj
        as "hiai::Graph::SendData";
    fn graph_send_old(this: *mut c_void, port: *const c_void, name: *const c_void, message: *const *mut c_void, time_out: u32) -> u32
        = sending::sent (message), _ZN4hiai5Graph8SendDataERKNS_12EnginePortIDERKSsRKSt10shared_ptrIvEj as "hiai::Graph::SendData";
}

/// The live blocks that a send may take over.
fn auto_free() -> MutexGuard<'static, AutoFree> {
    let blocks = &Process::current().calls.auto_free;
    blocks.lock()
}

/// Records the block at `address`, or the failure. Blocks that the Matrix allocates for itself are its own.
fn record_block(hook: &Hook, definition: *const (), address: u64, size: u32, flag: u32) {
    hook.record(|recorder| {
        let call = recorder.call(flag);
        if callers::is_theirs(recorder.process, call.site, definition) {
            return;
        }
        let size = u64::from(size);
        if address == 0 {
            let (site, status) = (call.site, -1);
            recorder.event(&Event::AllocationFailed { site, size, status });
        } else {
            let block = record_object(recorder, &call, address, size);
            auto_free().made(&block, flag);
        }
    });
}

/// Forwards an allocation that returns the block's address, and records the block.
fn returned(
    hook: &Hook,
    forward: impl FnOnce() -> *mut c_void,
    size: u32,
    flag: u32,
    definition: *const (),
) -> *mut c_void {
    let buffer = forward();
    record_block(hook, definition, buffer as u64, size, flag);
    buffer
}

/// As [`returned`], where the address is written through a C++ reference. On success there is an address; a failure may leave the old value.
fn written_into(
    hook: &Hook,
    forward: impl FnOnce() -> u32,
    buffer: *mut *mut c_void,
    size: u32,
    flag: u32,
    definition: *const (),
) -> u32 {
    let before = out(buffer).word(true);
    let status = forward();
    let after = out(buffer).word(true);
    let is_made = status == 0 || after != before;
    let address = if is_made { after } else { 0 };
    record_block(hook, definition, address, size, flag);
    status
}

/// A release. The Matrix's own release of a sent block is legal: its libraries use the same functions.
fn freed(
    hook: &Hook,
    forward: impl Fn(*mut c_void) -> u32,
    buffer: *mut c_void,
    definition: *const (),
) -> u32 {
    let address = buffer as u64;
    let entry = Process::current().heap.live.get(address);
    let is_sent = entry.is_some_and(|entry| entry.state == State::Sent);
    let is_theirs = is_sent
        && hook.record(|recorder| {
            let site = recorder.call(0).site;
            callers::is_theirs(recorder.process, site, definition)
        }) == Some(true);
    if is_theirs {
        return forward(buffer);
    }
    auto_free().gone(address);
    let is_own = entry.is_some_and(|entry| {
        let family = entry.block(address).family();
        matches!(family, Family::Hiai | Family::HiaiDvpp) && Some(family) == hook.function.family()
    });
    let answer = Cell::new(0);
    heap::release(hook, address, || {
        answer.set(left_redzone::release(buffer, |start| forward(start) as i32) as u32);
        if is_own { 0 } else { answer.get() as i32 }
    });
    answer.get()
}
