//! Names and directions of `aclrtMemcpyKind`.

use crate::api::vendor::CopyKind;

/// The kind with that number, from `acl_rt.h` (runtime 681ef761). `None` for numbers that the runtime refuses with
/// 100000.
pub(super) fn kind(number: u32) -> Option<CopyKind> {
    let (name, hosts) = match number {
        0 => ("ACL_MEMCPY_HOST_TO_HOST", Some((true, true))),
        1 => ("ACL_MEMCPY_HOST_TO_DEVICE", Some((true, false))),
        2 => ("ACL_MEMCPY_DEVICE_TO_HOST", Some((false, true))),
        3 => ("ACL_MEMCPY_DEVICE_TO_DEVICE", Some((false, false))),
        4 => ("ACL_MEMCPY_DEFAULT", None),
        5 => ("ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE", Some((true, false))),
        6 => ("ACL_MEMCPY_INNER_DEVICE_TO_DEVICE", Some((false, false))),
        7 => ("ACL_MEMCPY_INTER_DEVICE_TO_DEVICE", Some((false, false))),
        _ => return None,
    };
    Some(CopyKind { name, hosts })
}

/// Whether copies of rows accept the kind: the first four directions except host to host, and `ACL_MEMCPY_DEFAULT`.
/// They refuse the others with 100000 (runtime 681ef761).
pub(super) fn is_for_rows(number: u32) -> bool {
    (1..=4).contains(&number)
}
