//! Names for the process's own memory.

use aclsan_log::Mapping;

/// Words for memory that is proven to be host memory; `None` if that was not checked or is unknown.
pub fn words(mapping: Mapping) -> Option<&'static str> {
    Some(match mapping {
        Mapping::Unknown | Mapping::LostObject => return None,
        Mapping::Stack => "memory on a thread's stack",
        Mapping::Heap => "memory of the C heap",
        Mapping::Image => "memory of a loaded program or library",
        Mapping::Anonymous => "anonymous host memory",
    })
}
