//! What a domain of mstx whose descriptions are not trusted has reported so far.

use std::sync::atomic::AtomicU64;

/// Both words are in one line of the cache: frameworks use such a domain at each tensor.
#[derive(Default)]
#[repr(align(16))]
pub struct CarelessDomain {
    /// The largest heap, with its device.
    pub largest_heap: AtomicU64,
    /// The number of the text that names the domain; 0 before it has one.
    pub name: AtomicU64,
}
