//! Objects that one call creates and another destroys, and that hold no memory of the program: scalars, descriptions, configurations,
//! channels, labels, binaries, communicators.

use crate::abi::*;
use crate::calls::actions::{array, created, created_in, opened, record_descriptor, released};
use crate::calls::interpose;
use crate::record::Hook;
use crate::state::process::Process;
use aclsan_log::branch::unlikely;
use std::ffi::{c_char, c_void};

interpose! {
    fn aclCreateScalar(value: *mut c_void, data_type: aclDataType) -> *mut aclScalar = created, aclCreateScalar;
    fn aclDestroyScalar(scalar: *const aclScalar) -> aclnnStatus = released (scalar), aclDestroyScalar;
    fn aclCreateBoolArray(value: *const bool, size: u64) -> *mut aclBoolArray = created, aclCreateBoolArray;
    fn aclDestroyBoolArray(array: *const aclBoolArray) -> aclnnStatus = released (array), aclDestroyBoolArray;
    fn aclCreateFloatArray(value: *const f32, size: u64) -> *mut aclFloatArray = created, aclCreateFloatArray;
    fn aclDestroyFloatArray(array: *const aclFloatArray) -> aclnnStatus = released (array), aclDestroyFloatArray;
    fn aclCreateIntArray(value: *const i64, size: u64) -> *mut aclIntArray = array_created (value, size), aclCreateIntArray;
    fn aclDestroyIntArray(array: *const aclIntArray) -> aclnnStatus = released (array), aclDestroyIntArray;

    fn aclCreateTensorDesc(data_type: aclDataType, num_dims: i32, dims: *const i64, format: aclFormat) -> *mut aclTensorDesc = created;
    fn aclDestroyTensorDesc(desc: *const aclTensorDesc) = released (desc);
    fn aclopCreateAttr() -> *mut aclopAttr = created;
    fn aclopDestroyAttr(attr: *const aclopAttr) = released (attr);
    fn aclopCreateHandle(op_type: *const c_char, num_inputs: i32, input_desc: *const *const aclTensorDesc, num_outputs: i32,
        output_desc: *const *const aclTensorDesc, attr: *const aclopAttr, handle: *mut *mut aclopHandle) -> aclError
        = created_in (handle, 1);
    fn aclopDestroyHandle(handle: *mut aclopHandle) = released (handle);

    fn aclmdlCreateDataset() -> *mut aclmdlDataset = created;
    fn aclmdlDestroyDataset(dataset: *const aclmdlDataset) -> aclError = released (dataset);
    fn aclmdlCreateDesc() -> *mut aclmdlDesc = created;
    fn aclmdlDestroyDesc(desc: *mut aclmdlDesc) -> aclError = released (desc);
    fn aclmdlCreateAIPP(batch_size: u64) -> *mut aclmdlAIPP = created;
    fn aclmdlDestroyAIPP(aipp: *const aclmdlAIPP) -> aclError = released (aipp);
    fn aclmdlCreateConfigHandle() -> *mut aclmdlConfigHandle = created_with_value;
    fn aclmdlDestroyConfigHandle(handle: *mut aclmdlConfigHandle) -> aclError = released (handle);
    fn aclmdlCreateExecConfigHandle() -> *mut aclmdlExecConfigHandle = created;
    fn aclmdlDestroyExecConfigHandle(handle: *const aclmdlExecConfigHandle) -> aclError = released (handle);
    fn aclmdlBundleCreateQueryInfo() -> *mut aclmdlBundleQueryInfo = created;
    fn aclmdlBundleDestroyQueryInfo(query: *mut aclmdlBundleQueryInfo) -> aclError = released (query);

    fn acldvppCreateChannelDesc() -> *mut acldvppChannelDesc = created;
    fn acldvppDestroyChannelDesc(desc: *mut acldvppChannelDesc) -> aclError = released (desc);
    fn acldvppCreateChannel(desc: *mut acldvppChannelDesc) -> aclError = opened (desc);
    fn acldvppDestroyChannel(desc: *mut acldvppChannelDesc) -> aclError = released (desc);
    fn acldvppCreateResizeConfig() -> *mut acldvppResizeConfig = created;
    fn acldvppDestroyResizeConfig(config: *mut acldvppResizeConfig) -> aclError = released (config);
    fn acldvppCreateRoiConfig(left: u32, right: u32, top: u32, bottom: u32) -> *mut acldvppRoiConfig = created;
    fn acldvppDestroyRoiConfig(config: *mut acldvppRoiConfig) -> aclError = released (config);
    fn acldvppCreateJpegeConfig() -> *mut acldvppJpegeConfig = created;
    fn acldvppDestroyJpegeConfig(config: *mut acldvppJpegeConfig) -> aclError = released (config);
    fn acldvppCreateBorderConfig() -> *mut acldvppBorderConfig = created;
    fn acldvppDestroyBorderConfig(config: *mut acldvppBorderConfig) -> aclError = released (config);
    fn acldvppCreateLutMap() -> *mut acldvppLutMap = created;
    fn acldvppDestroyLutMap(map: *mut acldvppLutMap) -> aclError = released (map);
    fn acldvppCreateHist() -> *mut acldvppHist = created;
    fn acldvppDestroyHist(hist: *mut acldvppHist) -> aclError = released (hist);

    fn aclvdecCreateChannelDesc() -> *mut aclvdecChannelDesc = created;
    fn aclvdecDestroyChannelDesc(desc: *mut aclvdecChannelDesc) -> aclError = released (desc);
    fn aclvdecCreateChannel(desc: *mut aclvdecChannelDesc) -> aclError = opened (desc);
    fn aclvdecDestroyChannel(desc: *mut aclvdecChannelDesc) -> aclError = released (desc);
    fn aclvdecCreateFrameConfig() -> *mut aclvdecFrameConfig = created;
    fn aclvdecDestroyFrameConfig(config: *mut aclvdecFrameConfig) -> aclError = released (config);
    fn aclvencCreateChannelDesc() -> *mut aclvencChannelDesc = created;
    fn aclvencDestroyChannelDesc(desc: *mut aclvencChannelDesc) -> aclError = released (desc);
    fn aclvencCreateChannel(desc: *mut aclvencChannelDesc) -> aclError = opened (desc);
    fn aclvencDestroyChannel(desc: *mut aclvencChannelDesc) -> aclError = released (desc);
    fn aclvencCreateFrameConfig() -> *mut aclvencFrameConfig = created;
    fn aclvencDestroyFrameConfig(config: *mut aclvencFrameConfig) -> aclError = released (config);

    fn aclrtCreateStreamConfigHandle() -> *mut aclrtStreamConfigHandle = created;
    fn aclrtDestroyStreamConfigHandle(handle: *mut aclrtStreamConfigHandle) -> aclError = released (handle);
    fn aclrtAllocatorCreateDesc() -> aclrtAllocatorDesc = created;
    fn aclrtAllocatorDestroyDesc(desc: aclrtAllocatorDesc) -> aclError = released (desc);
    fn aclrtCreateGroupInfo() -> *mut aclrtGroupInfo = created;
    fn aclrtDestroyGroupInfo(group: *mut aclrtGroupInfo) -> aclError = released (group);
    fn aclrtCreateLabel(label: *mut aclrtLabel) -> aclError = created_in (label, 1);
    fn aclrtDestroyLabel(label: aclrtLabel) -> aclError = released (label);
    fn aclrtCreateLabelList(labels: *mut aclrtLabel, num: usize, list: *mut aclrtLabelList) -> aclError = created_in (list, 1);
    fn aclrtDestroyLabelList(list: aclrtLabelList) -> aclError = released (list);
    fn aclrtCreateBinary(data: *const c_void, data_len: usize) -> aclrtBinary = created;
    fn aclrtDestroyBinary(binary: aclrtBinary) -> aclError = released (binary);
    fn aclrtBinaryLoad(binary: aclrtBinary, handle: *mut aclrtBinHandle) -> aclError = created_in (handle, 1);
    fn aclrtBinaryLoadFromData(data: *const c_void, length: usize, options: *const aclrtBinaryLoadOptions,
        handle: *mut aclrtBinHandle) -> aclError
        = created_in (handle, 1);
    fn aclrtBinaryLoadFromFile(path: *const c_char, options: *mut aclrtBinaryLoadOptions, handle: *mut aclrtBinHandle) -> aclError
        = created_in (handle, 1);
    fn aclrtBinaryUnLoad(handle: aclrtBinHandle) -> aclError = released (handle);

    fn HcclCommInitRootInfo(ranks: u32, root: *const HcclRootInfo, rank: u32, comm: *mut HcclComm) -> HcclResult
        = created_in (comm, 1), HcclCommInitRootInfo;
    fn HcclCommInitRootInfoConfig(ranks: u32, root: *const HcclRootInfo, rank: u32, config: *const HcclCommConfig,
        comm: *mut HcclComm) -> HcclResult
        = created_in (comm, 1), HcclCommInitRootInfoConfig;
    fn HcclCommInitAll(count: u32, devices: *mut i32, comms: *mut HcclComm) -> HcclResult = created_in (comms, count), HcclCommInitAll;
    fn HcclCommDestroy(comm: HcclComm) -> HcclResult = released (comm), HcclCommDestroy;
}

/// As [`created`], for an object whose settings are followed by its address: those of an earlier one there are forgotten.
fn created_with_value<T>(hook: &Hook, forward: impl FnOnce() -> *mut T) -> *mut T {
    let object = forward();
    if !object.is_null() {
        record_descriptor(hook, object as u64, &[object as u64]);
    }
    object
}

/// As [`created`], for an array; with `check_indices=1`, its numbers are remembered.
fn array_created(
    hook: &Hook,
    forward: impl FnOnce() -> *mut aclIntArray,
    numbers: *const i64,
    count: u64,
) -> *mut aclIntArray {
    let made = created(hook, forward);
    let process = Process::current();
    if unlikely(process.options.checks_indices()) && !made.is_null() {
        let numbers = array(numbers, count as usize);
        let checks = &process.calls.index_checks;
        checks.describe_array(made as u64, numbers);
    }
    made
}
