//! Page-locked memory that a framework's allocator keeps for its next requests. Nobody reports what of it is in use.

use aclsan_log::Log;
use aclsan_rules::api::block::Block;
use aclsan_rules::api::family::Family;

/// The allocator that keeps the block, by the library that asked for it; `None` if it is the program's own.
pub fn pinned_cache(log: &Log, block: &Block) -> Option<&'static str> {
    if block.family() != Family::Pinned {
        return None;
    }
    let site = log.site(block.site);
    let module = log.module_at(*site.frames.first()?, site.epoch)?;
    (block.function.vendor().pinned_cache)(module.path.rsplit('/').next()?)
}
