//! Bundles, several models in one file: the memory given to their variables and to each model. Executions are those of any model.

use crate::abi::*;
use crate::calls::actions::{out, recorded};
use crate::calls::interpose;
use std::ffi::{c_char, c_void};

interpose! {
    /// Records the bundle, whose models have memory of their own.
    fn aclmdlBundleLoadFromFile(model_path: *const c_char, bundle_id: *mut u32) -> aclError = recorded [out(bundle_id), 0u32, 0u32];
    /// As `aclmdlBundleLoadFromFile`.
    fn aclmdlBundleLoadFromMem(model: *const c_void, model_size: usize, bundle_id: *mut u32) -> aclError
        = recorded [out(bundle_id), 0u32, 0u32];
    /// Records the bundle and the memory of its variables.
    fn aclmdlBundleInitFromFile(model_path: *const c_char, var_weight_ptr: *mut c_void, var_weight_size: usize, bundle_id: *mut u32)
        -> aclError = recorded [out(bundle_id), var_weight_ptr, var_weight_size];
    /// As `aclmdlBundleInitFromFile`.
    fn aclmdlBundleInitFromMem(model: *const c_void, model_size: usize, var_weight_ptr: *mut c_void, var_weight_size: usize,
        bundle_id: *mut u32) -> aclError = recorded [out(bundle_id), var_weight_ptr, var_weight_size];
    /// Records a model of the bundle.
    fn aclmdlBundleLoadModel(bundle_id: u32, index: usize, model_id: *mut u32) -> aclError
        = recorded [out(model_id), 0u32, 0u32, 0u32, 0u32, bundle_id];
    /// Records a model of the bundle and the memory that it uses until it is unloaded.
    fn aclmdlBundleLoadModelWithMem(bundle_id: u32, index: usize, work_ptr: *mut c_void, work_size: usize, weight_ptr: *mut c_void,
        weight_size: usize, model_id: *mut u32) -> aclError
        = recorded [out(model_id), work_ptr, work_size, weight_ptr, weight_size, bundle_id];
    /// Records a model of the bundle and its settings.
    fn aclmdlBundleLoadModelWithConfig(bundle_id: u32, index: usize, handle: *mut aclmdlConfigHandle, model_id: *mut u32) -> aclError
        = recorded [out(model_id), handle, bundle_id];
    /// Records the end of the model.
    fn aclmdlBundleUnloadModel(bundle_id: u32, model_id: u32) -> aclError = recorded [model_id];
    /// Records the end of the bundle and of all its models.
    fn aclmdlBundleUnload(bundle_id: u32) -> aclError = recorded [bundle_id];
}
