//! Notifies: like events, they order one stream after another.

use crate::abi::*;
use crate::calls::actions::{given, made_with_callbacks, recorded, released};
use crate::calls::interpose;
use std::ffi::c_char;

interpose! {
    fn aclrtCreateNotify(notify: *mut aclrtNotify, flag: u64) -> aclError = made_with_callbacks (notify, 0);
    /// A notify of another process.
    fn aclrtNotifyImportByKey(notify: *mut aclrtNotify, key: *const c_char, flags: u64) -> aclError = made_with_callbacks (notify, 0);
    fn aclrtDestroyNotify(notify: aclrtNotify) -> aclError = released (notify);
    fn aclrtRecordNotify(notify: aclrtNotify, stream: aclrtStream) -> aclError = recorded [notify, stream];
    fn aclrtWaitAndResetNotify(notify: aclrtNotify, stream: aclrtStream, timeout: u32) -> aclError = recorded [notify, stream];
    fn aclrtNotifyBatchReset(notifies: *mut aclrtNotify, num: usize) -> aclError = recorded [num];
    fn aclrtCntNotifyCreate(notify: *mut aclrtCntNotify, flag: u64) -> aclError = made_with_callbacks (notify, 0);
    fn aclrtCntNotifyDestroy(notify: aclrtCntNotify) -> aclError = released (notify);
    fn aclrtCntNotifyRecord(notify: aclrtCntNotify, stream: aclrtStream, info: *mut aclrtCntNotifyRecordInfo) -> aclError
        = recorded [notify, stream, given(info).map_or(0, |info| info.mode), given(info).map_or(0, |info| info.value)];
    fn aclrtCntNotifyWaitWithTimeout(notify: aclrtCntNotify, stream: aclrtStream, info: *mut aclrtCntNotifyWaitInfo) -> aclError
        = recorded [notify, stream, given(info).map_or(0, |info| info.mode), given(info).map_or(0, |info| info.value)];
    fn aclrtCntNotifyReset(notify: aclrtCntNotify, stream: aclrtStream) -> aclError = recorded [notify, stream];
}
