//! Lists of a kernel's arguments, which are filled call by call. What is appended is copied, so that no rule has to follow the program's memory; a
//! list may be in memory of the program, and data of placeholders are written into it after the call.

use crate::abi::*;
use crate::calls::actions::{out, recorded};
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    /// Records the list.
    fn aclrtKernelArgsInit(func_handle: aclrtFuncHandle, args_handle: *mut aclrtArgsHandle) -> aclError
        = recorded [func_handle, out(args_handle)];
    /// Records the program's memory in which the arguments are kept until the launch.
    fn aclrtKernelArgsInitByUserMem(func_handle: aclrtFuncHandle, args_handle: aclrtArgsHandle, memory: *mut c_void, size: usize)
        -> aclError = recorded [func_handle, args_handle, memory, size];
    /// Records where the argument was read, and its size.
    fn aclrtKernelArgsAppend(args_handle: aclrtArgsHandle, param: *mut c_void, size: usize, param_handle: *mut aclrtParamHandle)
        -> aclError = recorded [args_handle, out(param_handle), param, size];
    /// Records the placeholder.
    fn aclrtKernelArgsAppendPlaceHolder(args_handle: aclrtArgsHandle, param_handle: *mut aclrtParamHandle) -> aclError
        = recorded [args_handle, out(param_handle)];
    /// Records the memory in which the program writes the placeholder's data.
    fn aclrtKernelArgsGetPlaceHolderBuffer(args_handle: aclrtArgsHandle, param_handle: aclrtParamHandle, size: usize,
        buffer: *mut *mut c_void) -> aclError = recorded [args_handle, param_handle, out(buffer), size];
    /// Records where the argument was read again, and its size.
    fn aclrtKernelArgsParaUpdate(args_handle: aclrtArgsHandle, param_handle: aclrtParamHandle, param: *mut c_void, size: usize)
        -> aclError = recorded [args_handle, param_handle, param, size];
    /// Records the end of the list.
    fn aclrtKernelArgsFinalize(args_handle: aclrtArgsHandle) -> aclError = recorded [args_handle];
}
