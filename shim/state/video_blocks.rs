//! Handles of video blocks, and how large the blocks of their pools are.

use std::collections::HashMap;

/// What is known of a handle: the block's address, and how many users it has. It stays after the last one, to tell a release too many.
#[derive(Clone, Copy)]
pub struct VideoBlock {
    /// Where the block lies.
    pub address: u64,
    /// How many use it.
    pub users: u32,
}

/// The handles that were given out, and how large a pool's blocks are, whatever a request for one says.
#[derive(Default)]
pub struct VideoBlocks {
    /// By handle.
    pub blocks: HashMap<u32, VideoBlock>,
    /// By pool.
    pub block_sizes: HashMap<u32, u64>,
}
