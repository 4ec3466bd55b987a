//! Shared buffers: handles to reference-counted data, in chains.

use crate::abi::*;
use crate::calls::actions::{made, out, recorded, released};
use crate::calls::interpose;
use std::ffi::c_void;

interpose! {
    fn aclrtAllocBuf(buf: *mut aclrtMbuf, size: usize) -> aclError = made (buf, size as u64, 0);
    /// Records a second handle to bytes that are already counted.
    fn aclrtCopyBufRef(of: aclrtMbuf, buf: *mut aclrtMbuf) -> aclError = made (buf, 0, 0);
    /// Records the release of a handle, and of the chain that it heads.
    fn aclrtFreeBuf(buf: aclrtMbuf) -> aclError = released (buf);
    /// Records that the chain takes over `buf`, which is freed with its head from now on (driver ef377e95).
    fn aclrtAppendBufChain(head: aclrtMbuf, buf: aclrtMbuf) -> aclError = released (buf);
    fn aclrtGetBufData(buf: aclrtMbuf, data: *mut *mut c_void, size: *mut usize) -> aclError = recorded [buf, out(data), out(size)];
}
