//! Questions about a whole run: what was wasted, what grows.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::finding::Finding;
use crate::evidence::waste::{Churn, Holes, Paged, Refusal};
use crate::rules::leak_growing::Series;
use crate::rules::*;

/// What the pages of one place cost, when they cost most.
pub fn pages(block: &Block, paged: &Paged) -> Option<Finding> {
    page_class_waste::check(block, paged)
}

/// How often one place allocated what it had just released.
pub fn repeated(block: &Block, again: &Churn) -> Option<Finding> {
    hot_loop_allocation::check(block, again)
}

/// `count` blocks of one place, `bytes` in all, that no call named.
pub fn unused(block: &Block, count: u64, bytes: u64) -> Option<Finding> {
    never_used::check(block, count, bytes)
}

/// An allocation that was refused for want of memory.
pub fn out_of_memory(call: &Call, refusal: &Refusal) -> Option<Finding> {
    fragmented::check(call, refusal)
}

/// A layout at its peak; `block` keeps its largest holes apart.
pub fn layout(block: &Block, holes: &Holes) -> Option<Finding> {
    fragmented::check_layout(block, holes)
}

/// Live bytes of one place, epoch after epoch: see [`leak_growing::check`].
pub fn growing(block: &Block, series: &Series, is_kept: bool) -> Option<Finding> {
    leak_growing::check(block, series, is_kept)
}
