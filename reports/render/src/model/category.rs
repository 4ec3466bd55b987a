//! What memory is for: categories that the program gives to blocks and to parts of pools.

use serde::Serialize;

/// The categories. A name that is none of them counts as the last.
pub const CATEGORIES: [&str; 9] = [
    "weights",
    "gradients",
    "optimizer_state",
    "activations",
    "kv_cache",
    "workspace",
    "communication",
    "temporary",
    "other",
];

/// The index of a category in [`CATEGORIES`].
pub fn category(name: &str) -> u8 {
    let known = CATEGORIES.iter().position(|known| *known == name);
    known.unwrap_or(CATEGORIES.len() - 1) as u8
}

/// Device memory of one category in one process.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct CategoryUse {
    /// The process.
    pub pid: u32,
    /// Index of the process in the report: process numbers may not be unique.
    pub process: usize,
    /// One of [`CATEGORIES`].
    pub name: &'static str,
    /// Blocks and parts of pools that were given this category.
    pub allocations: u64,
    /// Those live at the end.
    pub live_blocks: u64,
    /// Their bytes.
    pub live_bytes: u64,
    /// Peak of live bytes.
    pub peak_bytes: u64,
    /// Time of the peak.
    pub peak_ns: u64,
    /// Most bytes that were live throughout a step and that no call in it named. `None` without steps, or if work was queued whose
    /// arguments are not recorded.
    pub idle_bytes: Option<u64>,
    /// Most bytes that were live throughout a step, in blocks and parts that calls in it named, but behind all that those calls used and that
    /// pools ever gave out. `None` as for `idle_bytes`.
    pub oversized_bytes: Option<u64>,
    /// Live bytes over time.
    pub over_time: Vec<CategoryPoint>,
}

/// Memory under a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Of a category or a pool.
    pub name: String,
    /// The pool's device, −1 if unknown; −1 for a category.
    pub device: i32,
    /// Live bytes.
    pub live: u64,
    /// Most bytes live at once.
    pub peak: u64,
    /// Live blocks or parts.
    pub blocks: u64,
}

/// Live bytes of a category from a moment on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct CategoryPoint {
    /// When.
    pub ns: u64,
    /// Most live bytes until the next point.
    pub bytes: u64,
}
