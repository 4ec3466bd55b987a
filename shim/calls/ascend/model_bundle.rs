//! Bundles, several models in one file: the memory given to their variables and to each model. Executions are those of any model.

use super::model::loaded;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::RecordEvents;
use crate::record::Hook;
use std::ffi::{c_char, c_void};

interpose! {
    /// Records the bundle, whose models have memory of their own.
    fn aclmdlBundleLoadFromFile(model_path: *const c_char, bundle_id: *mut u32) -> aclError = on_load_file;
    /// As `aclmdlBundleLoadFromFile`.
    fn aclmdlBundleLoadFromMem(model: *const c_void, model_size: usize, bundle_id: *mut u32) -> aclError = on_load_memory;
    /// Records the bundle and the memory of its variables.
    fn aclmdlBundleInitFromFile(model_path: *const c_char, var_weight_ptr: *mut c_void, var_weight_size: usize, bundle_id: *mut u32)
        -> aclError = on_init_file;
    /// As `aclmdlBundleInitFromFile`.
    fn aclmdlBundleInitFromMem(model: *const c_void, model_size: usize, var_weight_ptr: *mut c_void, var_weight_size: usize,
        bundle_id: *mut u32) -> aclError = on_init_memory;
    /// Records a model of the bundle.
    fn aclmdlBundleLoadModel(bundle_id: u32, index: usize, model_id: *mut u32) -> aclError = on_load_model;
    /// Records a model of the bundle and the memory that it uses until it is unloaded.
    fn aclmdlBundleLoadModelWithMem(bundle_id: u32, index: usize, work_ptr: *mut c_void, work_size: usize, weight_ptr: *mut c_void,
        weight_size: usize, model_id: *mut u32) -> aclError = on_load_model_with_memory;
    /// Records a model of the bundle and its settings.
    fn aclmdlBundleLoadModelWithConfig(bundle_id: u32, index: usize, handle: *mut aclmdlConfigHandle, model_id: *mut u32)
        -> aclError = on_load_model_configured;
    /// Records the end of the model.
    fn aclmdlBundleUnloadModel(bundle_id: u32, model_id: u32) -> aclError = on_unload_model;
    /// Records the end of the bundle and of all its models.
    fn aclmdlBundleUnload(bundle_id: u32) -> aclError = on_unload;
}

/// Forwards the call, then records the bundle.
fn open(
    hook: &Hook,
    bundle_id: *mut u32,
    variables: (*mut c_void, usize),
    forward: impl FnOnce() -> aclError,
) -> aclError {
    let status = forward();
    let values = [
        loaded(bundle_id, status),
        variables.0 as u64,
        variables.1 as u64,
    ];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

const NONE: (*mut c_void, usize) = (std::ptr::null_mut(), 0);

fn on_load_file(
    hook: &Hook,
    next: aclmdlBundleLoadFromFile::Fn,
    model_path: *const c_char,
    bundle_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    open(hook, bundle_id, NONE, || unsafe {
        next(model_path, bundle_id)
    })
}

fn on_load_memory(
    hook: &Hook,
    next: aclmdlBundleLoadFromMem::Fn,
    model: *const c_void,
    model_size: usize,
    bundle_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    open(hook, bundle_id, NONE, || unsafe {
        next(model, model_size, bundle_id)
    })
}

fn on_init_file(
    hook: &Hook,
    next: aclmdlBundleInitFromFile::Fn,
    model_path: *const c_char,
    var_weight_ptr: *mut c_void,
    var_weight_size: usize,
    bundle_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    open(
        hook,
        bundle_id,
        (var_weight_ptr, var_weight_size),
        || unsafe { next(model_path, var_weight_ptr, var_weight_size, bundle_id) },
    )
}

fn on_init_memory(
    hook: &Hook,
    next: aclmdlBundleInitFromMem::Fn,
    model: *const c_void,
    model_size: usize,
    var_weight_ptr: *mut c_void,
    var_weight_size: usize,
    bundle_id: *mut u32,
) -> aclError {
    let variables = (var_weight_ptr, var_weight_size);
    // SAFETY: the caller's own arguments.
    open(hook, bundle_id, variables, || unsafe {
        next(
            model,
            model_size,
            var_weight_ptr,
            var_weight_size,
            bundle_id,
        )
    })
}

fn on_load_model(
    hook: &Hook,
    next: aclmdlBundleLoadModel::Fn,
    bundle_id: u32,
    index: usize,
    model_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(bundle_id, index, model_id) };
    let values = [loaded(model_id, status), 0, 0, 0, 0, bundle_id.into()];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_load_model_with_memory(
    hook: &Hook,
    next: aclmdlBundleLoadModelWithMem::Fn,
    bundle_id: u32,
    index: usize,
    work_ptr: *mut c_void,
    work_size: usize,
    weight_ptr: *mut c_void,
    weight_size: usize,
    model_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe {
        next(
            bundle_id,
            index,
            work_ptr,
            work_size,
            weight_ptr,
            weight_size,
            model_id,
        )
    };
    let values = [
        loaded(model_id, status),
        work_ptr as u64,
        work_size as u64,
        weight_ptr as u64,
        weight_size as u64,
        bundle_id.into(),
    ];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_load_model_configured(
    hook: &Hook,
    next: aclmdlBundleLoadModelWithConfig::Fn,
    bundle_id: u32,
    index: usize,
    handle: *mut aclmdlConfigHandle,
    model_id: *mut u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(bundle_id, index, handle, model_id) };
    let values = [loaded(model_id, status), handle as u64, bundle_id.into()];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_unload_model(
    hook: &Hook,
    next: aclmdlBundleUnloadModel::Fn,
    bundle_id: u32,
    model_id: u32,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(bundle_id, model_id) };
    hook.record(|recorder| recorder.record_call(0, &[model_id.into()], status));
    status
}

fn on_unload(hook: &Hook, next: aclmdlBundleUnload::Fn, bundle_id: u32) -> aclError {
    // SAFETY: the caller's own argument.
    let status = unsafe { next(bundle_id) };
    hook.record(|recorder| recorder.record_call(0, &[bundle_id.into()], status));
    status
}
