//! Questions about a whole run: what was wasted, what grows.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::waste::{Churn, Holes, Paged, Refusal};
use crate::rules::leak_growing::Series;
use crate::rules::*;

/// The pages of one allocation site, when they cost most.
pub fn pages(block: &Block, paged: &Paged) -> Option<Finding> {
    page_class_waste::check(block, paged)
}

/// How often one site allocated what it had just released.
pub fn repeated(block: &Block, again: &Churn) -> Option<Finding> {
    hot_loop_allocation::check(block, again)
}

/// `count` blocks of one site, `bytes` in total, that no call named.
pub fn unused(block: &Block, count: u64, bytes: u64) -> Option<Finding> {
    never_used::check(block, count, bytes)
}

/// An allocation that was refused for lack of memory.
pub fn out_of_memory(call: &Call, refusal: &Refusal) -> Option<Finding> {
    fragmented::check(call, refusal)
}

/// A layout at its peak; `block` separates its largest holes.
pub fn layout(block: &Block, holes: &Holes) -> Option<Finding> {
    fragmented::check_layout(block, holes)
}

/// As [`growing`], for the parts that one site takes from a pool; `part` is the first of them.
pub fn growing_in_pool(
    part: &Block,
    series: &Series,
    is_kept: bool,
    pool: &str,
) -> Option<Finding> {
    leak_growing::check_sub_blocks(part, series, is_kept, pool)
}

/// Live bytes of one site, epoch by epoch: see [`leak_growing::check`].
pub fn growing(block: &Block, series: &Series, is_kept: bool) -> Option<Finding> {
    leak_growing::check(block, series, is_kept)
}
