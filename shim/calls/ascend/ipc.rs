//! Device memory shared between processes: a key is exported, imported, and closed on both sides.

use crate::abi::{aclError, aclrtIpcMemAttrType, aclrtServerPid};
use crate::calls::actions::{recorded, written};
use crate::calls::interpose;
use crate::heap::{self, finish_call, guard_page, record_call, record_object};
use crate::record::{Hook, Recorder};
use crate::runtime::queries;
use crate::state::ipc_keys::{self, CloseEffect, IpcKeys};
use crate::state::start;
use aclsan_log::Values;
use aclsan_rules::api::functions::IMPORT;
use std::ffi::{CStr, c_char, c_void};

interpose! {
    /// Records the key under the block's address.
    fn aclrtIpcMemGetExportKey(dev_ptr: *mut c_void, size: usize, key: *mut c_char, len: usize, flags: u64) -> aclError
        = exported (dev_ptr, size, key, len);
    /// Records the block of another process.
    fn aclrtIpcMemImportByKey(dev_ptr: *mut *mut c_void, key: *const c_char, flags: u64) -> aclError = imported (dev_ptr, key);
    /// Records the release of the import or of the key.
    fn aclrtIpcMemClose(key: *const c_char) -> aclError = closed (key);
    fn aclrtIpcMemSetImportPid(key: *const c_char, pid: *mut i32, num: usize) -> aclError = recorded [hash(key)];
    fn aclrtIpcMemSetAttr(key: *const c_char, r#type: aclrtIpcMemAttrType, attr: u64) -> aclError = recorded [hash(key), r#type, attr];
    fn aclrtIpcMemImportPidInterServer(key: *const c_char, server_pids: *mut aclrtServerPid, num: usize) -> aclError
        = recorded [hash(key)];
}

/// The hash of a key that the runtime wrote into `room` bytes, maybe without a terminator.
fn hash_within(key: *const c_char, room: usize) -> u64 {
    if key.is_null() {
        return 0;
    }
    // SAFETY: the caller's own buffer of `room` bytes, which the runtime has just written to.
    let length = unsafe { libc::strnlen(key, room) };
    // SAFETY: the bytes that were just read.
    ipc_keys::hash(unsafe { std::slice::from_raw_parts(key.cast::<u8>(), length) })
}

/// The hash of a key; 0 for NULL.
fn hash(key: *const c_char) -> u64 {
    if key.is_null() {
        return 0;
    }
    // SAFETY: not null, and the runtime reads it as a terminated string, too.
    ipc_keys::hash(unsafe { CStr::from_ptr(key) }.to_bytes())
}

fn with_keys<T>(recorder: &Recorder, work: impl FnOnce(&mut IpcKeys) -> T) -> T {
    work(&mut recorder.process.calls.ipc_keys.lock())
}

fn exported(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    dev_ptr: *mut c_void,
    size: usize,
    key: *mut c_char,
    len: usize,
) -> aclError {
    guard_page::on_export(dev_ptr as u64);
    let status = forward();
    hook.record(|recorder| {
        let address = dev_ptr as u64;
        if status != 0 {
            record_call(recorder, 0, &[address, size as u64], status);
            return;
        }
        recorder.detect_device(); // It has one: the runtime has just used it.
        let handle = with_keys(recorder, |keys| {
            keys.on_export(hash_within(key, len), address)
        });
        let call = recorder.call(0);
        match handle {
            Some(handle) => {
                record_object(recorder, &call, handle, size as u64);
            }
            None => {
                let values = Values::of([address, size as u64]);
                finish_call(recorder, &call, &values, 0);
            }
        }
    });
    status
}

fn imported(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    dev_ptr: *mut *mut c_void,
    key: *const c_char,
) -> aclError {
    let status = forward();
    hook.record(|recorder| {
        let hash = hash(key);
        let Some(address) = written(dev_ptr, status == 0) else {
            record_call(recorder, 0, &[hash], status);
            return;
        };
        recorder.detect_device(); // As above.
        let call = recorder.call(0);
        if with_keys(recorder, |keys| keys.on_import(hash, address as u64)) {
            record_object(
                recorder,
                &call,
                address as u64,
                queries::address_range(address),
            );
        } else {
            record_call(recorder, 0, &[hash], status);
        }
    });
    status
}

fn closed(hook: &Hook, forward: impl FnOnce() -> aclError, key: *const c_char) -> aclError {
    let hash = hash(key);
    let closes = hook.record(|recorder| {
        with_keys(recorder, |keys| {
            // Exported before an attach, the key may be open although its imports are closed.
            let effect = keys.close_effect(hash);
            effect.filter(|_| !start::is_partial() || keys.is_open(hash))
        })
    });
    let status = match closes.flatten() {
        Some(CloseEffect::Import(address)) => heap::release_with(hook, IMPORT, address, forward),
        Some(CloseEffect::Export(handle)) => heap::release(hook, handle, forward),
        Some(CloseEffect::Count) | None => recorded(hook, forward, |_| [hash]),
    };
    if status == 0 {
        hook.record(|recorder| with_keys(recorder, |keys| keys.on_close(hash)));
    }
    status
}
