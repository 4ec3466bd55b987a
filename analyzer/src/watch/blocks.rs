//! Live blocks of one site: the largest, and how many are how old.

use std::cmp::Reverse;

use super::state::{AGES, ListedBlock};

/// Blocks that are listed.
const BLOCKS: usize = 100;

/// Counts a live block by its age.
pub fn count_age(ages: &mut [(u64, u64); AGES.len() + 1], age_ns: u64, bytes: u64) {
    let bin = AGES.iter().position(|&most| age_ns < most * 1_000_000_000);
    let bin = &mut ages[bin.unwrap_or(AGES.len())];
    *bin = (bin.0 + 1, bin.1.saturating_add(bytes));
}

/// Adds a block to those that may be listed.
pub fn add_block(blocks: &mut Vec<ListedBlock>, block: ListedBlock) {
    blocks.push(block);
    if blocks.len() > 64 * BLOCKS {
        keep_largest(blocks);
    }
}

/// Keeps the largest blocks, largest first.
pub fn keep_largest(blocks: &mut Vec<ListedBlock>) {
    blocks.sort_by_key(|(address, bytes, ..)| (Reverse(*bytes), *address));
    blocks.truncate(BLOCKS);
}
