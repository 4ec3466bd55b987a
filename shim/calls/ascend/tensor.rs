//! Tensors, and lists of tensors and of scalars, of libnnopbase.so: descriptors of memory that they do not own.

use crate::abi::*;
use crate::calls::actions::{array, record, record_descriptor, released};
use crate::calls::interpose;
use crate::heap::{self, record_handle};
use crate::record::Hook;
use crate::record::Recorder;
use crate::state::cached_plans::Extent;
use crate::state::process::Process;
use aclsan_log::Values;
use aclsan_log::branch::unlikely;
use aclsan_os::lock::MutexGuard;
use aclsan_rules::api::indices::{Axes, View};
use aclsan_rules::api::tensor;
use std::collections::HashMap;
use std::ffi::c_void;

interpose! {
    /// Records the tensor and its extent.
    fn aclCreateTensor(view_dims: *const i64, view_dims_num: u64, data_type: aclDataType, stride: *const i64, offset: i64,
        format: aclFormat, storage_dims: *const i64, storage_dims_num: u64, tensor_data: *mut c_void)
        -> *mut aclTensor = created (tensor_data, [number(data_type), number(format)],
            Layout { view: view_dims, rank: view_dims_num, stride, offset, storage: storage_dims, storage_rank: storage_dims_num }), aclCreateTensor;
    /// Records the new extent of the tensor.
    fn aclInitTensor(tensor: *mut aclTensor, view_dims: *const i64, view_dims_num: u64, data_type: aclDataType, stride: *const i64,
        offset: i64, format: aclFormat, storage_dims: *const i64, storage_dims_num: u64, tensor_data_addr: *mut c_void)
        -> aclnnStatus = initialized (tensor, tensor_data_addr, [number(data_type), number(format)],
            Layout { view: view_dims, rank: view_dims_num, stride, offset, storage: storage_dims, storage_rank: storage_dims_num }), aclInitTensor;
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
    fn aclSetRawTensorAddr(tensor: *mut aclTensor, addr: *mut c_void) -> aclnnStatus = pointed [tensor, addr], aclSetRawTensorAddr;
    fn aclSetInputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = pointed [tensor, addr, executor], aclSetInputTensorAddr;
    fn aclSetOutputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = pointed [tensor, addr, executor], aclSetOutputTensorAddr;
    fn aclSetTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = pointed [tensor, addr, executor], aclSetTensorAddr;
    fn AclSetInputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = pointed [tensor, addr, executor], AclSetInputTensorAddr;
    fn AclSetOutputTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = pointed [tensor, addr, executor], AclSetOutputTensorAddr;
    fn AclSetTensorAddr(executor: *mut aclOpExecutor, index: usize, tensor: *mut aclTensor, addr: *mut c_void)
        -> aclnnStatus = pointed [tensor, addr, executor], AclSetTensorAddr;
    fn aclSetDynamicInputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = pointed [of_list(tensors, relative_index), addr, executor], aclSetDynamicInputTensorAddr;
    fn aclSetDynamicOutputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = pointed [of_list(tensors, relative_index), addr, executor], aclSetDynamicOutputTensorAddr;
    fn aclSetDynamicTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = pointed [of_list(tensors, relative_index), addr, executor], aclSetDynamicTensorAddr;
    fn AclSetDynamicInputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = pointed [of_list(tensors, relative_index), addr, executor], AclSetDynamicInputTensorAddr;
    fn AclSetDynamicOutputTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = pointed [of_list(tensors, relative_index), addr, executor], AclSetDynamicOutputTensorAddr;
    fn AclSetDynamicTensorAddr(executor: *mut aclOpExecutor, ir_index: usize, relative_index: usize, tensors: *mut aclTensorList,
        addr: *mut c_void) -> aclnnStatus = pointed [of_list(tensors, relative_index), addr, executor], AclSetDynamicTensorAddr;
}

/// Maximum number of dimensions that are read; CANN has 8.
const MAX_DIMENSIONS: u64 = 64;

