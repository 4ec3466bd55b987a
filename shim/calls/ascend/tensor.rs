//! Tensors, and lists of tensors and of scalars, of libnnopbase.so: descriptors of memory that they do not own.

use crate::abi::*;
use crate::calls::actions::{array, record, record_descriptor, recorded, released};
use crate::calls::interpose;
use crate::heap::{self, record_handle};
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
        -> *mut aclTensor = created (tensor_data, [number(data_type), number(format)],
            || reach(view_dims, view_dims_num, stride, offset, storage_dims, storage_dims_num)), aclCreateTensor;
    /// Records the new extent of the tensor.
    fn aclInitTensor(tensor: *mut aclTensor, view_dims: *const i64, view_dims_num: u64, data_type: aclDataType, stride: *const i64,
        offset: i64, format: aclFormat, storage_dims: *const i64, storage_dims_num: u64, tensor_data_addr: *mut c_void)
        -> aclnnStatus = initialized (tensor, tensor_data_addr, [number(data_type), number(format)],
            || reach(view_dims, view_dims_num, stride, offset, storage_dims, storage_dims_num)), aclInitTensor;
    fn aclDestroyTensor(tensor: *const aclTensor) -> aclnnStatus = released (tensor), aclDestroyTensor;
    fn aclCreateTensorList(value: *const *const aclTensor, size: u64) -> *mut aclTensorList
        = list_created (value, size), aclCreateTensorList;
    /// Records the release of the list and of its tensors before it happens.
    fn aclDestroyTensorList(array: *const aclTensorList) -> aclnnStatus = list_released (array), aclDestroyTensorList;
    fn aclCreateScalarList(value: *const *const aclScalar, size: u64) -> *mut aclScalarList
        = list_created (value, size), aclCreateScalarList;
    /// Records the release of the list and of its scalars before it happens.
    fn aclDestroyScalarList(array: *const aclScalarList) -> aclnnStatus = list_released (array), aclDestroyScalarList;
    /// Records the address of the tensor.
    fn aclSetRawTensorAddr(tensor: *mut aclTensor, addr: *mut c_void) -> aclnnStatus = recorded [tensor, addr], aclSetRawTensorAddr;
    fn aclSetInputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = recorded [tensor, addr, executor], aclSetInputTensorAddr;
    fn aclSetOutputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = recorded [tensor, addr, executor], aclSetOutputTensorAddr;
    fn aclSetTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = recorded [tensor, addr, executor], aclSetTensorAddr;
    fn AclSetInputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = recorded [tensor, addr, executor], AclSetInputTensorAddr;
    fn AclSetOutputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = recorded [tensor, addr, executor], AclSetOutputTensorAddr;
    fn AclSetTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = recorded [tensor, addr, executor], AclSetTensorAddr;
    fn aclSetDynamicInputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = recorded [of_list(tensors, relative_index), addr, executor], aclSetDynamicInputTensorAddr;
    fn aclSetDynamicOutputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = recorded [of_list(tensors, relative_index), addr, executor], aclSetDynamicOutputTensorAddr;
    fn aclSetDynamicTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = recorded [of_list(tensors, relative_index), addr, executor], aclSetDynamicTensorAddr;
    fn AclSetDynamicInputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = recorded [of_list(tensors, relative_index), addr, executor], AclSetDynamicInputTensorAddr;
    fn AclSetDynamicOutputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = recorded [of_list(tensors, relative_index), addr, executor], AclSetDynamicOutputTensorAddr;
    fn AclSetDynamicTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = recorded [of_list(tensors, relative_index), addr, executor], AclSetDynamicTensorAddr;
}

/// Maximum number of dimensions that are read; CANN has 8.
const MAX_DIMENSIONS: u64 = 64;

/// The caller's array; `None` if it is null or too long.
fn numbers<'a>(first: *const i64, count: u64) -> Option<&'a [i64]> {
    let is_known = count == 0 || !first.is_null() && count <= MAX_DIMENSIONS;
    is_known.then(|| array(first, count as usize))
}

/// The extents of the caller's view and storage in elements, and where the view is solid: see [`tensor::solidity`].
fn reach(
    view: *const i64,
    rank: u64,
    stride: *const i64,
    offset: i64,
    storage: *const i64,
    storage_rank: u64,
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

/// The value of an enumeration; −1 means "undefined" in both.
fn number(value: i32) -> u64 {
    value as u32 as u64
}

/// What the log has of a tensor: see `aclCreateTensor` in the table of known calls.
fn values(
    tensor: *const aclTensor,
    data: *mut c_void,
    [data_type, format]: [u64; 2],
    [reach, stored, solid, first]: [u64; 4],
) -> [u64; 8] {
    let (tensor, data) = (tensor as u64, data as u64);
    [tensor, data, reach, stored, data_type, format, solid, first]
}

fn created(
    hook: &Hook,
    forward: impl FnOnce() -> *mut aclTensor,
    data: *mut c_void,
    kinds: [u64; 2],
    reach: impl FnOnce() -> [u64; 4],
) -> *mut aclTensor {
    let made = forward();
    if !made.is_null() {
        let values = values(made, data, kinds, reach());
        hook.record(|recorder| {
            if recorder.thread.operator_call.is_planned() {
                describe(recorder, &values);
            }
            let call = recorder.call(0);
            record_handle(recorder, &call, made as u64, &values);
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

fn initialized(
    hook: &Hook,
    forward: impl FnOnce() -> aclnnStatus,
    tensor: *mut aclTensor,
    data: *mut c_void,
    kinds: [u64; 2],
    reach: impl FnOnce() -> [u64; 4],
) -> aclnnStatus {
    let status = forward();
    record(hook, 0, &values(tensor, data, kinds, reach()), status);
    status
}

fn lists() -> MutexGuard<'static, HashMap<u64, Box<[u64]>>> {
    let lists = &Process::current().calls.lists;
    lists.lock()
}

fn list_created<Part, List>(
    hook: &Hook,
    forward: impl FnOnce() -> *mut List,
    parts: *const *const Part,
    count: u64,
) -> *mut List {
    let made = forward();
    if !made.is_null() {
        let parts = array(parts, count as usize).iter();
        let parts = parts.map(|&part| part as u64).collect();
        lists().insert(made as u64, parts);
        record_descriptor(hook, made as u64, &[]);
    }
    made
}

fn list_released<List>(
    hook: &Hook,
    forward: impl FnOnce() -> aclnnStatus,
    list: *const List,
) -> aclnnStatus {
    let parts = lists().remove(&(list as u64)).unwrap_or_default();
    heap::release_all(hook, list as u64, &parts, forward)
}

/// The tensor at `index` of a list; 0 if it is not known.
fn of_list(list: *const aclTensorList, index: usize) -> u64 {
    let tensor = lists()
        .get(&(list as u64))
        .and_then(|tensors| tensors.get(index).copied());
    tensor.unwrap_or(0)
}
