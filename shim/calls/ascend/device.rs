//! Device memory: `aclrtMalloc`, `aclrtFree` and their variants.

use crate::abi::{ACL_RT_MEM_ATTR_MODULE_ID, aclError, aclrtMallocConfig, aclrtMemMallocPolicy};
use crate::calls::actions::{allocated, array, freed, given};
use crate::calls::interpose;
use crate::record::Hook;
use aclsan_log::Values;
use std::ffi::c_void;

interpose! {
    fn aclrtMalloc(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError
        = allocated (dev_ptr, size, policy) with size => MALLOC;
    /// The runtime adds no padding.
    fn aclrtMallocAlign32(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError
        = allocated (dev_ptr, size, policy) with size;
    fn aclrtMallocCached(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy) -> aclError
        = allocated (dev_ptr, size, policy) with size;
    /// The runtime adds no padding. Libraries of CANN say for which of its modules the memory is.
    fn aclrtMallocWithCfg(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = allocated_for (dev_ptr, size, policy, cfg) with size;
    fn aclrtMallocForTaskScheduler(dev_ptr: *mut *mut c_void, size: usize, policy: aclrtMemMallocPolicy, cfg: *mut aclrtMallocConfig)
        -> aclError = allocated_for (dev_ptr, size, policy, cfg) with size;
    fn aclrtFree(dev_ptr: *mut c_void) -> aclError = freed (dev_ptr) with dev_ptr => FREE;
    /// The runtime waits for the device first.
    fn aclrtFreeWithDevSync(dev_ptr: *mut c_void) -> aclError = freed (dev_ptr) with dev_ptr;
}

/// Attributes that are read, at most.
const MAX_ATTRIBUTES: usize = 16;

/// As [`allocated`]; records the module after the block, if the program names one.
pub(super) fn allocated_for(
    hook: &Hook,
    forward: impl Fn(usize) -> aclError + Copy,
    out: *mut *mut c_void,
    size: usize,
    policy: aclrtMemMallocPolicy,
    config: *const aclrtMallocConfig,
) -> aclError {
    let status = allocated(hook, forward, out, size, policy);
    if status == 0
        && let Some(module) = module(config)
    {
        hook.record(|recorder| {
            let call = recorder.call(policy);
            recorder.call_event(call.site, &Values::of([module]), 0);
        });
    }
    status
}

/// The number of the module in a configuration.
fn module(config: *const aclrtMallocConfig) -> Option<u64> {
    let config = given(config)?;
    let attributes = array(config.attrs, config.numAttrs.min(MAX_ATTRIBUTES)).iter();
    let mut modules = attributes.filter(|attribute| attribute.attr == ACL_RT_MEM_ATTR_MODULE_ID);
    modules.next().map(|attribute| {
        // SAFETY: the attribute says which member was set; any bits make a number.
        u64::from(unsafe { attribute.value.moduleId })
    })
}
