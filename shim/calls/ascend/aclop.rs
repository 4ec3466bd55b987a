//! Operators run by name: `aclop*`.

use super::data_buffer::{range, ranges};
use crate::abi::*;
use crate::calls::actions::launched;
use crate::calls::interpose;
use aclsan_log::record::Access;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_char;

interpose! {
    /// Records the buffers of both sides.
    fn aclopExecute(op_type: *const c_char, num_inputs: i32, input_desc: *const *const aclTensorDesc, inputs: *const *const aclDataBuffer,
        num_outputs: i32, output_desc: *const *const aclTensorDesc, outputs: *const *mut aclDataBuffer, attr: *const aclopAttr,
        stream: aclrtStream) -> aclError
        = launched [stream] (sides(inputs, num_inputs, outputs.cast(), num_outputs), stream);
    /// As `aclopExecute`.
    fn aclopExecuteV2(op_type: *const c_char, num_inputs: i32, input_desc: *mut *mut aclTensorDesc, inputs: *mut *mut aclDataBuffer,
        num_outputs: i32, output_desc: *mut *mut aclTensorDesc, outputs: *mut *mut aclDataBuffer, attr: *mut aclopAttr,
        stream: aclrtStream) -> aclError
        = launched [stream] (sides(inputs.cast(), num_inputs, outputs.cast(), num_outputs), stream);
    /// As `aclopExecute`.
    fn aclopExecWithHandle(handle: *mut aclopHandle, num_inputs: i32, inputs: *const *const aclDataBuffer, num_outputs: i32,
        outputs: *const *mut aclDataBuffer, stream: aclrtStream) -> aclError
        = launched [stream] (sides(inputs, num_inputs, outputs.cast(), num_outputs), stream);
    /// As `aclopExecute`.
    fn aclopCompileAndExecute(op_type: *const c_char, num_inputs: i32, input_desc: *const *const aclTensorDesc,
        inputs: *const *const aclDataBuffer, num_outputs: i32, output_desc: *const *const aclTensorDesc,
        outputs: *const *mut aclDataBuffer, attr: *const aclopAttr, engine_type: aclopEngineType, compile_flag: aclopCompileType,
        op_path: *const c_char, stream: aclrtStream) -> aclError
        = launched [stream] (sides(inputs, num_inputs, outputs.cast(), num_outputs), stream);
    /// As `aclopExecute`.
    fn aclopCompileAndExecuteV2(op_type: *const c_char, num_inputs: i32, input_desc: *mut *mut aclTensorDesc,
        inputs: *mut *mut aclDataBuffer, num_outputs: i32, output_desc: *mut *mut aclTensorDesc,
        outputs: *mut *mut aclDataBuffer, attr: *mut aclopAttr, engine_type: aclopEngineType, compile_flag: aclopCompileType,
        op_path: *const c_char, stream: aclrtStream) -> aclError
        = launched [stream] (sides(inputs.cast(), num_inputs, outputs.cast(), num_outputs), stream);
    /// Records both buffers.
    fn aclopCast(src_desc: *const aclTensorDesc, src_buffer: *const aclDataBuffer, dst_desc: *const aclTensorDesc,
        dst_buffer: *mut aclDataBuffer, truncate: u8, stream: aclrtStream) -> aclError
        = launched [stream] (range(src_buffer, Access::Read).into_iter().chain(range(dst_buffer, Access::Write)), stream);
}

/// The buffers of both sides, whichever way the header spells the arrays.
fn sides(
    inputs: *const *const aclDataBuffer,
    num_inputs: i32,
    outputs: *const *const aclDataBuffer,
    num_outputs: i32,
) -> impl Iterator<Item = RangeUse> {
    let read = ranges(inputs, num_inputs, Access::Read);
    read.chain(ranges(outputs, num_outputs, Access::Write))
}
