//! Lists of a kernel's arguments, which are filled call by call. What is appended is copied, so that no rule has to follow the program's memory; a
//! list may be in memory of the program, and data of placeholders are written into it after the call.

use super::stream::ordered;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::RecordEvents;
use crate::record::Hook;
use std::ffi::c_void;

interpose! {
    /// Records the list.
    fn aclrtKernelArgsInit(func_handle: aclrtFuncHandle, args_handle: *mut aclrtArgsHandle) -> aclError = on_init;
    /// Records the program's memory in which the arguments are kept until the launch.
    fn aclrtKernelArgsInitByUserMem(func_handle: aclrtFuncHandle, args_handle: aclrtArgsHandle, memory: *mut c_void, size: usize)
        -> aclError = on_init_by_user_memory;
    /// Records where the argument was read, and its size.
    fn aclrtKernelArgsAppend(args_handle: aclrtArgsHandle, param: *mut c_void, size: usize, param_handle: *mut aclrtParamHandle)
        -> aclError = on_append;
    /// Records the placeholder.
    fn aclrtKernelArgsAppendPlaceHolder(args_handle: aclrtArgsHandle, param_handle: *mut aclrtParamHandle)
        -> aclError = on_append_placeholder;
    /// Records the memory in which the program writes the placeholder's data.
    fn aclrtKernelArgsGetPlaceHolderBuffer(args_handle: aclrtArgsHandle, param_handle: aclrtParamHandle, size: usize,
        buffer: *mut *mut c_void) -> aclError = on_placeholder_buffer;
    /// Records where the argument was read again, and its size.
    fn aclrtKernelArgsParaUpdate(args_handle: aclrtArgsHandle, param_handle: aclrtParamHandle, param: *mut c_void, size: usize)
        -> aclError = on_update;
    /// Records the end of the list.
    fn aclrtKernelArgsFinalize(args_handle: aclrtArgsHandle) -> aclError = on_finalize;
}

/// What the runtime has written through `out`; 0 if it failed.
fn written(out: *mut *mut c_void, status: aclError) -> u64 {
    // SAFETY: null, or a pointer through which the runtime has written on success.
    let value = unsafe { out.as_ref() }.filter(|_| status == 0);
    value.map_or(0, |&value| value as u64)
}

ordered! {
    on_init_by_user_memory: aclrtKernelArgsInitByUserMem(func_handle: aclrtFuncHandle, args_handle: aclrtArgsHandle, memory: *mut c_void,
        size: usize), [func_handle as u64, args_handle as u64, memory as u64, size as u64];
    on_update: aclrtKernelArgsParaUpdate(args_handle: aclrtArgsHandle, param_handle: aclrtParamHandle, param: *mut c_void, size: usize),
        [args_handle as u64, param_handle as u64, param as u64, size as u64];
    on_finalize: aclrtKernelArgsFinalize(args_handle: aclrtArgsHandle), [args_handle as u64];
}

fn on_init(
    hook: &Hook,
    next: aclrtKernelArgsInit::Fn,
    func_handle: aclrtFuncHandle,
    args_handle: *mut aclrtArgsHandle,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(func_handle, args_handle) };
    let values = [func_handle as u64, written(args_handle, status)];
    note(hook, &values, status)
}

fn on_append(
    hook: &Hook,
    next: aclrtKernelArgsAppend::Fn,
    args_handle: aclrtArgsHandle,
    param: *mut c_void,
    size: usize,
    param_handle: *mut aclrtParamHandle,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(args_handle, param, size, param_handle) };
    let made = written(param_handle, status);
    note(
        hook,
        &[args_handle as u64, made, param as u64, size as u64],
        status,
    )
}

fn on_append_placeholder(
    hook: &Hook,
    next: aclrtKernelArgsAppendPlaceHolder::Fn,
    args_handle: aclrtArgsHandle,
    param_handle: *mut aclrtParamHandle,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(args_handle, param_handle) };
    let values = [args_handle as u64, written(param_handle, status)];
    note(hook, &values, status)
}

fn on_placeholder_buffer(
    hook: &Hook,
    next: aclrtKernelArgsGetPlaceHolderBuffer::Fn,
    args_handle: aclrtArgsHandle,
    param_handle: aclrtParamHandle,
    size: usize,
    buffer: *mut *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(args_handle, param_handle, size, buffer) };
    let memory = written(buffer, status);
    note(
        hook,
        &[args_handle as u64, param_handle as u64, memory, size as u64],
        status,
    )
}

fn note(hook: &Hook, values: &[u64], status: aclError) -> aclError {
    hook.record(|recorder| recorder.record_call(0, values, status));
    status
}
