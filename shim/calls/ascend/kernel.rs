//! Kernels of the program. Their memory accesses are hidden in their arguments, so launches are recorded as facts about order alone.

use crate::abi::*;
use crate::calls::actions::launched;
use crate::calls::interpose;
use crate::heap::{self, guard_page};
use crate::record::Hook;
use crate::state::process::Process;
use aclsan_options::Guard;
use std::ffi::c_void;

interpose! {
    fn aclrtLaunchKernel(func_handle: aclrtFuncHandle, num_blocks: u32, args_data: *const c_void, args_size: usize, stream: aclrtStream)
        -> aclError = launched [stream, func_handle] (None, stream);
    fn aclrtLaunchKernelV2(func_handle: aclrtFuncHandle, num_blocks: u32, args_data: *const c_void, args_size: usize,
        cfg: *mut aclrtLaunchKernelCfg, stream: aclrtStream) -> aclError = launched [stream, func_handle] (None, stream);
    fn aclrtLaunchKernelWithConfig(func_handle: aclrtFuncHandle, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
        args_handle: aclrtArgsHandle, reserve: *mut c_void) -> aclError = launched [stream, func_handle] (None, stream);
    fn aclrtLaunchKernelWithHostArgs(func_handle: aclrtFuncHandle, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
        host_args: *mut c_void, args_size: usize, place_holder_array: *mut aclrtPlaceHolderInfo, place_holder_num: usize) -> aclError
        = launched_with_arguments (func_handle, stream, host_args, args_size);
    fn aclrtLaunchKernelWithArgsArray(func: *mut c_void, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
        args: *mut *mut c_void) -> aclError = launched [stream, func] (None, stream);
    fn aclrtLaunchSIMTKernelWithArgsArray(func: *mut c_void, grid: dim3, block: dim3, dynamic: usize, stream: aclrtStream,
        cfg: *mut aclrtLaunchKernelCfg, args: *mut *mut c_void) -> aclError = launched [stream, func] (None, stream);
    fn aclrtLaunchSIMTKernelWithHostArgs(func: *mut c_void, grid: dim3, block: dim3, dynamic: usize, stream: aclrtStream,
        cfg: *mut aclrtLaunchKernelCfg, host_args: *mut c_void, args_size: usize, place_holder_array: *mut aclrtPlaceHolderInfo,
        place_holder_num: usize) -> aclError = launched_with_arguments (func, stream, host_args, args_size);
}

/// As [`launched`], of a kernel whose `size` bytes of arguments are in host memory.
fn launched_with_arguments(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    kernel: aclrtFuncHandle,
    stream: aclrtStream,
    arguments: *const c_void,
    size: usize,
) -> aclError {
    let mut values = vec![stream as u64, kernel as u64];
    values.extend(guard_page::blocks_named_by(&words(arguments, size), 6));
    heap::launch(hook, 0, &[], stream as u64, &values, forward)
}

/// Maximum number of argument bytes that are scanned.
const MAX_SCANNED_BYTES: usize = 4096;

/// The words of a kernel's arguments in host memory, any of which may be an address.
fn words(arguments: *const c_void, size: usize) -> Vec<u64> {
    if arguments.is_null() || Process::current().options.guard() != Guard::Page {
        return Vec::new();
    }
    let count = size.min(MAX_SCANNED_BYTES) / 8;
    let word = |index: usize| {
        let at = arguments.cast::<u64>().wrapping_add(index);
        // SAFETY: within the arguments, which the runtime is about to copy from the same address.
        unsafe { at.read_unaligned() }
    };
    (0..count).map(word).collect()
}
