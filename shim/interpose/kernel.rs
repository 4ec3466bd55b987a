//! Kernels of the program's own. What they touch is hidden in their arguments: the launches are facts about order alone.

use super::interpose;
use crate::abi::*;
use crate::hook::Hook;
use crate::launch::launch;
use std::ffi::c_void;

interpose! {
    /// Records the launch.
    fn aclrtLaunchKernel(func_handle: aclrtFuncHandle, num_blocks: u32, args_data: *const c_void, args_size: usize, stream: aclrtStream)
        -> aclError = on_launch;
    /// As `aclrtLaunchKernel`.
    fn aclrtLaunchKernelV2(func_handle: aclrtFuncHandle, num_blocks: u32, args_data: *const c_void, args_size: usize,
        cfg: *mut aclrtLaunchKernelCfg, stream: aclrtStream) -> aclError = on_launch_v2;
    /// As `aclrtLaunchKernel`.
    fn aclrtLaunchKernelWithConfig(func_handle: aclrtFuncHandle, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
        args_handle: aclrtArgsHandle, reserve: *mut c_void) -> aclError = on_launch_with_config;
    /// As `aclrtLaunchKernel`.
    fn aclrtLaunchKernelWithHostArgs(func_handle: aclrtFuncHandle, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
        host_args: *mut c_void, args_size: usize, place_holder_array: *mut aclrtPlaceHolderInfo, place_holder_num: usize)
        -> aclError = on_launch_with_host_args;
}

fn run(
    hook: &Hook,
    kernel: aclrtFuncHandle,
    stream: aclrtStream,
    forward: impl FnOnce() -> aclError,
) -> aclError {
    let values = [stream as u64, kernel as u64];
    launch(hook, &[], stream as u64, &values, forward)
}

fn on_launch(
    hook: &Hook,
    next: aclrtLaunchKernel::Fn,
    func_handle: aclrtFuncHandle,
    num_blocks: u32,
    args_data: *const c_void,
    args_size: usize,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, func_handle, stream, || unsafe {
        next(func_handle, num_blocks, args_data, args_size, stream)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_launch_v2(
    hook: &Hook,
    next: aclrtLaunchKernelV2::Fn,
    func_handle: aclrtFuncHandle,
    num_blocks: u32,
    args_data: *const c_void,
    args_size: usize,
    cfg: *mut aclrtLaunchKernelCfg,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, func_handle, stream, || unsafe {
        next(func_handle, num_blocks, args_data, args_size, cfg, stream)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_launch_with_config(
    hook: &Hook,
    next: aclrtLaunchKernelWithConfig::Fn,
    func_handle: aclrtFuncHandle,
    num_blocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    args_handle: aclrtArgsHandle,
    reserve: *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, func_handle, stream, || unsafe {
        next(func_handle, num_blocks, stream, cfg, args_handle, reserve)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_launch_with_host_args(
    hook: &Hook,
    next: aclrtLaunchKernelWithHostArgs::Fn,
    func_handle: aclrtFuncHandle,
    num_blocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    host_args: *mut c_void,
    args_size: usize,
    place_holder_array: *mut aclrtPlaceHolderInfo,
    place_holder_num: usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, func_handle, stream, || unsafe {
        next(
            func_handle,
            num_blocks,
            stream,
            cfg,
            host_args,
            args_size,
            place_holder_array,
            place_holder_num,
        )
    })
}
