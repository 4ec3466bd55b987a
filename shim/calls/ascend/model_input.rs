//! Calls that write a gear or AIPP parameters into the buffer of a model's extra input. The runtime copies in the call, from the host to the
//! device; only what every such call writes is judged.

use super::data_buffer::in_dataset;
use crate::abi::*;
use crate::calls::actions::launched;
use crate::calls::interpose;
use crate::runtime::slots;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;
use std::ptr::null_mut;

interpose! {
    /// Records the bytes written for one number.
    fn aclmdlSetDynamicBatchSize(model_id: u32, dataset: *mut aclmdlDataset, index: usize, batch_size: u64) -> aclError
        = launched [model_id, index, 0u32] (start_of(dataset, index, numbers(1)), null_mut::<c_void>());
    /// Records the bytes written for two numbers.
    fn aclmdlSetDynamicHWSize(model_id: u32, dataset: *mut aclmdlDataset, index: usize, height: u64, width: u64) -> aclError
        = launched [model_id, index, 0u32] (start_of(dataset, index, numbers(2)), null_mut::<c_void>());
    /// Records the bytes written for one number: how many dimensions are open is the model's.
    fn aclmdlSetInputDynamicDims(model_id: u32, dataset: *mut aclmdlDataset, index: usize, dims: *const aclmdlIODims) -> aclError
        = launched [model_id, index, 0u32] (start_of(dataset, index, |_| 4), null_mut::<c_void>());
    /// Records the bytes written for one image.
    fn aclmdlSetInputAIPP(model_id: u32, dataset: *mut aclmdlDataset, index: usize, parameters: *const aclmdlAIPP) -> aclError
        = launched [model_id, index, 0u32] (start_of(dataset, index, parameters_of_one), null_mut::<c_void>());
    /// As `aclmdlSetInputAIPP`; the index is that of the image's input, not of the one that takes the parameters.
    fn aclmdlSetAIPPByInputIndex(model_id: u32, dataset: *mut aclmdlDataset, index: usize, parameters: *const aclmdlAIPP) -> aclError
        = launched [model_id, index, 0u32] (
            parameters_index(model_id, index).and_then(|index| start_of(dataset, index, parameters_of_one)), null_mut::<c_void>());
}

/// The start of a buffer, to which a call writes at least as many bytes as `least` says. The runtime refuses a smaller buffer.
fn start_of(
    dataset: *mut aclmdlDataset,
    index: usize,
    least: impl FnOnce(u64) -> u64,
) -> Option<RangeUse> {
    let buffer = in_dataset(dataset, index, Access::Write)?;
    let size = least(buffer.size);
    let fits = buffer.address != 0 && size > 0 && size <= buffer.size;
    fits.then_some(RangeUse { size, ..buffer })
}

/// Numbers are of 64 bits if the buffer has room for them, else of 32 (`ge_executor.cc`, graph engine ffdcbc9f).
fn numbers(count: u64) -> impl FnOnce(u64) -> u64 {
    move |room| count * if room >= 8 * count { 8 } else { 4 }
}

/// The size of the parameters for one image, as the runtime gives it.
fn parameters_of_one(_: u64) -> u64 {
    let mut size = 0;
    let status = slots::AIPP_DATA_SIZE.status(|get| get(1, &raw mut size));
    if status == Some(0) { size as u64 } else { 0 }
}

/// The index of the input that takes the parameters for the image at `index`.
fn parameters_index(model_id: u32, index: usize) -> Option<usize> {
    let (mut kind, mut attached) = (0, 0);
    let status =
        slots::AIPP_TYPE.status(|get| get(model_id, index, &raw mut kind, &raw mut attached))?;
    (status == 0 && kind == ACL_DATA_WITH_DYNAMIC_AIPP).then_some(attached)
}
