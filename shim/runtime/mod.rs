//! The runtime behind our hooks: the definitions that calls are forwarded to, and the few calls that the shim makes itself. It does not
//! know what is recorded.

pub mod copies;
pub mod deferred_free;
pub mod next;
pub mod queries;
pub mod slots;
pub mod virtual_memory;

/// AscendCL's "not supported": what callers are told of a function that no library defines.
pub const ACL_ERROR_API_NOT_SUPPORT: i32 = 200_001;
