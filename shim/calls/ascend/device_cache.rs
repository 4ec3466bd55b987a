//! Operations on the device's cache: data is not changed by them. They are recorded as facts about order.

use super::stream::ordered;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::RecordEvents;
use crate::record::Hook;
use std::ffi::c_void;

interpose! {
    fn aclrtCmoAsync(src: *mut c_void, size: usize, kind: aclrtCmoType, stream: aclrtStream) -> aclError = on_cache_queued;
    fn aclrtCmoAsyncWithBarrier(src: *mut c_void, size: usize, kind: aclrtCmoType, barrier: u32, stream: aclrtStream)
        -> aclError = on_cache_with_barrier;
    /// Waits for cache operations only, so it orders no access.
    fn aclrtCmoWaitBarrier(task: *mut aclrtBarrierTaskInfo, stream: aclrtStream, flag: u32) -> aclError = on_wait_barrier;
    fn aclrtCmoSetDesc(descriptor: *mut c_void, src: *mut c_void, size: usize) -> aclError = on_set_descriptor;
    fn aclrtCmoAsyncWithDesc(descriptor: *mut c_void, kind: aclrtCmoType, stream: aclrtStream, reserve: *const c_void)
        -> aclError = on_cache_with_descriptor;
    fn aclrtMemFlush(address: *mut c_void, size: usize) -> aclError = on_cache;
    fn aclrtMemInvalidate(address: *mut c_void, size: usize) -> aclError = on_cache;
}

ordered! {
    on_cache_queued: aclrtCmoAsync(src: *mut c_void, size: usize, kind: aclrtCmoType, stream: aclrtStream),
        [src as u64, size as u64, kind.into(), stream as u64];
    on_cache_with_barrier: aclrtCmoAsyncWithBarrier(src: *mut c_void, size: usize, kind: aclrtCmoType, barrier: u32, stream: aclrtStream),
        [src as u64, size as u64, kind.into(), barrier.into(), stream as u64];
    on_wait_barrier: aclrtCmoWaitBarrier(task: *mut aclrtBarrierTaskInfo, stream: aclrtStream, flag: u32),
        [barriers(task), stream as u64];
    on_set_descriptor: aclrtCmoSetDesc(descriptor: *mut c_void, src: *mut c_void, size: usize),
        [descriptor as u64, src as u64, size as u64];
    on_cache_with_descriptor: aclrtCmoAsyncWithDesc(descriptor: *mut c_void, kind: aclrtCmoType, stream: aclrtStream, reserve: *const c_void),
        [descriptor as u64, kind.into(), stream as u64];
    on_cache: aclrtMemFlush(address: *mut c_void, size: usize), [address as u64, size as u64];
}

/// How many barriers the task waits for.
fn barriers(task: *const aclrtBarrierTaskInfo) -> u64 {
    // SAFETY: null, or the caller's own description, which the runtime reads as well.
    unsafe { task.as_ref() }.map_or(0, |task| task.barrierNum as u64)
}
