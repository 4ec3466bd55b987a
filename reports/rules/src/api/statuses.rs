//! Names of AscendCL's return codes.

use crate::api::functions::{Family, Function, Role};

/// The name of a return code, from `acl_base_rt.h` and `rt_error_codes.h` (runtime 681ef761), and from operators
/// (opbase aa3cd74b). `None` for codes that are not listed.
pub fn name(code: i32) -> Option<&'static str> {
    Some(match code {
        0 => "ACL_SUCCESS",
        100000 => "ACL_ERROR_INVALID_PARAM",
        100001 => "ACL_ERROR_UNINITIALIZE",
        100002 => "ACL_ERROR_REPEAT_INITIALIZE",
        100037 => "ACL_ERROR_REPEAT_FINALIZE",
        107000 => "ACL_ERROR_RT_PARAM_INVALID",
        107001 => "ACL_ERROR_RT_INVALID_DEVICEID",
        107002 => "ACL_ERROR_RT_CONTEXT_NULL",
        107003 => "ACL_ERROR_RT_STREAM_CONTEXT",
        107008 => "ACL_ERROR_RT_ADDR_UNALIGNED",
        107016 => "ACL_ERROR_RT_INVALID_MEMORY_TYPE",
        107017 => "ACL_ERROR_RT_INVALID_HANDLE",
        107018 => "ACL_ERROR_RT_INVALID_MALLOC_TYPE",
        107019 => "ACL_ERROR_RT_WAIT_TIMEOUT",
        107027 => "ACL_ERROR_RT_STREAM_CAPTURED",
        107028 => "ACL_ERROR_RT_EVENT_CAPTURED",
        107030 => "ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT",
        107041 => "ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC",
        161001 => "ACLNN_ERR_PARAM_NULLPTR",
        161002 => "ACLNN_ERR_PARAM_INVALID",
        200000 => "ACL_ERROR_BAD_ALLOC",
        200001 => "ACL_ERROR_API_NOT_SUPPORT",
        200002 => "ACL_ERROR_INVALID_DEVICE",
        200003 => "ACL_ERROR_MEMORY_ADDRESS_UNALIGNED",
        200004 => "ACL_ERROR_RESOURCE_NOT_MATCH",
        200005 => "ACL_ERROR_INVALID_RESOURCE_HANDLE",
        200006 => "ACL_ERROR_FEATURE_UNSUPPORTED",
        207000 => "ACL_ERROR_RT_FEATURE_NOT_SUPPORT",
        207001 => "ACL_ERROR_RT_MEMORY_ALLOCATION",
        207002 => "ACL_ERROR_RT_MEMORY_FREE",
        207005 => "ACL_ERROR_RT_RESOURCE_ALLOC_FAIL",
        207008 => "ACL_ERROR_RT_NO_STREAM_RESOURCE",
        207012 => "ACL_ERROR_RT_OVER_LIMIT",
        207018 => "ACL_ERROR_RT_DEVICE_OOM",
        300000 => "ACL_ERROR_STORAGE_OVER_LIMIT",
        500000 => "ACL_ERROR_INTERNAL_ERROR",
        500001 => "ACL_ERROR_FAILURE",
        500003 => "ACL_ERROR_RT_FAILURE",
        500004 => "ACL_ERROR_DRV_FAILURE",
        507000 => "ACL_ERROR_RT_INTERNAL_ERROR",
        507001 => "ACL_ERROR_RT_TS_ERROR",
        507007 => "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR",
        507011 => "ACL_ERROR_RT_MODEL_EXECUTE",
        507014 => "ACL_ERROR_RT_AICORE_TIMEOUT",
        507015 => "ACL_ERROR_RT_AICORE_EXCEPTION",
        507016 => "ACL_ERROR_RT_AICORE_TRAP_EXCEPTION",
        507018 => "ACL_ERROR_RT_AICPU_EXCEPTION",
        507035 => "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION",
        507036 => "ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION",
        507042 => "ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW",
        507043 => "ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW",
        507044 => "ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW",
        507045 => "ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW",
        507046 => "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT",
        507052 => "ACL_ERROR_RT_COPY_DATA",
        507053 => "ACL_ERROR_RT_DEVICE_MEM_ERROR",
        507054 => "ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR",
        507899 => "ACL_ERROR_RT_DRV_INTERNAL_ERROR",
        507900 => "ACL_ERROR_RT_AICPU_INTERNAL_ERROR",
        507910 => "ACL_ERROR_RT_HOST_MEMORY_ALREADY_REGISTERED",
        507911 => "ACL_ERROR_RT_HOST_MEMORY_NOT_REGISTERED",
        561000 => "ACLNN_ERR_INNER",
        561103 => "ACLNN_ERR_INNER_NULLPTR",
        _ => return None,
    })
}

/// How the runtime refuses a release: "refuses it with 107000". The second media interface and the Matrix have codes of
/// their own. The pools' release accepts memory that is no pool's and passes it to the driver in stream order, whose
/// answer nobody hears (runtime 681ef761, `MemPoolFreeAsyncCallback`). `owner` is the block's family, if there is a
/// block.
pub fn refusal(function: &Function, owner: Option<Family>) -> &'static str {
    match function.role {
        Role::Release(Family::Pool) if owner != Some(Family::Pool) => {
            "accepts the call; the driver refuses it when the stream comes to it, and nobody hears"
        }
        Role::Release(Family::Mapped) => "refuses it with 507899",
        Role::Release(
            Family::DvppMpi
            | Family::VideoPool
            | Family::VideoBlock
            | Family::Hiai
            | Family::HiaiDvpp,
        ) => "refuses it with an error of its own",
        Role::Release(family) if family.is_host_object() => {
            "deletes it again: the C++ heap is damaged, or the process aborts"
        }
        Role::Annotation => "is not asked: the pool may hand the same memory out twice",
        _ => "refuses it with 107000",
    }
}
