//! Limits on what is read of one file, so that a crafted one costs bounded memory.

/// Most uncompressed bytes read from one file.
pub const MAX_FILE_BYTES: u64 = 4 << 30;
/// Most sections and segments in one file. Linked files have some tens; the limit only stops crafted ones.
pub const MAX_SECTIONS: u32 = 4096;
