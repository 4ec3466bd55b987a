//! Offline models: the memory given to a model, and its runs.

use super::data_buffer::dataset;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{RecordEvents, launch};
use crate::record::Hook;
use aclsan_log::record::Access;
use std::ffi::{c_char, c_void};

interpose! {
    /// Records the model.
    fn aclmdlLoadFromFile(model_path: *const c_char, model_id: *mut u32) -> aclError = on_load_file;
    /// As `aclmdlLoadFromFile`.
    fn aclmdlLoadFromMem(model: *const c_void, model_size: usize, model_id: *mut u32) -> aclError = on_load_memory;
    /// Records the model and the memory that it uses until `aclmdlUnload`.
    fn aclmdlLoadFromFileWithMem(model_path: *const c_char, model_id: *mut u32, work_ptr: *mut c_void, work_size: usize,
        weight_ptr: *mut c_void, weight_size: usize) -> aclError = on_load_file_with_memory;
    /// As `aclmdlLoadFromFileWithMem`.
    fn aclmdlLoadFromMemWithMem(model: *const c_void, model_size: usize, model_id: *mut u32, work_ptr: *mut c_void, work_size: usize,
        weight_ptr: *mut c_void, weight_size: usize) -> aclError = on_load_memory_with_memory;
    /// Records one setting, which may be memory.
    fn aclmdlSetConfigOpt(handle: *mut aclmdlConfigHandle, attr: aclmdlConfigAttr, attr_value: *const c_void, value_size: usize)
        -> aclError = on_configure;
    /// Records memory that holds a file's weights.
    fn aclmdlSetExternalWeightAddress(handle: *mut aclmdlConfigHandle, weight_file_name: *const c_char, dev_ptr: *mut c_void,
        size: usize) -> aclError = on_external_weights;
    /// Records the model and its settings.
    fn aclmdlLoadWithConfig(handle: *const aclmdlConfigHandle, model_id: *mut u32) -> aclError = on_load_configured;
    /// Records the end of the model.
    fn aclmdlUnload(model_id: u32) -> aclError = on_unload;
    /// Records the buffers of both datasets.
    fn aclmdlExecute(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset) -> aclError = on_execute;
    /// As `aclmdlExecute`.
    fn aclmdlExecuteAsync(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream)
        -> aclError = on_execute_async;
    /// As `aclmdlExecute`.
    fn aclmdlExecuteV2(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream,
        handle: *const aclmdlExecConfigHandle) -> aclError = on_execute_v2;
    /// As `aclmdlExecute`.
    fn aclmdlExecuteAsyncV2(model_id: u32, input: *const aclmdlDataset, output: *mut aclmdlDataset, stream: aclrtStream,
        handle: *const aclmdlExecConfigHandle) -> aclError = on_execute_v2;
}

type Memory = (*mut c_void, usize);

