//! Kernels of the program. Their memory accesses are hidden in their arguments, so launches are recorded as facts about order alone.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{guard_page, launch};
use crate::record::Hook;
use crate::state::process::Process;
use aclsan_options::Guard;
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
    /// As `aclrtLaunchKernel`.
    fn aclrtLaunchKernelWithArgsArray(func: *mut c_void, num_blocks: u32, stream: aclrtStream, cfg: *mut aclrtLaunchKernelCfg,
        args: *mut *mut c_void) -> aclError = on_launch_with_args_array;
    /// As `aclrtLaunchKernel`.
    fn aclrtLaunchSIMTKernelWithArgsArray(func: *mut c_void, grid: dim3, block: dim3, dynamic: usize, stream: aclrtStream,
        cfg: *mut aclrtLaunchKernelCfg, args: *mut *mut c_void) -> aclError = on_launch_simt_with_args_array;
    /// As `aclrtLaunchKernel`.
    fn aclrtLaunchSIMTKernelWithHostArgs(func: *mut c_void, grid: dim3, block: dim3, dynamic: usize, stream: aclrtStream,
        cfg: *mut aclrtLaunchKernelCfg, host_args: *mut c_void, args_size: usize, place_holder_array: *mut aclrtPlaceHolderInfo,
        place_holder_num: usize) -> aclError = on_launch_simt_with_host_args;
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

/// As [`run`], of a kernel whose arguments are in host memory: start and size.
fn run_with_arguments(
    hook: &Hook,
    kernel: aclrtFuncHandle,
    stream: aclrtStream,
    (arguments, size): (*const c_void, usize),
    forward: impl FnOnce() -> aclError,
) -> aclError {
    let mut values = vec![stream as u64, kernel as u64];
    values.extend(guard_page::blocks_named_by(&words(arguments, size), 6));
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
    let arguments = (host_args.cast_const(), args_size);
    // SAFETY: the caller's own arguments.
    run_with_arguments(hook, func_handle, stream, arguments, || unsafe {
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

fn on_launch_with_args_array(
    hook: &Hook,
    next: aclrtLaunchKernelWithArgsArray::Fn,
    func: *mut c_void,
    num_blocks: u32,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    args: *mut *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, func, stream, || unsafe {
        next(func, num_blocks, stream, cfg, args)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_launch_simt_with_args_array(
    hook: &Hook,
    next: aclrtLaunchSIMTKernelWithArgsArray::Fn,
    func: *mut c_void,
    grid: dim3,
    block: dim3,
    dynamic: usize,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    args: *mut *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, func, stream, || unsafe {
        next(func, grid, block, dynamic, stream, cfg, args)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_launch_simt_with_host_args(
    hook: &Hook,
    next: aclrtLaunchSIMTKernelWithHostArgs::Fn,
    func: *mut c_void,
    grid: dim3,
    block: dim3,
    dynamic: usize,
    stream: aclrtStream,
    cfg: *mut aclrtLaunchKernelCfg,
    host_args: *mut c_void,
    args_size: usize,
    place_holder_array: *mut aclrtPlaceHolderInfo,
    place_holder_num: usize,
) -> aclError {
    let arguments = (host_args.cast_const(), args_size);
    // SAFETY: the caller's own arguments.
    run_with_arguments(hook, func, stream, arguments, || unsafe {
        next(
            func,
            grid,
            block,
            dynamic,
            stream,
            cfg,
            host_args,
            args_size,
            place_holder_array,
            place_holder_num,
        )
    })
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
