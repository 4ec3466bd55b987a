//! Data buffers: descriptors of memory that they do not own.

use crate::abi::{aclDataBuffer, aclError, aclmdlDataset};
use crate::calls::actions::{array, record_descriptor, recorded, released};
use crate::calls::interpose;
use crate::record::Hook;
use crate::runtime::slots;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

interpose! {
    /// Records the descriptor and its range.
    fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut aclDataBuffer = created (data, size);
    /// Records its new range.
    fn aclUpdateDataBuffer(data_buffer: *mut aclDataBuffer, data: *mut c_void, size: usize) -> aclError
        = recorded [data_buffer, data, size];
    fn aclDestroyDataBuffer(data_buffer: *const aclDataBuffer) -> aclError = released (data_buffer);
}

fn created(
    hook: &Hook,
    forward: impl FnOnce() -> *mut aclDataBuffer,
    data: *mut c_void,
    size: usize,
) -> *mut aclDataBuffer {
    let buffer = forward();
    if !buffer.is_null() {
        let handle = buffer as u64;
        record_descriptor(hook, handle, &[handle, data as u64, size as u64]);
    }
    buffer
}

/// The range of a data buffer, from the runtime's own getters; `None` for NULL, and where the runtime lacks them.
pub fn range(buffer: *const aclDataBuffer, access: Access) -> Option<RangeUse> {
    if buffer.is_null() {
        return None;
    }
    let address = slots::BUFFER_ADDRESS.call(|get| get(buffer))? as u64;
    let size = slots::BUFFER_SIZE.call(|get| get(buffer))? as u64;
    Some(RangeUse {
        address,
        size,
        access,
    })
}

/// The ranges of an array of `count` data buffers.
pub fn ranges(
    buffers: *const *const aclDataBuffer,
    count: i32,
    access: Access,
) -> impl Iterator<Item = RangeUse> {
    let buffers = array(buffers, usize::try_from(count).unwrap_or(0));
    buffers
        .iter()
        .filter_map(move |&buffer| range(buffer, access))
}

/// The buffers that a model reads and writes.
pub fn datasets(
    input: *const aclmdlDataset,
    output: *const aclmdlDataset,
) -> impl Iterator<Item = RangeUse> {
    dataset(input, Access::Read).chain(dataset(output, Access::Write))
}

fn dataset(dataset: *const aclmdlDataset, access: Access) -> impl Iterator<Item = RangeUse> {
    let count = match dataset.is_null() {
        true => None,
        false => slots::DATASET_COUNT.call(|get| get(dataset)),
    };
    (0..count.unwrap_or(0)).filter_map(move |index| in_dataset(dataset, index, access))
}

/// The range of one buffer of a dataset; `None` if there is none at `index`.
pub fn in_dataset(dataset: *const aclmdlDataset, index: usize, access: Access) -> Option<RangeUse> {
    if dataset.is_null() {
        return None;
    }
    let buffer = slots::DATASET_BUFFER.call(|get| get(dataset, index))?;
    range(buffer, access)
}