/// The caller's array; `None` if it is null or too long.
fn numbers<'a>(first: *const i64, count: u64) -> Option<&'a [i64]> {
    let is_known = count == 0 || !first.is_null() && count <= MAX_DIMENSIONS;
    is_known.then(|| array(first, count as usize))
}

/// The caller's sizes, strides and offset of a view, and its storage's sizes.
#[derive(Clone, Copy)]
struct Layout {
    view: *const i64,
    rank: u64,
    stride: *const i64,
    offset: i64,
    storage: *const i64,
    storage_rank: u64,
}

impl Layout {
    fn strides(&self) -> Option<&[i64]> {
        let strides = (!self.stride.is_null()).then(|| numbers(self.stride, self.rank));
        strides.flatten()
    }

    /// The extents of view and storage in elements, and where the view is solid: see [`tensor::solidity`].
    fn reach(&self) -> [u64; 4] {
        let (view, strides, offset) = (numbers(self.view, self.rank), self.strides(), self.offset);
        let reach = view.map_or(0, |view| tensor::reach(view, strides, offset));
        let stored = numbers(self.storage, self.storage_rank);
        let stored = stored.filter(|dimensions| !dimensions.is_empty());
        let is_reported = self.stride.is_null() || strides.is_some();
        let solid = view.filter(|_| is_reported);
        let [solid, first] = solid.map_or([0; 2], |view| tensor::solidity(view, strides, offset));
        [reach, stored.map_or(0, tensor::elements), solid, first]
    }

    /// The view, for what reads its elements. `None` if the caller describes none.
    fn view(&self, address: u64, data_type: u64) -> Option<View> {
        let sizes = numbers(self.view, self.rank)?;
        let dense = || {
            let mut strides: Axes = sizes.into();
            let inner = strides.iter_mut().rev().zip(sizes.iter().rev());
            inner.fold(1i64, |next, (stride, &size)| {
                *stride = next;
                next.saturating_mul(size)
            });
            strides
        };
        Some(View {
            address,
            sizes: sizes.into(),
            strides: self.strides().map_or_else(dense, Axes::from_slice),
            offset: self.offset,
            data_type,
        })
    }
}

/// With `check_indices=1`, remembers what the tensor describes.
fn note_view(process: &Process, tensor: u64, data: u64, data_type: u64, layout: &Layout) {
    if unlikely(process.options.checks_indices())
        && let Some(view) = layout.view(data, data_type)
    {
        process.calls.index_checks.describe(tensor, view);
    }
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
    layout: Layout,
) -> *mut aclTensor {
    let made = forward();
    if !made.is_null() {
        let values = values(made, data, kinds, layout.reach());
        hook.record(|recorder| {
            note_view(recorder.process, values[0], values[1], kinds[0], &layout);
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
    layout: Layout,
) -> aclnnStatus {
    let status = forward();
    let values = values(tensor, data, kinds, layout.reach());
    record(hook, 0, &values, status);
    if status == 0 {
        note_view(Process::current(), values[0], values[1], kinds[0], &layout);
    }
    status
}

/// Records that a tensor was given another address, in an executor or by itself.
fn pointed<const N: usize>(
    hook: &Hook,
    forward: impl FnOnce() -> aclnnStatus,
    values: impl FnOnce(bool) -> [u64; N],
) -> aclnnStatus {
    let status = forward();
    let values = values(status == 0);
    record(hook, 0, &values, status);
    let process = Process::current();
    if unlikely(process.options.checks_indices()) && status == 0 {
        let executor = values.get(2).copied().unwrap_or(0);
        process
            .calls
            .index_checks
            .point(values[0], values[1], executor);
    }
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

/// The parts of a list; `None` if it is not known.
pub(super) fn parts(list: u64) -> Option<Box<[u64]>> {
    lists().get(&list).cloned()
}

/// The tensor at `index` of a list; 0 if it is not known.
fn of_list(list: *const aclTensorList, index: usize) -> u64 {
    let tensor = lists()
        .get(&(list as u64))
        .and_then(|tensors| tensors.get(index).copied());
    tensor.unwrap_or(0)
}
