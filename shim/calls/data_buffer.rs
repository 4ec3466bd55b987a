//! Data buffers: descriptors of memory that they do not own.

use super::interpose;
use crate::abi::{aclDataBuffer, aclError, aclmdlDataset};
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use crate::runtime::next::RuntimeFn;
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
    static ADDRESS: RuntimeFn = RuntimeFn::new(c"aclGetDataBufferAddr");
    static SIZE: RuntimeFn = RuntimeFn::new(c"aclGetDataBufferSizeV2");
    let (address, size) = (ADDRESS.find()?, SIZE.find()?);
    if buffer.is_null() {
        return None;
    }
    // SAFETY: the runtime's own definition, of this type by the header.
    let address = unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn(*const aclDataBuffer) -> *mut c_void>(
            address,
        )
    };
    // SAFETY: likewise.
    let size = unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn(*const aclDataBuffer) -> usize>(size)
    };
    // SAFETY: the program passes this buffer to a call that reads it as we do.
    let address = unsafe { address(buffer) } as u64;
    // SAFETY: likewise.
    let size = unsafe { size(buffer) } as u64;
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
    static COUNT: RuntimeFn = RuntimeFn::new(c"aclmdlGetDatasetNumBuffers");
    let (Some(count), false) = (COUNT.find(), dataset.is_null()) else {
        return Vec::new();
    };
    // SAFETY: the runtime's own definition, of this type by the header.
    let count = unsafe {
        std::mem::transmute::<*const (), unsafe extern "C" fn(*const aclmdlDataset) -> usize>(count)
    };
    // SAFETY: the program passes this dataset to a call that reads it as we do.
    let count = unsafe { count(dataset) };
    (0..count)
        .filter_map(|index| in_dataset(dataset, index, access))
        .collect()
}

/// The range of one buffer of a dataset; `None` if there is none at `index`.
pub fn in_dataset(dataset: *const aclmdlDataset, index: usize, access: Access) -> Option<RangeUse> {
    static BUFFER: RuntimeFn = RuntimeFn::new(c"aclmdlGetDatasetBuffer");
    let buffer = BUFFER.find().filter(|_| !dataset.is_null())?;
    // SAFETY: the runtime's own definition, of this type by the header.
    let buffer = unsafe {
        std::mem::transmute::<
            *const (),
            unsafe extern "C" fn(*const aclmdlDataset, usize) -> *mut aclDataBuffer,
        >(buffer)
    };
    // SAFETY: the program passes this dataset to a call that reads it as we do, and checks the index.
    range(unsafe { buffer(dataset, index) }, access)
}
