//! Random numbers, and changes of tasks that are queued already.

use crate::abi::*;
use crate::calls::actions::{given, launched};
use crate::calls::interpose;
use crate::heap;
use crate::record::Hook;
use aclsan_log::Access;
use aclsan_rules::api::dtype;
use aclsan_rules::evidence::operation::RangeUse;
use std::ffi::c_void;

interpose! {
    /// Records the result and the counter.
    fn aclrtRandomNumAsync(task: *const aclrtRandomNumTaskInfo, stream: aclrtStream, reserve: *mut c_void) -> aclError
        = numbers_made (task, stream, reserve);
    /// Records what the new parameters are read from.
    fn aclrtTaskUpdateAsync(tasks_stream: aclrtStream, task: u32, info: *mut aclrtTaskUpdateInfo, stream: aclrtStream) -> aclError
        = launched [parameters(info).0, parameters(info).1, task, tasks_stream, stream] (parameters_read(info), stream);
}

/// Bytes of the generator's state.
const COUNTER: u64 = 16;

fn numbers_made(
    hook: &Hook,
    forward: impl FnOnce() -> aclError,
    task: *const aclrtRandomNumTaskInfo,
    stream: aclrtStream,
    reserve: *mut c_void,
) -> aclError {
    let stream = stream as u64;
    let Some(task) = given(task).filter(|_| reserve.is_null()) else {
        return heap::launch(hook, 0, &[], stream, &[], forward);
    };
    let (to, counter) = (task.randomResultAddr as u64, task.randomCounterAddr as u64);
    let kind = task.randomNumFuncParaInfo.funcType;
    let size = bytes(&task, kind).unwrap_or(0);
    let all = [(to, size, Access::Write), (counter, COUNTER, Access::Both)];
    let known = all
        .into_iter()
        .filter_map(|(address, size, access)| range(address, size, access));
    let ranges: Vec<_> = known.collect();
    let parameters = task.randomParaAddr as u64;
    let values = [to, size, counter, parameters, kind.into(), stream];
    heap::launch(hook, 0, &ranges, stream, &values, forward)
}

fn range(address: u64, size: u64, access: Access) -> Option<RangeUse> {
    (address != 0 && size != 0).then_some(RangeUse {
        address,
        size,
        access,
    })
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

/// Address and size of the new parameters; zeros if the task is of another kind.
fn parameters(info: *const aclrtTaskUpdateInfo) -> (u64, u64) {
    let known = given(info).filter(|info| info.id == ACL_RT_UPDATE_RANDOM_TASK);
    known.map_or((0, 0), |info| {
        // SAFETY: the id says which member was set.
        let random = unsafe { info.val.randomTaskAttr };
        (random.srcAddr as u64, random.size as u64)
    })
}

fn parameters_read(info: *const aclrtTaskUpdateInfo) -> Option<RangeUse> {
    let (from, size) = parameters(info);
    range(from, size, Access::Read)
}
