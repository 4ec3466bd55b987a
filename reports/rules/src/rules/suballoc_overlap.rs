//! `suballoc-overlap`: two segments of a block share bytes.
//!
//! ## What it reports
//! A segment that a pool hands out while another live segment of the same pool shares
//! bytes with it (`aclsan_pool_alloc`; mstx regions of registered heaps: a warning).
//! One launch whose two outputs, or an output and an input, share a part of their
//! bytes. And without any report: bytes that a media unit, a model or a copy wrote,
//! whose head or tail was overwritten from elsewhere before they were read as they had
//! been written; a warning if a copy is part of it. Also a warning: a two-phase
//! operator whose only two tensors, both without gaps, share a part of their bytes,
//! since it writes one of them.
//!
//! ## Why it matters
//! Both owners write, and the later one wins: a picture's last lines are the next one's
//! first. Nothing faults, since to the runtime it is all one block.
//!
//! ## Example
//! ```c
//! acldvppSetPicDescData(first, pool);              // 3072 bytes with its strides
//! acldvppSetPicDescData(second, pool + 2560);      // suballoc-overlap
//! ```
//!
//! ## How to fix it
//! Give each segment bytes of its own. Count the strides of pictures, not their visible
//! width, and take a segment back before it is given out again.
//!
//! ## What it cannot see
//! Segments that nobody reports and nobody reads. What is wholly inside another
//! segment, or starts and ends where it does: views, slices, operators in place.
//! Tensors that share bytes if there are more than two, or cached ones: views do, and it
//! is not seen which of them an operator writes; for the same reason, once a program runs
//! two-phase operators, only media units are followed from write to read. How far apart tensors are and how they
//! are aligned, which no interface restricts. Pools inside pools. mstx regions of
//! torch_npu and MindSpore, whose ends are reported in another order than the memory is
//! reused.
//!
//! Source: *Secondary allocation of memory*, AscendCL application development guide, CANN
//! 8.0 and 8.1.

use crate::api::functions::Call;
use crate::evidence::diagram::diagram;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::suballocation::{Neighbors, PlacementRules, Segment, place_from};

/// `suballoc-overlap`.
pub static RULE: Rule = Rule {
    name: "suballoc-overlap",
    severity: Severity::Error,
    summary: "two segments of a block share bytes",
    is_live: false,
    source: include_str!("suballoc_overlap.rs"),
};

/// Why two segments overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Because {
    /// The pool of both handed out the second while the first was live.
    Told,
    /// One launch names both.
    Launch,
    /// One two-phase operator was given both, of which it writes one.
    Operands,
    /// The second was written before the first, which the call reads, was read.
    Read,
}

/// Checks `segment`, which `call` reported or wrote, against `other`.
pub fn check(
    call: &Call,
    segment: &Segment,
    other: &Segment,
    because: Because,
    around: &Neighbors,
    placement: Option<&PlacementRules>,
) -> Option<Finding> {
    let shared = segment.shared(other);
    if shared == 0 {
        return None;
    }
    let block = around.block;
    let offset = |segment: &Segment| i128::from(segment.address) - i128::from(block.address);
    let (name, one, two) = (call.function.name, bytes(segment.size), bytes(other.size));
    let (at, there, size) = (offset(segment), offset(other), bytes(block.size));
    let message = match because {
        Because::Told => format!(
            "`{name}` has a segment of {one} at offset {at} of a block of {size}, which shares {shared} with a live one of {two} at offset {there}"
        ),
        Because::Launch => format!(
            "`{name}` writes {one} at offset {at} of a block of {size}, which share {shared} with {two} at offset {there} of the same launch"
        ),
        Because::Operands => format!(
            "an operator (phase one: `{name}`) was given a tensor of {one} at offset {at} of a block of {size}, which shares {shared} with its only other tensor, of {two} at offset {there}"
        ),
        Because::Read => format!(
            "`{name}` reads {one} at offset {at} of a block of {size}, {shared} of which were overwritten from offset {there} since"
        ),
    };
    let (first, second) = match segment.address <= other.address {
        true => (segment, other),
        false => (other, segment),
    };
    let mut found = Finding::new(&RULE, call.site, message)
        .on(
            segment.address,
            block,
            segment.address.wrapping_sub(block.address),
        )
        .after(Earlier::Neighbor, other.site);
    found.details = diagram(block, placement, first, Some(second));
    if let Some(placement) = placement {
        let from = first.address.saturating_add(placement.taken(first.size));
        let (from, until) = around.room.unwrap_or((from, u64::MAX));
        found = found
            .detail(placement.words(block))
            .detail(place_from(block, placement, from, until));
    }
    Some(found.advise(
        "notices nothing: it knows the block alone, and the later writer wins",
        "give each segment bytes of its own, with the strides of its picture counted in",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;

    fn found(first: (u64, u64), second: (u64, u64), because: Because) -> Option<Finding> {
        let block = device_block(0x1000, 4096);
        let at = |(offset, size)| Segment {
            address: 0x1000 + offset,
            size,
            site: HERE,
        };
        let around = Neighbors::none(&block);
        let placement = PlacementRules::of(&block, 0, &Profile::default());
        check(
            &call("aclsan_pool_alloc"),
            &at(second),
            &at(first),
            because,
            &around,
            placement.as_ref(),
        )
    }

    #[test]
    fn shared_bytes_are_reported_with_the_next_valid_start() {
        let found = found((0, 320), (256, 128), Because::Told).unwrap();
        assert_eq!(
            found.message,
            "`aclsan_pool_alloc` has a segment of 128 bytes at offset 256 of a block of 4096 bytes, which shares 64 with a live one of 320 bytes at offset 0"
        );
        assert_eq!(
            found.details.last().unwrap(),
            "the next valid start is offset 384, with room for 3712 bytes"
        );
        assert_eq!(found.earlier[0], (Earlier::Neighbor, HERE));
    }

    #[test]
    fn neighbours_that_touch_share_nothing() {
        assert_eq!(found((0, 320), (320, 64), Because::Told), None);
        assert_eq!(found((64, 64), (0, 64), Because::Launch), None);
    }

    #[test]
    fn the_sentence_says_how_they_met() {
        let read = found((256, 128), (0, 320), Because::Read).unwrap();
        assert!(
            read.message
                .ends_with(", 64 of which were overwritten from offset 256 since")
        );
        let launch = found((0, 320), (256, 128), Because::Launch).unwrap();
        assert!(launch.message.ends_with("of the same launch"));
    }
}
