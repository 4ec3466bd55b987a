//! Allocators of the program, which CANN calls for work on a stream.
//!
//! Their calls are the program's: the `aclrtMalloc` inside is recorded once, like any other. Their functions are recorded, so that readers
//! of the log can recognize stacks that pass through them.

use crate::abi::*;
use crate::calls::actions::recorded;
use crate::calls::interpose;

interpose! {
    fn aclrtAllocatorSetObjToDesc(desc: aclrtAllocatorDesc, allocator: aclrtAllocator) -> aclError = recorded [desc, allocator];
    fn aclrtAllocatorSetAllocFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorAllocFunc) -> aclError
        = recorded [desc, function];
    fn aclrtAllocatorSetFreeFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorFreeFunc) -> aclError = recorded [desc, function];
    fn aclrtAllocatorSetAllocAdviseFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorAllocAdviseFunc) -> aclError
        = recorded [desc, function];
    fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorGetAddrFromBlockFunc) -> aclError
        = recorded [desc, function];
    fn aclrtAllocatorRegister(stream: aclrtStream, desc: aclrtAllocatorDesc) -> aclError = recorded [stream, desc];
    fn aclrtAllocatorUnregister(stream: aclrtStream) -> aclError = recorded [stream];
}
