//! Offline models: the memory given to a model, and its runs.

use super::data_buffer::datasets;
use crate::abi::*;
use crate::calls::actions::{launched, out, record, recorded};
use crate::calls::interpose;
use crate::record::Hook;
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

interpose! {
    fn aclmdlLoadFromFile(model_path: *const c_char, model_id: *mut u32) -> aclError = recorded [out(model_id), 0u32, 0u32, 0u32, 0u32];
    fn aclmdlLoadFromMem(model: *const c_void, model_size: usize, model_id: *mut u32) -> aclError
        = recorded [out(model_id), 0u32, 0u32, 0u32, 0u32];
    /// Records the model and the memory that it uses until `aclmdlUnload`.
    fn aclmdlLoadFromFileWithMem(model_path: *const c_char, model_id: *mut u32, work_ptr: *mut c_void, work_size: usize,
        weight_ptr: *mut c_void, weight_size: usize) -> aclError
        = recorded [out(model_id), work_ptr, work_size, weight_ptr, weight_size];
    /// As `aclmdlLoadFromFileWithMem`.
    fn aclmdlLoadFromMemWithMem(model: *const c_void, model_size: usize, model_id: *mut u32, work_ptr: *mut c_void, work_size: usize,
        weight_ptr: *mut c_void, weight_size: usize) -> aclError
        = recorded [out(model_id), work_ptr, work_size, weight_ptr, weight_size];
    /// Records one setting, which may be memory.
    fn aclmdlSetConfigOpt(handle: *mut aclmdlConfigHandle, attr: aclmdlConfigAttr, attr_value: *const c_void, value_size: usize)
        -> aclError = configured (handle, attr, attr_value, value_size);
    /// Records memory that holds a file's weights.
    fn aclmdlSetExternalWeightAddress(handle: *mut aclmdlConfigHandle, weight_file_name: *const c_char, dev_ptr: *mut c_void,
        size: usize) -> aclError = recorded [handle, dev_ptr, size];
    /// Records the model and its settings.
    fn aclmdlLoadWithConfig(handle: *const aclmdlConfigHandle, model_id: *mut u32) -> aclError = recorded [out(model_id), handle];
    /// Records the end of the model.
    fn aclmdlUnload(model_id: u32) -> aclError = recorded [model_id];
    /// Records the buffers of both datasets.
    fn aclmdlExecute(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset) -> aclError
        = launched [model_id, 0u32] (datasets(input, output), null_mut::<c_void>());
    /// As `aclmdlExecute`.
    fn aclmdlExecuteAsync(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream)
        -> aclError = launched [model_id, stream] (datasets(input, output), stream);
    /// As `aclmdlExecute`.
    fn aclmdlExecuteV2(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream,
        handle: *const aclmdlExecConfigHandle) -> aclError = launched [model_id, stream] (datasets(input, output), stream);
    /// As `aclmdlExecute`.
    fn aclmdlExecuteAsyncV2(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream,
        handle: *const aclmdlExecConfigHandle) -> aclError = launched [model_id, stream] (datasets(input, output), stream);
}

fn configured(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    handle: *mut aclmdlConfigHandle,
    attr: aclmdlConfigAttr,
    value: *const c_void,
    size: usize,
) -> aclError {
    let status = forward();
    if status == 0 && !value.is_null() && size == size_of::<u64>() {
        // SAFETY: the caller's value, of the size that the caller gives, which the runtime has copied.
        let value = unsafe { value.cast::<u64>().read_unaligned() };
        record(hook, 0, &[handle as u64, attr.into(), value], status);
    }
    status
}
