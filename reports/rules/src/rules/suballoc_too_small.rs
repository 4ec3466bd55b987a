//! `suballoc-too-small`: a segment begins before its neighbor's padding ends.
//!
//! ## What it reports
//! Two live segments of a block, the second of which starts after the bytes of the
//! first but within what the first takes up: `ALIGN_UP(length, 32)` plus the SoC's
//! padding (32; none on Ascend 950 and in pages of 1 GiB). Segments are what the
//! program reports (`aclsan_pool_alloc`), and mstx regions whose size is that of a
//! request, not a rounded one: those are warnings. Without any report: what a media
//! unit wrote, if it wrote another picture into its padding before a model read it; and
//! as a warning, two inputs or outputs of one `aclmdlExecute` that were cut from one
//! block, if the first is not a multiple of 32.
//!
//! ## Why it matters
//! Units read and write whole vectors of 32 bytes, and beyond them. `aclrtMalloc` and
//! `acldvppMalloc` keep that room after every block; inside a block, only the program
//! can. What is missing shows as a few wrong values at the start of the neighbor.
//!
//! ## Example
//! ```c
//! aclsan_pool_alloc(pool, block, 320);          // takes up 352
//! aclsan_pool_alloc(pool, block + 320, 64);     // suballoc-too-small
//! ```
//!
//! ## How to fix it
//! Advance by the length rounded up to 32, plus 32, and round the sum up to the
//! alignment.
//!
//! ## What it cannot see
//! Data buffers of operators, and tensors: frameworks pack them by a rounding of their
//! own, and one may be a part of another. mstx regions, and data buffers of models, of
//! multiples of 32 bytes: their padding may be included. The last segment of a block:
//! the runtime has its own padding there.
//!
//! Source: *Secondary allocation of memory*, AscendCL application development guide, CANN
//! 8.0 and 8.1; paddings from the runtime's source, 681ef761 (CANN 9.2).

use crate::api::functions::Call;
use crate::evidence::diagram::diagram;
use crate::evidence::finding::{Earlier, Finding};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::suballocation::{Neighbors, PlacementRules, Segment, place_from};

/// `suballoc-too-small`.
pub static RULE: Rule = Rule {
    name: "suballoc-too-small",
    severity: Severity::Error,
    summary: "a segment begins before its neighbor's padding ends",
    is_live: false,
    source: include_str!("suballoc_too_small.rs"),
};

/// Checks a segment, reported by `call`, against its neighbors.
pub fn check(
    call: &Call,
    segment: &Segment,
    around: &Neighbors,
    placement: &PlacementRules,
) -> Option<Finding> {
    let is_close = |first: &Segment, second: &Segment| {
        let apart = second.address.checked_sub(first.address);
        apart.is_some_and(|apart| apart >= first.size && apart < placement.taken(first.size))
    };
    let before = around.before.filter(|before| is_close(before, segment));
    let behind = around.behind.filter(|behind| is_close(segment, behind));
    let (first, second, other) = match (before, behind) {
        (Some(before), _) => (before, *segment, before),
        (None, Some(behind)) => (*segment, behind, behind),
        (None, None) => return None,
    };
    let block = around.block;
    let apart = second.address - first.address;
    let offset = |segment: &Segment| segment.address.wrapping_sub(block.address);
    let message = format!(
        "`{}` has a segment at offset {} of a block of {}, {apart} after the start of one of {} that takes up {}",
        call.function.name,
        offset(&second),
        bytes(block.size),
        bytes(first.size),
        placement.taken(first.size)
    );
    let from = first.address.saturating_add(placement.taken(first.size));
    let until = match other.address > second.address {
        true => u64::MAX,
        false => around.behind.map_or(u64::MAX, |behind| behind.address),
    };
    let until = if second == *segment { until } else { u64::MAX };
    let (from, until) = around.room.unwrap_or((from, until));
    let mut found = Finding::new(&RULE, call.site, message)
        .on(second.address, block, offset(&second))
        .after(Earlier::Neighbor, other.site);
    found.details = diagram(block, Some(placement), &first, Some(&second));
    Some(
        found
            .detail(placement.words(block))
            .detail(place_from(block, placement, from, until))
            .advise(
                "notices nothing: units that work on whole vectors reach over the end of the first into the second",
                "advance by ALIGN_UP(length, 32) + 32 and round the sum up to the alignment",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;

    fn found(
        soc: &str,
        first: (u64, u64),
        second: (u64, u64),
        is_first_new: bool,
    ) -> Option<Finding> {
        let block = device_block(0x1000, 4096);
        let at = |(offset, size)| Segment {
            address: 0x1000 + offset,
            size,
            site: HERE,
        };
        let placement = PlacementRules::of(&block, 0, &Profile::of_soc(soc)).unwrap();
        let (before, behind) = match is_first_new {
            true => (None, Some(at(second))),
            false => (Some(at(first)), None),
        };
        let around = Neighbors {
            block: &block,
            before,
            behind,
            room: None,
        };
        let segment = if is_first_new { at(first) } else { at(second) };
        check(&call("aclsan_pool_alloc"), &segment, &around, &placement)
    }

    #[test]
    fn a_start_in_the_padding_is_reported_with_the_next_valid_one() {
        let found = found("Ascend910B3", (0, 320), (320, 64), false).unwrap();
        assert_eq!(
            found.message,
            "`aclsan_pool_alloc` has a segment at offset 320 of a block of 4096 bytes, 320 after the start of one of 320 bytes that takes up 352"
        );
        // 352, up to a multiple of 64: 384; 4096 - 384 = 3712.
        assert_eq!(
            found.details.last().unwrap(),
            "the next valid start is offset 384, with room for 3712 bytes"
        );
    }

    #[test]
    fn it_is_the_same_mistake_when_the_first_comes_last() {
        let late = found("Ascend910B3", (0, 320), (320, 64), true).unwrap();
        assert_eq!(
            late.message,
            found("Ascend910B3", (0, 320), (320, 64), false)
                .unwrap()
                .message
        );
    }

    #[test]
    fn a_start_right_behind_the_padding_is_silent() {
        assert!(found("Ascend910B3", (0, 320), (352, 64), false).is_none());
        assert!(found("Ascend910B3", (0, 300), (351, 64), false).is_some());
    }

    #[test]
    fn without_padding_the_rounding_is_enough() {
        assert!(found("Ascend950PR", (0, 320), (320, 64), false).is_none());
        assert!(found("Ascend950PR", (0, 300), (319, 64), false).is_some());
    }

    #[test]
    fn shared_bytes_are_another_rules_matter() {
        assert!(found("Ascend910B3", (0, 320), (319, 64), false).is_none());
    }
}
