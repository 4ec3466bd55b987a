//! Operations on the device's cache: data is not changed by them. They are recorded as facts about order.

use crate::abi::*;
use crate::calls::actions::{given, recorded};
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    fn aclrtCmoAsync(src: *mut c_void, size: usize, kind: aclrtCmoType, stream: aclrtStream) -> aclError
        = recorded [src, size, kind, stream];
    fn aclrtCmoAsyncWithBarrier(src: *mut c_void, size: usize, kind: aclrtCmoType, barrier: u32, stream: aclrtStream) -> aclError
        = recorded [src, size, kind, barrier, stream];
    /// Waits for cache operations only, so it orders no access.
    fn aclrtCmoWaitBarrier(task: *mut aclrtBarrierTaskInfo, stream: aclrtStream, flag: u32) -> aclError
        = recorded [given(task).map_or(0, |task| task.barrierNum as u64), stream];
    fn aclrtCmoSetDesc(descriptor: *mut c_void, src: *mut c_void, size: usize) -> aclError = recorded [descriptor, src, size];
    fn aclrtCmoAsyncWithDesc(descriptor: *mut c_void, kind: aclrtCmoType, stream: aclrtStream, reserve: *const c_void) -> aclError
        = recorded [descriptor, kind, stream];
    fn aclrtMemFlush(address: *mut c_void, size: usize) -> aclError = recorded [address, size];
    fn aclrtMemInvalidate(address: *mut c_void, size: usize) -> aclError = recorded [address, size];
}
