//! `suballoc-out-of-block`: a segment leaves its block or its pool.
//!
//! ## What it reports
//! A segment that starts in a live block and ends past it, or that is outside the range
//! that its pool was created over: one that the program or a framework reported
//! (`aclsan_pool_alloc`, mstx regions), or a part of a block given to
//! `aclCreateDataBuffer` with more bytes than are left in the block.
//!
//! ## Why it matters
//! The segment's owner writes another block, or memory that is not mapped. A pool that
//! forgets the padding of its segments breaks first at the last one.
//!
//! ## Example
//! ```c
//! aclsan_pool pool = aclsan_pool_create("frames", block, 4096);
//! aclsan_pool_alloc(pool, block + 3584, 640);   // suballoc-out-of-block
//! ```
//!
//! ## How to fix it
//! Make the pool as large as all segments take up, padding and alignment included, and
//! check for room before a segment is given out.
//!
//! ## What it cannot see
//! Segments of memory that was not seen allocated, unless their pool reported its
//! range. Data buffers over whole blocks and tensors, which have rules of their own
//! (`copy-overrun`, `tensor-out-of-block`).
//!
//! Source: *Secondary allocation of memory*, AscendCL application development guide, CANN
//! 8.0 and 8.1.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::diagram::diagram;
use crate::evidence::finding::{Finding, rarely};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::suballocation::{Neighbors, PlacementRules, Segment};

/// `suballoc-out-of-block`.
pub static RULE: Rule = Rule {
    name: "suballoc-out-of-block",
    severity: Severity::Error,
    summary: "a segment leaves its block or its pool",
    is_live: true,
    source: include_str!("suballoc_out_of_block.rs"),
};

/// Checks a segment that starts in the block. `around` is asked for a finding alone.
pub fn check<'a>(
    call: &Call,
    segment: &Segment,
    block: &Block,
    around: impl FnOnce() -> Neighbors<'a>,
    placement: Option<&PlacementRules>,
) -> Option<Finding> {
    let offset = segment.address.checked_sub(block.address)?;
    let left = block.size.checked_sub(offset)?;
    let past = segment.size.checked_sub(left).filter(|&past| past > 0)?;
    Some(rarely(|| {
        let message = format!(
            "`{}` has a segment of {} at offset {offset} of a block of {}, {past} past its end",
            call.function.name,
            bytes(segment.size),
            bytes(block.size)
        );
        let mut found = Finding::new(&RULE, call.site, message).on(segment.address, block, offset);
        found.details = match &around().before {
            Some(before) => diagram(block, placement, before, Some(segment)),
            None => diagram(block, placement, segment, None),
        };
        if let Some(placement) = placement {
            found = found.detail(placement.words(block));
        }
        found
            .detail(format!("offset {offset} has room for {left} bytes"))
            .advise(
                "notices nothing: the memory after the block is used as if it were the segment's",
                "make the pool as large as all segments take up, padding and alignment counted in",
            )
    }))
}

/// Checks a segment against its pool's range; `around` has its neighbors if its block is known, and is asked for a
/// finding alone.
pub fn check_pool<'a>(
    call: &Call,
    segment: &Segment,
    (start, end): (u64, u64),
    around: impl FnOnce() -> Option<Neighbors<'a>>,
) -> Option<Finding> {
    let is_inside = segment.address >= start && segment.end() <= end;
    (!is_inside).then(|| rarely(|| outside_of_pool(call, segment, (start, end), around)))
}

fn outside_of_pool<'a>(
    call: &Call,
    segment: &Segment,
    (start, end): (u64, u64),
    around: impl FnOnce() -> Option<Neighbors<'a>>,
) -> Finding {
    let size = bytes(end.saturating_sub(start));
    let message = match segment.address.checked_sub(start) {
        Some(offset) if segment.address < end => format!(
            "`{}` has a segment of {} at offset {offset} of a pool of {size}, {} past its end",
            call.function.name,
            bytes(segment.size),
            segment.end() - end
        ),
        _ => format!(
            "`{}` has a segment of {} that does not start in its pool of {size}",
            call.function.name,
            bytes(segment.size)
        ),
    };
    let found = Finding::new(&RULE, call.site, message);
    let mut found = match around() {
        None => found.at(segment.address),
        Some(around) => {
            let offset = segment.address.wrapping_sub(around.block.address);
            let mut found = found.on(segment.address, around.block, offset);
            found.details = match &around.before {
                Some(before) => diagram(around.block, None, before, Some(segment)),
                None => diagram(around.block, None, segment, None),
            };
            found
        }
    };
    let room = end.saturating_sub(segment.address.max(start));
    found
        .details
        .push(match segment.address >= start && segment.address < end {
            true => format!("the pool has room for {} there", bytes(room)),
            false => format!("the pool is [{start:#x}, {end:#x})"),
        });
    found.advise(
        "notices nothing: it knows blocks and no pools",
        "make the pool as large as all segments take up, or tell of every range that it has",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;

    fn at(offset: u64, size: u64) -> Segment {
        Segment {
            address: 0x1000 + offset,
            size,
            site: HERE,
        }
    }

    fn found(offset: u64, size: u64) -> Option<Finding> {
        let block = device_block(0x1000, 4096);
        let around = Neighbors {
            block: &block,
            before: Some(at(0, 64)),
            behind: None,
            room: None,
        };
        let placement = PlacementRules::of(&block, 0, &Profile::default());
        check(
            &call("aclsan_pool_alloc"),
            &at(offset, size),
            &block,
            || around,
            placement.as_ref(),
        )
    }

    #[test]
    fn a_byte_behind_the_block_is_reported_with_the_room_that_there_is() {
        let found = found(4032, 65).unwrap();
        assert_eq!(
            found.message,
            "`aclsan_pool_alloc` has a segment of 65 bytes at offset 4032 of a block of 4096 bytes, 1 past its end"
        );
        assert_eq!(
            found.details.last().unwrap(),
            "offset 4032 has room for 64 bytes"
        );
        assert!(found.details[0].contains("B"));
    }

    #[test]
    fn the_last_byte_of_the_block_is_the_segments_own() {
        assert_eq!(found(4032, 64), None);
        assert_eq!(found(0, 4096), None);
        assert!(found(4032, u64::MAX).is_some());
    }

    #[test]
    fn a_pool_is_left_at_both_ends() {
        let call = call("aclsan_pool_alloc");
        let of_pool =
            |offset, size| check_pool(&call, &at(offset, size), (0x1040, 0x1080), || None);
        assert_eq!(of_pool(0x40, 0x40), None);
        assert!(
            of_pool(0x40, 0x41)
                .unwrap()
                .message
                .ends_with("at offset 0 of a pool of 64 bytes, 1 past its end")
        );
        assert!(
            of_pool(0x3f, 1)
                .unwrap()
                .message
                .contains("does not start in its pool")
        );
        assert!(
            of_pool(0x80, 1)
                .unwrap()
                .message
                .contains("does not start in its pool")
        );
    }
}
