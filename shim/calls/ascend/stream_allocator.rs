//! Allocators of the program, which CANN calls for work on a stream.
//!
//! Their calls are the program's: the `aclrtMalloc` inside is recorded once, like any other. Their functions are recorded, so that readers
//! of the log can recognize stacks that pass through them.

use super::stream::ordered;
use crate::abi::*;
use crate::calls::interpose;
use crate::heap::RecordEvents;
use crate::record::Hook;

interpose! {
    fn aclrtAllocatorSetObjToDesc(desc: aclrtAllocatorDesc, allocator: aclrtAllocator) -> aclError = on_set_object;
    fn aclrtAllocatorSetAllocFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorAllocFunc) -> aclError = on_set_alloc;
    fn aclrtAllocatorSetFreeFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorFreeFunc) -> aclError = on_set_free;
    fn aclrtAllocatorSetAllocAdviseFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorAllocAdviseFunc)
        -> aclError = on_set_advise;
    fn aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorGetAddrFromBlockFunc)
        -> aclError = on_set_address;
    fn aclrtAllocatorRegister(stream: aclrtStream, desc: aclrtAllocatorDesc) -> aclError = on_register;
    fn aclrtAllocatorUnregister(stream: aclrtStream) -> aclError = on_unregister;
}

ordered! {
    on_set_object: aclrtAllocatorSetObjToDesc(desc: aclrtAllocatorDesc, allocator: aclrtAllocator), [desc as u64, allocator as u64];
    on_set_alloc: aclrtAllocatorSetAllocFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorAllocFunc),
        [desc as u64, function.map_or(0, |f| f as usize as u64)];
    on_set_free: aclrtAllocatorSetFreeFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorFreeFunc),
        [desc as u64, function.map_or(0, |f| f as usize as u64)];
    on_set_advise: aclrtAllocatorSetAllocAdviseFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorAllocAdviseFunc),
        [desc as u64, function.map_or(0, |f| f as usize as u64)];
    on_set_address: aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc: aclrtAllocatorDesc, function: aclrtAllocatorGetAddrFromBlockFunc),
        [desc as u64, function.map_or(0, |f| f as usize as u64)];
    on_register: aclrtAllocatorRegister(stream: aclrtStream, desc: aclrtAllocatorDesc), [stream as u64, desc as u64];
    on_unregister: aclrtAllocatorUnregister(stream: aclrtStream), [stream as u64];
}
