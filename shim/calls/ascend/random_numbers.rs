//! Random numbers, and changes of tasks that are queued already.

use super::indirect_copy::used;
use crate::abi::*;
use crate::calls::interpose;
use crate::record::Hook;
use aclsan_log::Access;
use aclsan_rules::api::dtype;
use std::ffi::c_void;

interpose! {
    /// Records the result and the counter.
    fn aclrtRandomNumAsync(task: *const aclrtRandomNumTaskInfo, stream: aclrtStream, reserve: *mut c_void) -> aclError = on_numbers;
    /// Records what the new parameters are read from.
    fn aclrtTaskUpdateAsync(tasks_stream: aclrtStream, task: u32, info: *mut aclrtTaskUpdateInfo, stream: aclrtStream)
        -> aclError = on_update;
}

/// Bytes of the generator's state.
const COUNTER: u64 = 16;

fn on_numbers(
    hook: &Hook,
    next: aclrtRandomNumAsync::Fn,
    task: *const aclrtRandomNumTaskInfo,
    stream: aclrtStream,
    reserve: *mut c_void,
) -> aclError {
    // SAFETY: the caller's own arguments.
    let forward = || unsafe { next(task, stream, reserve) };
    // SAFETY: null, or the caller's own description, which the runtime copies.
    let Some(task) = (unsafe { task.as_ref() }).filter(|_| reserve.is_null()) else {
        return used(hook, 0, &[], stream, &[], forward);
    };
    let (to, counter) = (task.randomResultAddr as u64, task.randomCounterAddr as u64);
    let kind = task.randomNumFuncParaInfo.funcType;
    let size = bytes(task, kind).unwrap_or(0);
    let all = [(to, size, Access::Write), (counter, COUNTER, Access::Both)];
    let known = all.iter().filter(|range| range.0 != 0 && range.1 != 0);
    let ranges: Vec<_> = known.copied().collect();
    let parameters = task.randomParaAddr as u64;
    let values = [to, size, counter, parameters, kind.into(), stream as u64];
    used(hook, 0, &ranges, stream, &values, forward)
}

/// Bytes of the result; `None` if their number is known on the device only.
fn bytes(task: &aclrtRandomNumTaskInfo, kind: aclrtRandomNumFuncType) -> Option<u64> {
    let count = &task.randomNum;
    if count.isAddr != 0 {
        return None;
    }
    let mut number = [0; 8];
    let width = usize::from(count.size).min(8);
    number[..width].copy_from_slice(&count.valueOrAddr[..width]);
    let number = u64::from_le_bytes(number);
    match kind == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK {
        true => Some(number.div_ceil(8)),
        false => number.checked_mul(dtype::size(task.dataType as u64)?),
    }
}

fn on_update(
    hook: &Hook,
    next: aclrtTaskUpdateAsync::Fn,
    tasks_stream: aclrtStream,
    task: u32,
    info: *mut aclrtTaskUpdateInfo,
    stream: aclrtStream,
) -> aclError {
    // SAFETY: null, or the caller's own description, which the runtime reads as well.
    let known = unsafe { info.as_ref() }.filter(|info| info.id == ACL_RT_UPDATE_RANDOM_TASK);
    let (from, size) = known.map_or((0, 0), |info| {
        // SAFETY: the id says which member was set.
        let random = unsafe { info.val.randomTaskAttr };
        (random.srcAddr as u64, random.size as u64)
    });
    let range = [(from, size, Access::Read)];
    let ranges = if from != 0 && size != 0 {
        &range[..]
    } else {
        &[]
    };
    let values = [from, size, task.into(), tasks_stream as u64, stream as u64];
    // SAFETY: the caller's own arguments.
    used(hook, 0, ranges, stream, &values, || unsafe {
        next(tasks_stream, task, info, stream)
    })
}
