//! Tensors, and lists of tensors and of scalars, of libnnopbase.so: descriptors of memory that they do not own.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use crate::record::Recorder;
use crate::state::cached_plans::Extent;
use crate::state::process::Process;
use aclsan_log::Values;
use aclsan_os::lock::MutexGuard;
use aclsan_rules::api::tensor;
use std::collections::HashMap;
use std::ffi::c_void;

interpose! {
    /// Records the tensor and its extent.
    fn aclCreateTensor(view_dims: *const i64, view_dims_num: u64, data_type: aclDataType, stride: *const i64, offset: i64,
        format: aclFormat, storage_dims: *const i64, storage_dims_num: u64, tensor_data: *mut c_void)
        -> *mut aclTensor = on_create, aclCreateTensor;
    /// Records the new extent of the tensor.
    fn aclInitTensor(tensor: *mut aclTensor, view_dims: *const i64, view_dims_num: u64, data_type: aclDataType, stride: *const i64,
        offset: i64, format: aclFormat, storage_dims: *const i64, storage_dims_num: u64, tensor_data_addr: *mut c_void)
        -> aclnnStatus = on_init, aclInitTensor;
    /// Records the release before it happens.
    fn aclDestroyTensor(tensor: *const aclTensor) -> aclnnStatus = on_destroy, aclDestroyTensor;
    /// Records the list.
    fn aclCreateTensorList(value: *const *const aclTensor, size: u64) -> *mut aclTensorList = on_create_list, aclCreateTensorList;
    /// Records the release of the list and of its tensors before it happens.
    fn aclDestroyTensorList(array: *const aclTensorList) -> aclnnStatus = on_destroy_list, aclDestroyTensorList;
    /// Records the list.
    fn aclCreateScalarList(value: *const *const aclScalar, size: u64) -> *mut aclScalarList = on_create_list, aclCreateScalarList;
    /// Records the release of the list and of its scalars before it happens.
    fn aclDestroyScalarList(array: *const aclScalarList) -> aclnnStatus = on_destroy_list, aclDestroyScalarList;
    /// Records the address of the tensor.
    fn aclSetRawTensorAddr(tensor: *mut aclTensor, addr: *mut c_void) -> aclnnStatus = on_set_raw, aclSetRawTensorAddr;
    /// As `aclSetRawTensorAddr`.
    fn aclSetInputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = on_set, aclSetInputTensorAddr;
    /// As `aclSetRawTensorAddr`.
    fn aclSetOutputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = on_set, aclSetOutputTensorAddr;
    /// As `aclSetRawTensorAddr`.
    fn aclSetTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = on_set, aclSetTensorAddr;
    /// As `aclSetRawTensorAddr`.
    fn AclSetInputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = on_set, AclSetInputTensorAddr;
    /// As `aclSetRawTensorAddr`.
    fn AclSetOutputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = on_set, AclSetOutputTensorAddr;
    /// As `aclSetRawTensorAddr`.
    fn AclSetTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = on_set, AclSetTensorAddr;
    /// As `aclSetRawTensorAddr`, for a tensor in a list.
    fn aclSetDynamicInputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = on_set_one, aclSetDynamicInputTensorAddr;
    /// As `aclSetRawTensorAddr`, for a tensor in a list.
    fn aclSetDynamicOutputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = on_set_one, aclSetDynamicOutputTensorAddr;
    /// As `aclSetRawTensorAddr`, for a tensor in a list.
    fn aclSetDynamicTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = on_set_one, aclSetDynamicTensorAddr;
    /// As `aclSetRawTensorAddr`, for a tensor in a list.
    fn AclSetDynamicInputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = on_set_one, AclSetDynamicInputTensorAddr;
    /// As `aclSetRawTensorAddr`, for a tensor in a list.
    fn AclSetDynamicOutputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = on_set_one, AclSetDynamicOutputTensorAddr;
    /// As `aclSetRawTensorAddr`, for a tensor in a list.
    fn AclSetDynamicTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = on_set_one, AclSetDynamicTensorAddr;
}

/// Maximum number of dimensions that are read; CANN has 8.
const MAX_DIMENSIONS: u64 = 64;

/// The caller's array; `None` if it is null or too long.
fn numbers<'a>(array: *const i64, count: u64) -> Option<&'a [i64]> {
    if count == 0 {
        return Some(&[]);
    }
    if array.is_null() || count > MAX_DIMENSIONS {
        return None;
    }
    // SAFETY: the caller's own array, of which the runtime reads as many elements.
    Some(unsafe { std::slice::from_raw_parts(array, count as usize) })
}

