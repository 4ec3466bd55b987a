//! Data buffers: descriptors of memory that they do not own.

use crate::abi::{aclDataBuffer, aclError, aclmdlDataset};
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use crate::runtime::slots;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

interpose! {
    /// Records the descriptor and its range.
    fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut aclDataBuffer = on_create;
    /// Records its new range.
    fn aclUpdateDataBuffer(data_buffer: *mut aclDataBuffer, data: *mut c_void, size: usize) -> aclError = on_update;
    /// Records the release before it happens.
    fn aclDestroyDataBuffer(data_buffer: *const aclDataBuffer) -> aclError = on_destroy;
}

fn on_create(
    hook: &Hook,
    next: aclCreateDataBuffer::Fn,
    data: *mut c_void,
    size: usize,
) -> *mut aclDataBuffer {
    // SAFETY: the caller's own arguments.
    let buffer = unsafe { next(data, size) };
    if !buffer.is_null() {
        let handle = buffer as u64;
        hook.record(|recorder| {
            let call = recorder.call(0);
            let values = [handle, data as u64, size as u64];
            recorder.record_descriptor(&call, handle, &values);
        });
    }
    buffer
}

fn on_update(
    hook: &Hook,
    next: aclUpdateDataBuffer::Fn,
    data_buffer: *mut aclDataBuffer,
    data: *mut c_void,
    size: usize,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(data_buffer, data, size) };
    let values = [data_buffer as u64, data as u64, size as u64];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_destroy(
    hook: &Hook,
    next: aclDestroyDataBuffer::Fn,
    data_buffer: *const aclDataBuffer,
) -> aclError {
    // SAFETY: the caller's own argument.
    heap::release(hook, data_buffer as u64, || unsafe { next(data_buffer) })
}

/// The range of a data buffer, from the runtime's own getters; `None` for NULL, and where the runtime lacks them.
pub fn range(buffer: *const aclDataBuffer, access: Access) -> Option<RangeUse> {
    if buffer.is_null() {
        return None;
    }
    // SAFETY: the program passes this buffer to a call that reads it as we do.
    let address = slots::BUFFER_ADDRESS.call(|get| unsafe { get(buffer) })? as u64;
    // SAFETY: likewise.
    let size = slots::BUFFER_SIZE.call(|get| unsafe { get(buffer) })? as u64;
    Some(RangeUse {
        address,
        size,
        access,
    })
}

/// The ranges of an array of `count` data buffers.
///
/// # Safety
/// `buffers` is NULL or has `count` entries.
pub unsafe fn ranges(
    buffers: *const *const aclDataBuffer,
    count: i32,
    access: Access,
) -> Vec<RangeUse> {
    let count = usize::try_from(count).unwrap_or(0);
    if buffers.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    let buffers = unsafe { std::slice::from_raw_parts(buffers, count) };
    buffers
        .iter()
        .filter_map(|&buffer| range(buffer, access))
        .collect()
}

/// The ranges of a dataset's buffers.
pub fn dataset(dataset: *const aclmdlDataset, access: Access) -> Vec<RangeUse> {
    if dataset.is_null() {
        return Vec::new();
    }
    // SAFETY: the program passes this dataset to a call that reads it as we do.
    let count = slots::DATASET_COUNT.call(|get| unsafe { get(dataset) });
    let count = count.unwrap_or(0);
    (0..count)
        .filter_map(|index| in_dataset(dataset, index, access))
        .collect()
}

/// The range of one buffer of a dataset; `None` if there is none at `index`.
pub fn in_dataset(dataset: *const aclmdlDataset, index: usize, access: Access) -> Option<RangeUse> {
    if dataset.is_null() {
        return None;
    }
    // SAFETY: the program passes this dataset to a call that reads it as we do, and checks the index.
    let buffer = slots::DATASET_BUFFER.call(|get| unsafe { get(dataset, index) })?;
    range(buffer, access)
}
