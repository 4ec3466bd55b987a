//! Device memory: `aclrtMalloc`, `aclrtFree` and their variants.

use crate::abi::{aclError, aclrtMallocConfig, aclrtMemMallocPolicy};
use crate::calls::actions::{allocated, freed};
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    fn aclrtMalloc(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError
        = allocated (dev_ptr, size, policy) with size => MALLOC;
    /// The runtime adds no padding.
    fn aclrtMallocAlign32(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError
        = allocated (dev_ptr, size, policy) with size;
    fn aclrtMallocCached(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError
        = allocated (dev_ptr, size, policy) with size;
    /// The runtime adds no padding.
    fn aclrtMallocWithCfg(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = allocated (dev_ptr, size, policy) with size;
    fn aclrtMallocForTaskScheduler(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = allocated (dev_ptr, size, policy) with size;
    fn aclrtFree(dev_ptr: *mut c_void) -> aclError = freed (dev_ptr) with dev_ptr => FREE;
    /// The runtime waits for the device first.
    fn aclrtFreeWithDevSync(dev_ptr: *mut c_void) -> aclError = freed (dev_ptr) with dev_ptr;
}
