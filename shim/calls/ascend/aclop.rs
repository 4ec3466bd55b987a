//! Operators run by name: `aclop*`.

use super::data_buffer::{range, ranges};
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::launch;
use crate::record::Hook;
use aclsan_log::record::Access;
use std::ffi::c_char;

interpose! {
    /// Records the buffers of both sides.
    fn aclopExecute(op_type: *const c_char, num_inputs: i32, input_desc: *const *const aclTensorDesc, inputs: *const *const aclDataBuffer,
        num_outputs: i32, output_desc: *const *const aclTensorDesc, outputs: *const *mut aclDataBuffer, attr: *const aclopAttr,
        stream: aclrtStream) -> aclError = on_execute;
    /// As `aclopExecute`.
    fn aclopExecuteV2(op_type: *const c_char, num_inputs: i32, input_desc: *mut *mut aclTensorDesc, inputs: *mut *mut aclDataBuffer,
        num_outputs: i32, output_desc: *mut *mut aclTensorDesc, outputs: *mut *mut aclDataBuffer, attr: *mut aclopAttr,
        stream: aclrtStream) -> aclError = on_execute_v2;
    /// As `aclopExecute`.
    fn aclopExecWithHandle(handle: *mut aclopHandle, num_inputs: i32, inputs: *const *const aclDataBuffer, num_outputs: i32,
        outputs: *const *mut aclDataBuffer, stream: aclrtStream) -> aclError = on_execute_handle;
    /// As `aclopExecute`.
    fn aclopCompileAndExecute(op_type: *const c_char, num_inputs: i32, input_desc: *const *const aclTensorDesc,
        inputs: *const *const aclDataBuffer, num_outputs: i32, output_desc: *const *const aclTensorDesc,
        outputs: *const *mut aclDataBuffer, attr: *const aclopAttr, engine_type: aclopEngineType, compile_flag: aclopCompileType,
        op_path: *const c_char, stream: aclrtStream) -> aclError = on_compile_and_execute;
    /// As `aclopExecute`.
    fn aclopCompileAndExecuteV2(op_type: *const c_char, num_inputs: i32, input_desc: *mut *mut aclTensorDesc,
        inputs: *mut *mut aclDataBuffer, num_outputs: i32, output_desc: *mut *mut aclTensorDesc,
        outputs: *mut *mut aclDataBuffer, attr: *mut aclopAttr, engine_type: aclopEngineType, compile_flag: aclopCompileType,
        op_path: *const c_char, stream: aclrtStream) -> aclError = on_compile_and_execute_v2;
    /// Records both buffers.
    fn aclopCast(src_desc: *const aclTensorDesc, src_buffer: *const aclDataBuffer, dst_desc: *const aclTensorDesc,
        dst_buffer: *mut aclDataBuffer, truncate: u8, stream: aclrtStream) -> aclError = on_cast;
}

/// The buffers of one side, whichever way the header spells the array.
type Side<'a> = (*const *const aclDataBuffer, i32);

