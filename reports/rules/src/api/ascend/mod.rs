//! AscendCL and CANN: functions, codes, copy directions, chips, libraries, and what the runtime does with mistakes.
//! Tables alone: who decides anything by them is elsewhere.

mod answers;
mod copy_kinds;
pub(crate) mod functions;
pub mod indices;
pub mod libraries;
mod modules;
mod releases;
pub mod socs;
pub mod statuses;

use super::vendor::{Calls, FaultCodes, Vendor};

/// AscendCL.
pub static VENDOR: Vendor = Vendor {
    name: "AscendCL",
    calls: &CALLS,
    answers: &answers::ANSWERS,
    faults: &FAULTS,
    alignment: 64, // The runtime asks the driver for 512.
    media_alignment: 128,
    suballocation_guide: "AscendCL sub-allocation guide, CANN 8.1",
    release: releases::release,
    waiting_release: releases::waiting_release,
    may_release: releases::may_release,
    foreign_release: answers::foreign_release,
    refusal: answers::refusal,
    null_release: answers::null_release,
    small_workspace: answers::small_workspace,
    status_name: statuses::name,
    module_name: modules::name,
    indexed_operators: indices::OPERATORS,
    copy_kind: copy_kinds::kind,
    allocator_settings: "PYTORCH_NPU_ALLOC_CONF",
    pinned_cache: libraries::pinned_cache,
    foreign_capture: 107_038, // ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD
    // ACL_ERROR_RT_WAIT_TIMEOUT, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT
    time_outs: &[107_019, 507_046, 507_047],
    is_copy_kind_of_rows: copy_kinds::is_for_rows,
};

static CALLS: Calls = Calls {
    set_device: "aclrtSetDevice",
    synchronize_stream: "aclrtSynchronizeStream",
    record_event: "aclrtRecordEvent",
    wait_for_event: "aclrtStreamWaitEvent",
    copy: "aclrtMemcpy",
    fill: "aclrtMemset",
    allocate_host: "aclrtMallocHost",
    free_after_device: "aclrtFreeWithDevSync",
    memory_info: "aclrtGetMemInfo",
    reserve_range: "aclrtReserveMemAddress",
    allocate_physical: "aclrtMallocPhysical",
    map: "aclrtMapMem",
    workspace_size: "aclnnXxxGetWorkspaceSize",
    keep_executor: "aclSetAclOpExecutorRepeatable",
    destroy_executor: "aclDestroyAclOpExecutor",
    fault_callback: "aclrtSetExceptionInfoCallback",
    any_direction: "ACL_MEMCPY_DEFAULT",
};

/// From `rt_error_codes.h`, runtime 681ef761 (CANN 9.2); that a trap by an unmapped address is 507015 or 507035: users'
/// reports.
static FAULTS: FaultCodes = FaultCodes {
    reads: &[507_042, 507_044],
    writes: &[507_043, 507_045],
    cores: &[507_015, 507_016, 507_035, 507_036],
    copies: &[507_052, 507_053, 507_899], // In the copy unit, in the driver.
    tasks: 507_000..508_000,
};