/// Forwards the call, then records the model.
fn load(
    hook: &Hook,
    model_id: *mut u32,
    [work, weights]: [Memory; 2],
    forward: impl FnOnce() -> aclError,
) -> aclError {
    let status = forward();
    let [work, weights] = [work, weights].map(|(address, size)| [address as u64, size as u64]);
    let values = [
        loaded(model_id, status),
        work[0],
        work[1],
        weights[0],
        weights[1],
    ];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

/// The id of the loaded model.
pub(super) fn loaded(model_id: *mut u32, status: aclError) -> u64 {
    // SAFETY: null, or a pointer through which the runtime has written one on success.
    let id = unsafe { model_id.as_ref() }.filter(|_| status == 0);
    id.map_or(0, |&id| id.into())
}

const NONE: [Memory; 2] = [(std::ptr::null_mut(), 0); 2];

fn on_load_file(
    hook: &Hook,
    next: aclmdlLoadFromFile::Fn,
    model_path: *const c_char,
    model_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    load(hook, model_id, NONE, || unsafe {
        next(model_path, model_id)
    })
}

fn on_load_memory(
    hook: &Hook,
    next: aclmdlLoadFromMem::Fn,
    model: *const c_void,
    model_size: usize,
    model_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    load(hook, model_id, NONE, || unsafe {
        next(model, model_size, model_id)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_load_file_with_memory(
    hook: &Hook,
    next: aclmdlLoadFromFileWithMem::Fn,
    model_path: *const c_char,
    model_id: *mut u32,
    work_ptr: *mut c_void,
    work_size: usize,
    weight_ptr: *mut c_void,
    weight_size: usize,
) -> aclError {
    let memory = [(work_ptr, work_size), (weight_ptr, weight_size)];
    // SAFETY: the caller's own arguments.
    load(hook, model_id, memory, || unsafe {
        next(
            model_path,
            model_id,
            work_ptr,
            work_size,
            weight_ptr,
            weight_size,
        )
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_load_memory_with_memory(
    hook: &Hook,
    next: aclmdlLoadFromMemWithMem::Fn,
    model: *const c_void,
    model_size: usize,
    model_id: *mut u32,
    work_ptr: *mut c_void,
    work_size: usize,
    weight_ptr: *mut c_void,
    weight_size: usize,
) -> aclError {
    let memory = [(work_ptr, work_size), (weight_ptr, weight_size)];
    // SAFETY: the caller's own arguments.
    load(hook, model_id, memory, || unsafe {
        next(
            model,
            model_size,
            model_id,
            work_ptr,
            work_size,
            weight_ptr,
            weight_size,
        )
    })
}

fn on_configure(
    hook: &Hook,
    next: aclmdlSetConfigOpt::Fn,
    handle: *mut aclmdlConfigHandle,
    attr: aclmdlConfigAttr,
    attr_value: *const c_void,
    value_size: usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(handle, attr, attr_value, value_size) };
    if status == 0 && !attr_value.is_null() && value_size == size_of::<u64>() {
        // SAFETY: the caller's value, of the size that the caller gives, which the runtime has copied.
        let value = unsafe { attr_value.cast::<u64>().read_unaligned() };
        let values = [handle as u64, attr.into(), value];
        hook.record(|recorder| recorder.record_call(0, &values, status));
    }
    status
}

fn on_external_weights(
    hook: &Hook,
    next: aclmdlSetExternalWeightAddress::Fn,
    handle: *mut aclmdlConfigHandle,
    weight_file_name: *const c_char,
    dev_ptr: *mut c_void,
    size: usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(handle, weight_file_name, dev_ptr, size) };
    let values = [handle as u64, dev_ptr as u64, size as u64];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_load_configured(
    hook: &Hook,
    next: aclmdlLoadWithConfig::Fn,
    handle: *const aclmdlConfigHandle,
    model_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(handle, model_id) };
    let values = [loaded(model_id, status), handle as u64];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_unload(hook: &Hook, next: aclmdlUnload::Fn, model_id: u32) -> aclError {
    // SAFETY: the caller's own argument.
    let status = unsafe { next(model_id) };
    hook.record(|recorder| recorder.record_call(0, &[model_id.into()], status));
    status
}

fn run(
    hook: &Hook,
    model_id: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
    stream: aclrtStream,
    forward: impl FnOnce() -> aclError,
) -> aclError {
    let mut used = dataset(input, Access::Read);
    used.extend(dataset(output, Access::Write));
    let stream = stream as u64;
    launch(hook, &used, stream, &[model_id.into(), stream], forward)
}

fn on_execute(
    hook: &Hook,
    next: aclmdlExecute::Fn,
    model_id: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
) -> aclError {
    let stream = std::ptr::null_mut();
    // SAFETY: the caller's own arguments.
    run(hook, model_id, input, output, stream, || unsafe {
        next(model_id, input, output)
    })
}

fn on_execute_async(
    hook: &Hook,
    next: aclmdlExecuteAsync::Fn,
    model_id: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, model_id, input, output, stream, || unsafe {
        next(model_id, input, output, stream)
    })
}

fn on_execute_v2(
    hook: &Hook,
    next: aclmdlExecuteV2::Fn,
    model_id: u32,
    input: *const aclmdlDataset,
    output: *mut aclmdlDataset,
    stream: aclrtStream,
    handle: *const aclmdlExecConfigHandle,
) -> aclError {
    // SAFETY: the caller's own arguments.
    run(hook, model_id, input, output, stream, || unsafe {
        next(model_id, input, output, stream, handle)
    })
}
