//! Objects that one call creates and another destroys, and that hold no memory of the program: scalars, descriptions, configurations,
//! channels, labels, binaries, communicators.
//!
//! A row ends with what its call does to the object: `created` returns it, `created_in out` writes it where `out` points, `created_all out
//! count` writes several there, `opened handle` starts what an existing descriptor stands for, `destroyed handle` ends it.

use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use std::ffi::{c_char, c_void};

/// Generates a table and its hooks from rows of [`interpose!`] that name an action instead of a behavior.
macro_rules! objects {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $(, $symbol:ident)?: $action:ident $($of:ident)*;)+) => {
        interpose! {
            $(fn $name($($arg: $ty),*) $(-> $ret)? = hooks::$name $(, $symbol)?;)+
        }

        #[allow(non_snake_case, clippy::too_many_arguments)] // the header's
        mod hooks {
            use super::*;

            $(pub fn $name(hook: &Hook, next: super::$name::Fn $(, $arg: $ty)*) $(-> $ret)? {
                // SAFETY: the caller's own arguments.
                $action(hook, &mut || unsafe { next($($arg),*) } $(, $of)*)
            })+
        }
    };
}

objects! {
    fn aclCreateScalar(value: *mut c_void, data_type: aclDataType) -> *mut aclScalar, aclCreateScalar: created;
    fn aclDestroyScalar(scalar: *const aclScalar) -> aclnnStatus, aclDestroyScalar: destroyed scalar;
    fn aclCreateBoolArray(value: *const bool, size: u64) -> *mut aclBoolArray, aclCreateBoolArray: created;
    fn aclDestroyBoolArray(array: *const aclBoolArray) -> aclnnStatus, aclDestroyBoolArray: destroyed array;
    fn aclCreateFloatArray(value: *const f32, size: u64) -> *mut aclFloatArray, aclCreateFloatArray: created;
    fn aclDestroyFloatArray(array: *const aclFloatArray) -> aclnnStatus, aclDestroyFloatArray: destroyed array;
    fn aclCreateIntArray(value: *const i64, size: u64) -> *mut aclIntArray, aclCreateIntArray: created;
    fn aclDestroyIntArray(array: *const aclIntArray) -> aclnnStatus, aclDestroyIntArray: destroyed array;

    fn aclCreateTensorDesc(data_type: aclDataType, num_dims: i32, dims: *const i64, format: aclFormat) -> *mut aclTensorDesc: created;
    fn aclDestroyTensorDesc(desc: *const aclTensorDesc): destroyed_silently desc;
    fn aclopCreateAttr() -> *mut aclopAttr: created;
    fn aclopDestroyAttr(attr: *const aclopAttr): destroyed_silently attr;
    fn aclopCreateHandle(op_type: *const c_char, num_inputs: i32, input_desc: *const *const aclTensorDesc, num_outputs: i32,
        output_desc: *const *const aclTensorDesc, attr: *const aclopAttr, handle: *mut *mut aclopHandle) -> aclError: created_in handle;
    fn aclopDestroyHandle(handle: *mut aclopHandle): destroyed_silently handle;

    fn aclmdlCreateDataset() -> *mut aclmdlDataset: created;
    fn aclmdlDestroyDataset(dataset: *const aclmdlDataset) -> aclError: destroyed dataset;
    fn aclmdlCreateDesc() -> *mut aclmdlDesc: created;
    fn aclmdlDestroyDesc(desc: *mut aclmdlDesc) -> aclError: destroyed desc;
    fn aclmdlCreateAIPP(batch_size: u64) -> *mut aclmdlAIPP: created;
    fn aclmdlDestroyAIPP(aipp: *const aclmdlAIPP) -> aclError: destroyed aipp;
    fn aclmdlCreateConfigHandle() -> *mut aclmdlConfigHandle: created_with_value;
    fn aclmdlDestroyConfigHandle(handle: *mut aclmdlConfigHandle) -> aclError: destroyed handle;
    fn aclmdlCreateExecConfigHandle() -> *mut aclmdlExecConfigHandle: created;
    fn aclmdlDestroyExecConfigHandle(handle: *const aclmdlExecConfigHandle) -> aclError: destroyed handle;
    fn aclmdlBundleCreateQueryInfo() -> *mut aclmdlBundleQueryInfo: created;
    fn aclmdlBundleDestroyQueryInfo(query: *mut aclmdlBundleQueryInfo) -> aclError: destroyed query;

    fn acldvppCreateChannelDesc() -> *mut acldvppChannelDesc: created;
    fn acldvppDestroyChannelDesc(desc: *mut acldvppChannelDesc) -> aclError: destroyed desc;
    fn acldvppCreateChannel(desc: *mut acldvppChannelDesc) -> aclError: opened desc;
    fn acldvppDestroyChannel(desc: *mut acldvppChannelDesc) -> aclError: destroyed desc;
    fn acldvppCreateResizeConfig() -> *mut acldvppResizeConfig: created;
    fn acldvppDestroyResizeConfig(config: *mut acldvppResizeConfig) -> aclError: destroyed config;
    fn acldvppCreateRoiConfig(left: u32, right: u32, top: u32, bottom: u32) -> *mut acldvppRoiConfig: created;
    fn acldvppDestroyRoiConfig(config: *mut acldvppRoiConfig) -> aclError: destroyed config;
    fn acldvppCreateJpegeConfig() -> *mut acldvppJpegeConfig: created;
    fn acldvppDestroyJpegeConfig(config: *mut acldvppJpegeConfig) -> aclError: destroyed config;
    fn acldvppCreateBorderConfig() -> *mut acldvppBorderConfig: created;
    fn acldvppDestroyBorderConfig(config: *mut acldvppBorderConfig) -> aclError: destroyed config;
    fn acldvppCreateLutMap() -> *mut acldvppLutMap: created;
    fn acldvppDestroyLutMap(map: *mut acldvppLutMap) -> aclError: destroyed map;
    fn acldvppCreateHist() -> *mut acldvppHist: created;
    fn acldvppDestroyHist(hist: *mut acldvppHist) -> aclError: destroyed hist;

    fn aclvdecCreateChannelDesc() -> *mut aclvdecChannelDesc: created;
    fn aclvdecDestroyChannelDesc(desc: *mut aclvdecChannelDesc) -> aclError: destroyed desc;
    fn aclvdecCreateChannel(desc: *mut aclvdecChannelDesc) -> aclError: opened desc;
    fn aclvdecDestroyChannel(desc: *mut aclvdecChannelDesc) -> aclError: destroyed desc;
    fn aclvdecCreateFrameConfig() -> *mut aclvdecFrameConfig: created;
    fn aclvdecDestroyFrameConfig(config: *mut aclvdecFrameConfig) -> aclError: destroyed config;
    fn aclvencCreateChannelDesc() -> *mut aclvencChannelDesc: created;
    fn aclvencDestroyChannelDesc(desc: *mut aclvencChannelDesc) -> aclError: destroyed desc;
    fn aclvencCreateChannel(desc: *mut aclvencChannelDesc) -> aclError: opened desc;
    fn aclvencDestroyChannel(desc: *mut aclvencChannelDesc) -> aclError: destroyed desc;
    fn aclvencCreateFrameConfig() -> *mut aclvencFrameConfig: created;
    fn aclvencDestroyFrameConfig(config: *mut aclvencFrameConfig) -> aclError: destroyed config;

    fn aclrtCreateStreamConfigHandle() -> *mut aclrtStreamConfigHandle: created;
    fn aclrtDestroyStreamConfigHandle(handle: *mut aclrtStreamConfigHandle) -> aclError: destroyed handle;
    fn aclrtAllocatorCreateDesc() -> aclrtAllocatorDesc: created;
    fn aclrtAllocatorDestroyDesc(desc: aclrtAllocatorDesc) -> aclError: destroyed desc;
    fn aclrtCreateGroupInfo() -> *mut aclrtGroupInfo: created;
    fn aclrtDestroyGroupInfo(group: *mut aclrtGroupInfo) -> aclError: destroyed group;
    fn aclrtCreateLabel(label: *mut aclrtLabel) -> aclError: created_in label;
    fn aclrtDestroyLabel(label: aclrtLabel) -> aclError: destroyed label;
    fn aclrtCreateLabelList(labels: *mut aclrtLabel, num: usize, list: *mut aclrtLabelList) -> aclError: created_in list;
    fn aclrtDestroyLabelList(list: aclrtLabelList) -> aclError: destroyed list;
    fn aclrtCreateBinary(data: *const c_void, data_len: usize) -> aclrtBinary: created;
    fn aclrtDestroyBinary(binary: aclrtBinary) -> aclError: destroyed binary;
    fn aclrtBinaryLoad(binary: aclrtBinary, handle: *mut aclrtBinHandle) -> aclError: created_in handle;
    fn aclrtBinaryLoadFromData(data: *const c_void, length: usize, options: *const aclrtBinaryLoadOptions, handle: *mut aclrtBinHandle)
        -> aclError: created_in handle;
    fn aclrtBinaryLoadFromFile(path: *const c_char, options: *mut aclrtBinaryLoadOptions, handle: *mut aclrtBinHandle)
        -> aclError: created_in handle;
    fn aclrtBinaryUnLoad(handle: aclrtBinHandle) -> aclError: destroyed handle;

    fn HcclCommInitRootInfo(ranks: u32, root: *const HcclRootInfo, rank: u32, comm: *mut HcclComm) -> HcclResult, HcclCommInitRootInfo:
        created_in comm;
    fn HcclCommInitRootInfoConfig(ranks: u32, root: *const HcclRootInfo, rank: u32, config: *const HcclCommConfig, comm: *mut HcclComm)
        -> HcclResult, HcclCommInitRootInfoConfig: created_in comm;
    fn HcclCommInitAll(count: u32, devices: *mut i32, comms: *mut HcclComm) -> HcclResult, HcclCommInitAll: created_all comms count;
    fn HcclCommDestroy(comm: HcclComm) -> HcclResult, HcclCommDestroy: destroyed comm;
}

