//! Pinned host memory: `aclrtMallocHost`, `aclrtFreeHost`.

use crate::abi::{aclError, aclrtMallocConfig};
use crate::calls::actions::{allocated_pinned, freed};
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    fn aclrtMallocHost(host_ptr: *mut *mut c_void, size: usize) -> aclError = allocated_pinned (host_ptr, size) with size => MALLOC_HOST;
    fn aclrtMallocHostWithCfg(ptr: *mut *mut c_void, size: u64, cfg: *mut aclrtMallocConfig) -> aclError
        = allocated_pinned (ptr, size) with size;
    fn aclrtFreeHost(host_ptr: *mut c_void) -> aclError = freed (host_ptr) with host_ptr => FREE_HOST;
    /// The runtime waits for the device first.
    fn aclrtFreeHostWithDevSync(host_ptr: *mut c_void) -> aclError = freed (host_ptr) with host_ptr;
}
