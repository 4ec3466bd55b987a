//! Entry points of libaclsan_free.so, for blocks that libc is given.

use super::entry;
use crate::heap::record_call;
use crate::runtime::next::Interceptor;
use crate::state::modules;
use crate::state::process::Process;
use crate::state::reentrancy::ReentrancyGuard;
use aclsan_rules::api::block::AddressInfo;
use aclsan_rules::api::family::Family;
use aclsan_rules::api::functions::number;
use aclsan_unwind::frame::Frame;
use std::ffi::c_void;

/// The functions that the companion reports, in the order of its numbers. They have no hook here.
pub(super) static LIBC_CALLS: [Interceptor; 3] = [
    Interceptor::unforwarded(number("free")),
    Interceptor::unforwarded(number("realloc")),
    Interceptor::unforwarded(number("reallocarray")),
];

/// Whether the calling thread is inside a call of the runtime, so that what it allocates is the runtime's.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_is_inside"))]
extern "C" fn is_inside() -> bool {
    ReentrancyGuard::is_active()
}

/// libc was given an address within the watched ranges. One that is neither in a live block nor registered is libc's own business.
#[cfg_attr(not(test), unsafe(export_name = "aclsan_libc_release"))]
extern "C" fn release(address: *mut c_void, which: u32, pc: u64, sp: u64, fp: u64) {
    let Some(process) = Process::if_initialized() else {
        return;
    };
    let address = address as u64;
    let Some(row) = LIBC_CALLS.get(which as usize) else {
        return;
    };
    // Before any lookup: frees by our own code, which may hold our locks, stop here.
    let Some(hook) = entry::enter(row, Frame { pc, sp, fp }) else {
        return;
    };
    let is_live = |key| matches!(process.heap.live.place(key), AddressInfo::Live(..));
    if is_live(address) || is_live(Family::Registered.key(address)) {
        let companion = modules::at(pc).map(|module| module.range);
        let hook = hook.with_own_range(companion);
        hook.record(|recorder| record_call(recorder, 0, &[address], 0));
    }
}