fn record(hook: &Hook, handle: u64, values: &[u64]) {
    hook.record(|recorder| {
        let call = recorder.call(0);
        recorder.record_descriptor(&call, handle, values);
    });
}

fn created<T>(hook: &Hook, create: &mut dyn FnMut() -> *mut T) -> *mut T {
    let object = create();
    if !object.is_null() {
        record(hook, object as u64, &[]);
    }
    object
}

/// As [`created`], for an object whose settings are followed by its address: those of an earlier one there are forgotten.
fn created_with_value<T>(hook: &Hook, create: &mut dyn FnMut() -> *mut T) -> *mut T {
    let object = create();
    if !object.is_null() {
        record(hook, object as u64, &[object as u64]);
    }
    object
}

/// A status: AscendCL's are signed, HCCL's are not.
trait Status: Copy {
    fn code(self) -> i32;
    fn of(code: i32) -> Self;
}

impl Status for i32 {
    fn code(self) -> i32 {
        self
    }

    fn of(code: i32) -> Self {
        code
    }
}

impl Status for HcclResult {
    fn code(self) -> i32 {
        self.cast_signed()
    }

    fn of(code: i32) -> Self {
        code.cast_unsigned()
    }
}

fn created_in<T, S: Status>(hook: &Hook, create: &mut dyn FnMut() -> S, out: *mut *mut T) -> S {
    created_all(hook, create, out, 1)
}

