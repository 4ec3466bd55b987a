//! Notifies: like events, they order one stream after another.

use super::stream::{creating, made, ordered};
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::{self, RecordEvents};
use crate::record::Hook;
use std::ffi::{c_char, c_void};

interpose! {
    fn aclrtCreateNotify(notify: *mut aclrtNotify, flag: u64) -> aclError = on_create;
    /// A notify of another process.
    fn aclrtNotifyImportByKey(notify: *mut aclrtNotify, key: *const c_char, flags: u64) -> aclError = on_import;
    fn aclrtDestroyNotify(notify: aclrtNotify) -> aclError = on_destroy;
    fn aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream) -> aclError = on_record;
    fn aclrtWaitAndResetNotify(notify: aclrtNotify, stream: aclrtStream, timeout: u32) -> aclError = on_wait;
    fn aclrtNotifyBatchReset(notifies: *mut aclrtNotify, num: usize) -> aclError = on_reset;
    fn aclrtCntNotifyCreate(notify: *mut aclrtCntNotify, flag: u64) -> aclError = on_create;
    fn aclrtCntNotifyDestroy(notify: aclrtCntNotify) -> aclError = on_destroy;
    fn aclrtCntNotifyRecord(notify: aclrtCntNotify, stream: aclrtStream, info: *mut aclrtCntNotifyRecordInfo) -> aclError = on_count;
    fn aclrtCntNotifyWaitWithTimeout(notify: aclrtCntNotify, stream: aclrtStream, info: *mut aclrtCntNotifyWaitInfo)
        -> aclError = on_count_wait;
    fn aclrtCntNotifyReset(notify: aclrtCntNotify, stream: aclrtStream) -> aclError = on_record;
}

creating! {
    on_create: aclrtCreateNotify(notify: *mut aclrtNotify, flag: u64);
    on_import: aclrtNotifyImportByKey(notify: *mut aclrtNotify, key: *const c_char, flags: u64);
}

ordered! {
    on_record: aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream), [notify as u64, stream as u64];
    on_wait: aclrtWaitAndResetNotify(notify: aclrtNotify, stream: aclrtStream, timeout: u32), [notify as u64, stream as u64];
    on_reset: aclrtNotifyBatchReset(notifies: *mut aclrtNotify, num: usize), [num as u64];
}

/// Records that a notify is destroyed.
fn on_destroy(hook: &Hook, next: aclrtDestroyNotify::Fn, notify: *mut c_void) -> aclError {
    // SAFETY: the caller's own argument.
    heap::release(hook, notify as u64, || unsafe { next(notify) })
}

fn on_count(
    hook: &Hook,
    next: aclrtCntNotifyRecord::Fn,
    notify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyRecordInfo,
) -> aclError {
    // SAFETY: null, or the caller's own, which the runtime reads too.
    let (mode, value) = unsafe { info.as_ref() }.map_or((0, 0), |info| (info.mode, info.value));
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(notify, stream, info) };
    let values = [notify as u64, stream as u64, mode.into(), value.into()];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}

fn on_count_wait(
    hook: &Hook,
    next: aclrtCntNotifyWaitWithTimeout::Fn,
    notify: aclrtCntNotify,
    stream: aclrtStream,
    info: *mut aclrtCntNotifyWaitInfo,
) -> aclError {
    // SAFETY: null, or the caller's own, which the runtime reads too.
    let (mode, value) = unsafe { info.as_ref() }.map_or((0, 0), |info| (info.mode, info.value));
    // SAFETY: the caller's own arguments.
    let status = unsafe { next(notify, stream, info) };
    let values = [notify as u64, stream as u64, mode.into(), value.into()];
    hook.record(|recorder| recorder.record_call(0, &values, status));
    status
}
