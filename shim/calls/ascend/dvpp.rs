//! Media memory: `acldvppMalloc`, `hi_mpi_dvpp_malloc` and their releases.

use super::device::allocated_for;
use crate::abi::{aclError, aclrtMallocConfig, aclrtMemMallocPolicy, hi_s32, hi_u32, hi_u64};
use crate::calls::actions::{allocated, freed};
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    fn acldvppMalloc(dev_ptr: *mut *mut c_void, size: usize) -> aclError = allocated (dev_ptr, size, 0) with size;
    fn acldvppMallocWithCfg(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = allocated_for (dev_ptr, size, policy, cfg) with size;
    fn acldvppFree(dev_ptr: *mut c_void) -> aclError = freed (dev_ptr) with dev_ptr => DVPP_FREE;
    /// The runtime ignores the device argument and uses the thread's device.
    fn hi_mpi_dvpp_malloc(dev_id: hi_u32, dev_ptr: *mut *mut c_void, size: hi_u64) -> hi_s32 = allocated (dev_ptr, size, 0) with size;
    fn hi_mpi_dvpp_free(dev_ptr: *mut c_void) -> hi_s32 = freed (dev_ptr) with dev_ptr => MPI_DVPP_FREE;
}