fn created_all<T, S: Status>(
    hook: &Hook,
    create: &mut dyn FnMut() -> S,
    out: *mut *mut T,
    count: u32,
) -> S {
    let status = create();
    if status.code() == 0 && !out.is_null() {
        for at in 0..count as usize {
            // SAFETY: the caller's own array, in which the runtime has written `count` on success.
            let object = unsafe { out.wrapping_add(at).read() };
            record(hook, object as u64, &[]);
        }
    }
    status
}

fn opened<T>(hook: &Hook, open: &mut dyn FnMut() -> i32, descriptor: *mut T) -> i32 {
    let status = open();
    if status == 0 {
        record(hook, descriptor as u64, &[]);
    }
    status
}

fn destroyed<T, S: Status>(hook: &Hook, destroy: &mut dyn FnMut() -> S, object: *const T) -> S {
    S::of(release(hook, object as u64, &mut || destroy().code()))
}

/// As [`destroyed`], for a call that returns nothing.
fn destroyed_silently<T>(hook: &Hook, destroy: &mut dyn FnMut(), object: *const T) {
    let mut destroy = || {
        destroy();
        0
    };
    release(hook, object as u64, &mut destroy);
}

/// Not generic, so that the path of a release is not compiled once per row.
fn release(hook: &Hook, object: u64, destroy: &mut dyn FnMut() -> i32) -> i32 {
    heap::release(hook, object, destroy)
}
