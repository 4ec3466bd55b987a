//! Video blocks by handle, and the block size of each pool.

use std::collections::HashMap;

/// A video block. It is kept after its last user, to detect one release too many.
#[derive(Clone, Copy)]
pub struct VideoBlock {
    /// Address of the block.
    pub address: u64,
    /// Number of users.
    pub users: u32,
}

/// The handles given out, and the size of each pool's blocks, which a request does not change.
#[derive(Default)]
pub struct VideoBlocks {
    /// By handle.
    pub blocks: HashMap<u32, VideoBlock>,
    /// By pool.
    pub block_sizes: HashMap<u32, u64>,
}
