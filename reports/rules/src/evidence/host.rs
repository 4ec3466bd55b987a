//! What the process's own memory is called.

use aclsan_log::Mapping;

/// Words for host memory that is proven to be such; `None` where nobody looked or there was no telling.
pub fn words(mapping: Mapping) -> Option<&'static str> {
    Some(match mapping {
        Mapping::Unknown => return None,
        Mapping::Stack => "memory on a thread's stack",
        Mapping::Heap => "memory of the C heap",
        Mapping::Image => "memory of a loaded program or library",
        Mapping::Anonymous => "anonymous host memory",
    })
}