/// The extents of the caller's view and storage in elements, and where the view is solid: see [`tensor::solidity`].
fn reach(
    (view, rank): (*const i64, u64),
    stride: *const i64,
    offset: i64,
    (storage, storage_rank): (*const i64, u64),
) -> [u64; 4] {
    let strides = (!stride.is_null()).then(|| numbers(stride, rank)).flatten();
    let reach = numbers(view, rank).map_or(0, |view| tensor::reach(view, strides, offset));
    let stored = numbers(storage, storage_rank).filter(|dimensions| !dimensions.is_empty());
    let is_reported = stride.is_null() || strides.is_some();
    let solid = numbers(view, rank).filter(|_| is_reported);
    let [solid, first] = solid.map_or([0; 2], |view| tensor::solidity(view, strides, offset));
    let stored = stored.map_or(0, tensor::elements);
    [reach, stored, solid, first]
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_create(
    hook: &Hook,
    next: aclCreateTensor::Fn,
    view_dims: *const i64,
    view_dims_num: u64,
    data_type: aclDataType,
    stride: *const i64,
    offset: i64,
    format: aclFormat,
    storage_dims: *const i64,
    storage_dims_num: u64,
    tensor_data: *mut c_void,
) -> *mut aclTensor {
    // SAFETY: the caller's own arguments.
    let made = unsafe {
        next(
            view_dims,
            view_dims_num,
            data_type,
            stride,
            offset,
            format,
            storage_dims,
            storage_dims_num,
            tensor_data,
        )
    };
    if !made.is_null() {
        let (view, storage) = ((view_dims, view_dims_num), (storage_dims, storage_dims_num));
        let [reach, stored, solid, first] = reach(view, stride, offset, storage);
        let values = [
            made as u64,
            tensor_data as u64,
            reach,
            stored,
            number(data_type),
            number(format),
            solid,
            first,
        ];
        hook.record(|recorder| {
            if recorder.thread.operator_call.is_planned() {
                describe(recorder, &values);
            }
            let call = recorder.call(0);
            recorder.record_descriptor(&call, made as u64, &values);
        });
    }
    made
}

/// The thread plans an operator, whose plan is kept in a cache: remembers what it uses of the tensor.
fn describe(recorder: &mut Recorder, values: &[u64; 8]) {
    let range = tensor::Shape::of(&Values::new(values)).range();
    let (from, bytes) = range.unwrap_or_default();
    let extent = Extent { from, bytes };
    recorder.thread.operator_call.describe(values[1], extent);
}

/// The value of an enumeration; −1 means "undefined" in both.
fn number(value: i32) -> u64 {
    value as u32 as u64
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_init(
    hook: &Hook,
    next: aclInitTensor::Fn,
    tensor: *mut aclTensor,
    view_dims: *const i64,
    view_dims_num: u64,
    data_type: aclDataType,
    stride: *const i64,
    offset: i64,
    format: aclFormat,
    storage_dims: *const i64,
    storage_dims_num: u64,
    tensor_data_addr: *mut c_void,
) -> aclnnStatus {
    // SAFETY: the caller's own arguments.
    let status = unsafe {
        next(
            tensor,
            view_dims,
            view_dims_num,
            data_type,
            stride,
            offset,
            format,
            storage_dims,
            storage_dims_num,
            tensor_data_addr,
        )
    };
    let (view, storage) = ((view_dims, view_dims_num), (storage_dims, storage_dims_num));
    let [reach, stored, solid, first] = reach(view, stride, offset, storage);
    let values = [
        tensor as u64,
        tensor_data_addr as u64,
        reach,
        stored,
        number(data_type),
        number(format),
        solid,
        first,
    ];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_destroy(hook: &Hook, next: aclDestroyTensor::Fn, tensor: *const aclTensor) -> aclnnStatus {
    // SAFETY: the caller's own argument.
    heap::release(hook, tensor as u64, || unsafe { next(tensor) })
}

fn lists() -> MutexGuard<'static, HashMap<u64, Box<[u64]>>> {
    let lists = &Process::current().calls.lists;
    lists.lock()
}

fn on_create_list<Part, List>(
    hook: &Hook,
    next: unsafe extern "C-unwind" fn(*const *const Part, u64) -> *mut List,
    value: *const *const Part,
    size: u64,
) -> *mut List {
    // SAFETY: the caller's own arguments.
    let made = unsafe { next(value, size) };
    if !made.is_null() {
        let parts = match value.is_null() {
            true => &[],
            // SAFETY: the caller's own array, of which the runtime has read as many.
            false => unsafe { std::slice::from_raw_parts(value, size as usize) },
        };
        let parts = parts.iter().map(|&part| part as u64).collect();
        lists().insert(made as u64, parts);
        hook.record(|recorder| {
            let call = recorder.call(0);
            recorder.record_descriptor(&call, made as u64, &[]);
        });
    }
    made
}

fn on_destroy_list<List>(
    hook: &Hook,
    next: unsafe extern "C-unwind" fn(*const List) -> aclnnStatus,
    array: *const List,
) -> aclnnStatus {
    let parts = lists().remove(&(array as u64)).unwrap_or_default();
    // SAFETY: the caller's own argument.
    heap::release_all(hook, array as u64, &parts, || unsafe { next(array) })
}

fn on_set_raw(
    hook: &Hook,
    next: aclSetRawTensorAddr::Fn,
    tensor: *mut aclTensor,
    addr: *mut c_void,
) -> aclnnStatus {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(tensor, addr) };
    hook.record(|recorder| recorder.record_call(0, &[tensor as u64, addr as u64], status));
    status
}

fn on_set(
    hook: &Hook,
    next: aclSetTensorAddr::Fn,
    executor: *mut aclOpExecutor,
    index: usize,
    tensor: *mut aclTensor,
    addr: *mut c_void,
) -> aclnnStatus {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(executor, index, tensor, addr) };
    let values = [tensor as u64, addr as u64, executor as u64];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_set_one(
    hook: &Hook,
    next: aclSetDynamicTensorAddr::Fn,
    executor: *mut aclOpExecutor,
    ir_index: usize,
    relative_index: usize,
    tensors: *mut aclTensorList,
    addr: *mut c_void,
) -> aclnnStatus {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(executor, ir_index, relative_index, tensors, addr) };
    let tensor = lists()
        .get(&(tensors as u64))
        .and_then(|tensors| tensors.get(relative_index).copied());
    let values = [tensor.unwrap_or(0), addr as u64, executor as u64];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}