fn run(
    hook: &Hook,
    inputs: Side,
    outputs: Side,
    stream: aclrtStream,
    forward: impl FnOnce() -> aclError,
) -> aclError {
    // SAFETY: the caller's array, of the length that the caller gives.
    let mut used = unsafe { ranges(inputs.0, inputs.1, Access::Read) };
    // SAFETY: likewise.
    used.extend(unsafe { ranges(outputs.0, outputs.1, Access::Write) });
    launch(hook, &used, stream as u64, &[stream as u64], forward)
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_execute(
    hook: &Hook,
    next: aclopExecute::Fn,
    op_type: *const c_char,
    num_inputs: i32,
    input_desc: *const *const aclTensorDesc,
    inputs: *const *const aclDataBuffer,
    num_outputs: i32,
    output_desc: *const *const aclTensorDesc,
    outputs: *const *mut aclDataBuffer,
    attr: *const aclopAttr,
    stream: aclrtStream,
) -> aclError {
    let sides = ((inputs, num_inputs), (outputs.cast(), num_outputs));
    // SAFETY: the caller's own arguments.
    run(hook, sides.0, sides.1, stream, || unsafe {
        next(
            op_type,
            num_inputs,
            input_desc,
            inputs,
            num_outputs,
            output_desc,
            outputs,
            attr,
            stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_execute_v2(
    hook: &Hook,
    next: aclopExecuteV2::Fn,
    op_type: *const c_char,
    num_inputs: i32,
    input_desc: *mut *mut aclTensorDesc,
    inputs: *mut *mut aclDataBuffer,
    num_outputs: i32,
    output_desc: *mut *mut aclTensorDesc,
    outputs: *mut *mut aclDataBuffer,
    attr: *mut aclopAttr,
    stream: aclrtStream,
) -> aclError {
    let input = (inputs.cast_const().cast(), num_inputs);
    let output = (outputs.cast_const().cast(), num_outputs);
    // SAFETY: the caller's own arguments.
    run(hook, input, output, stream, || unsafe {
        next(
            op_type,
            num_inputs,
            input_desc,
            inputs,
            num_outputs,
            output_desc,
            outputs,
            attr,
            stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_execute_handle(
    hook: &Hook,
    next: aclopExecWithHandle::Fn,
    handle: *mut aclopHandle,
    num_inputs: i32,
    inputs: *const *const aclDataBuffer,
    num_outputs: i32,
    outputs: *const *mut aclDataBuffer,
    stream: aclrtStream,
) -> aclError {
    let sides = ((inputs, num_inputs), (outputs.cast(), num_outputs));
    // SAFETY: the caller's own arguments.
    run(hook, sides.0, sides.1, stream, || unsafe {
        next(handle, num_inputs, inputs, num_outputs, outputs, stream)
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_compile_and_execute(
    hook: &Hook,
    next: aclopCompileAndExecute::Fn,
    op_type: *const c_char,
    num_inputs: i32,
    input_desc: *const *const aclTensorDesc,
    inputs: *const *const aclDataBuffer,
    num_outputs: i32,
    output_desc: *const *const aclTensorDesc,
    outputs: *const *mut aclDataBuffer,
    attr: *const aclopAttr,
    engine_type: aclopEngineType,
    compile_flag: aclopCompileType,
    op_path: *const c_char,
    stream: aclrtStream,
) -> aclError {
    let sides = ((inputs, num_inputs), (outputs.cast(), num_outputs));
    // SAFETY: the caller's own arguments.
    run(hook, sides.0, sides.1, stream, || unsafe {
        next(
            op_type,
            num_inputs,
            input_desc,
            inputs,
            num_outputs,
            output_desc,
            outputs,
            attr,
            engine_type,
            compile_flag,
            op_path,
            stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_compile_and_execute_v2(
    hook: &Hook,
    next: aclopCompileAndExecuteV2::Fn,
    op_type: *const c_char,
    num_inputs: i32,
    input_desc: *mut *mut aclTensorDesc,
    inputs: *mut *mut aclDataBuffer,
    num_outputs: i32,
    output_desc: *mut *mut aclTensorDesc,
    outputs: *mut *mut aclDataBuffer,
    attr: *mut aclopAttr,
    engine_type: aclopEngineType,
    compile_flag: aclopCompileType,
    op_path: *const c_char,
    stream: aclrtStream,
) -> aclError {
    let sides = (
        (inputs.cast_const().cast(), num_inputs),
        (outputs.cast_const().cast(), num_outputs),
    );
    // SAFETY: the caller's own arguments.
    run(hook, sides.0, sides.1, stream, || unsafe {
        next(
            op_type,
            num_inputs,
            input_desc,
            inputs,
            num_outputs,
            output_desc,
            outputs,
            attr,
            engine_type,
            compile_flag,
            op_path,
            stream,
        )
    })
}

#[allow(clippy::too_many_arguments)] // AscendCL's
fn on_cast(
    hook: &Hook,
    next: aclopCast::Fn,
    src_desc: *const aclTensorDesc,
    src_buffer: *const aclDataBuffer,
    dst_desc: *const aclTensorDesc,
    dst_buffer: *mut aclDataBuffer,
    truncate: u8,
    stream: aclrtStream,
) -> aclError {
    let read = range(src_buffer, Access::Read);
    let written = range(dst_buffer, Access::Write);
    let used: Vec<_> = read.into_iter().chain(written).collect();
    // SAFETY: the caller's own arguments.
    launch(hook, &used, stream as u64, &[stream as u64], || unsafe {
        next(src_desc, src_buffer, dst_desc, dst_buffer, truncate, stream)
    })
}
