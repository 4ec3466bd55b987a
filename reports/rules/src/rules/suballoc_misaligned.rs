//! `suballoc-misaligned`: a segment of a block is not aligned as its memory asks.
//!
//! ## What it reports
//! A part of a block whose start is not a multiple of 64, or of 128 in memory of
//! `acldvppMalloc` and `hi_mpi_dvpp_malloc`: one that the program or a framework
//! reported (`aclsan_pool_alloc`, mstx regions), and one of media memory that was given
//! to `aclCreateDataBuffer`. In the log also: parts of plain memory that a model is
//! executed on, and what a media unit wrote there at an address that is not a multiple
//! of 128 before a model reads it. A pool that promises more (`aclsan_pool_policy`) is
//! held to that.
//!
//! ## Why it matters
//! The runtime aligns blocks, but nothing aligns what is cut out of them. Vector units
//! and models read from the next lower multiple, or fault; the decoders write there.
//!
//! ## Example
//! ```c
//! acldvppMalloc(&pictures, 2 * 4096);
//! aclCreateDataBuffer(pictures + 3200 + 64, 3136);   // suballoc-misaligned
//! ```
//!
//! ## How to fix it
//! Round the start of each segment up to the alignment. Multiples of 128 suit all
//! interfaces and SoCs.
//!
//! ## What it cannot see
//! Segments that nobody reports. Data buffers of operators in plain memory, and
//! tensors: views start anywhere, and their operators know it. Host memory, which the
//! guide covers only where it is device memory as well. Managed and mapped memory. The
//! start of a block: that is `misaligned-block`.
//!
//! Source: *Secondary allocation of memory*, AscendCL application development guide, CANN
//! 8.0 and 8.1.

use crate::api::block::Block;
use crate::api::functions::Call;
use crate::evidence::diagram::diagram;
use crate::evidence::finding::{Earlier, Finding, rarely};
use crate::evidence::plural::bytes;
use crate::evidence::rule::{Rule, Severity};
use crate::evidence::suballocation::{Neighbors, PlacementRules, Segment, place_from};

/// `suballoc-misaligned`.
pub static RULE: Rule = Rule {
    name: "suballoc-misaligned",
    severity: Severity::Error,
    summary: "a segment of a block is not aligned as its memory asks",
    is_live: true,
    source: include_str!("suballoc_misaligned.rs"),
};

/// Checks a segment inside its block. `around` is asked for a finding alone.
pub fn check<'a>(
    call: &Call,
    segment: &Segment,
    block: &Block,
    around: impl FnOnce() -> Neighbors<'a>,
    placement: &PlacementRules,
) -> Option<Finding> {
    let offset = segment.address.checked_sub(block.address)?;
    let past = segment.address % placement.alignment;
    if past == 0 || offset == 0 {
        return None;
    }
    Some(rarely(|| {
        let message = format!(
            "`{}` has a segment of {} at offset {offset} of a block of {}, {past} past a multiple of {}",
            call.function.name,
            bytes(segment.size),
            bytes(block.size),
            placement.alignment
        );
        finding(call, segment, &around(), placement, message)
    }))
}

/// Checks what a media unit wrote and the model of `call` reads.
pub fn check_fed(
    call: &Call,
    segment: &Segment,
    around: &Neighbors,
    placement: &PlacementRules,
) -> Option<Finding> {
    let fed = PlacementRules {
        alignment: around
            .block
            .function
            .vendor()
            .media_alignment
            .max(placement.alignment),
        ..*placement
    };
    let past = segment.address % fed.alignment;
    if past == 0 || segment.address == around.block.address {
        return None;
    }
    let message = format!(
        "`{}` reads a segment of {} at offset {} of a block of {} that a media unit wrote, {past} past a multiple of {}",
        call.function.name,
        bytes(segment.size),
        segment.address - around.block.address,
        bytes(around.block.size),
        fed.alignment
    );
    Some(finding(call, segment, around, &fed, message).after(Earlier::Queued, segment.site))
}

fn finding(
    call: &Call,
    segment: &Segment,
    around: &Neighbors,
    placement: &PlacementRules,
    message: String,
) -> Finding {
    let block = around.block;
    let offset = segment.address - block.address;
    let mut found = Finding::new(&RULE, call.site, message).on(segment.address, block, offset);
    let (first, second) = match &around.before {
        Some(before) => (before, Some(segment)),
        None => (segment, around.behind.as_ref()),
    };
    found.details = diagram(block, Some(placement), first, second);
    let from = around.before.map_or(segment.address, |before| {
        segment
            .address
            .max(before.address.saturating_add(placement.taken(before.size)))
    });
    let until = around.behind.map_or(u64::MAX, |behind| behind.address);
    found
        .detail(placement.words(block))
        .detail(place_from(block, placement, from, until))
        .advise(
            "notices nothing: it knows the block alone",
            "round the start of every segment up to the alignment; 128 suits all interfaces",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::profile::Profile;
    use crate::evidence::testing::*;

    fn found(allocator: &str, offset: u64, before: Option<(u64, u64)>) -> Option<Finding> {
        let block = block(allocator, 0x1000, 4096);
        let at = |(offset, size)| Segment {
            address: 0x1000 + offset,
            size,
            site: HERE,
        };
        let around = Neighbors {
            block: &block,
            before: before.map(at),
            behind: None,
            room: None,
        };
        let placement = PlacementRules::of(&block, 0, &Profile::default())?;
        check(
            &call("aclsan_pool_alloc"),
            &at((offset, 100)),
            &block,
            || around,
            &placement,
        )
    }

    #[test]
    fn a_start_off_the_alignment_is_reported_with_the_next_valid_one() {
        let found = found("aclrtMalloc", 352, Some((0, 300))).unwrap();
        assert_eq!(
            found.message,
            "`aclsan_pool_alloc` has a segment of 100 bytes at offset 352 of a block of 4096 bytes, 32 past a multiple of 64"
        );
        assert_eq!(
            found.details.last().unwrap(),
            "the next valid start is offset 384, with room for 3712 bytes"
        );
        assert!(found.details[0].starts_with('|'), "{:?}", found.details);
    }

    #[test]
    fn media_memory_asks_for_128() {
        assert!(found("acldvppMalloc", 64, None).is_some());
        assert!(found("hi_mpi_dvpp_malloc", 192, None).is_some());
        assert!(found("aclrtMalloc", 64, None).is_none());
        assert!(found("acldvppMalloc", 128, None).is_none());
    }

    #[test]
    fn the_start_of_a_block_and_host_memory_are_silent() {
        assert!(found("aclrtMalloc", 0, None).is_none());
        assert!(found("aclrtMallocHost", 7, None).is_none());
    }

    #[test]
    fn what_a_model_reads_from_a_media_unit_asks_for_128_everywhere() {
        let block = device_block(0x1000, 4096);
        let around = Neighbors::none(&block);
        let placement = PlacementRules::of(&block, 0, &Profile::default()).unwrap();
        let at = |offset: u64| Segment {
            address: 0x1000 + offset,
            size: 64,
            site: SEGMENT_SITE,
        };
        let read = |offset| check_fed(&call("aclmdlExecute"), &at(offset), &around, &placement);
        let found = read(64).unwrap();
        assert!(
            found
                .message
                .contains("that a media unit wrote, 64 past a multiple of 128")
        );
        assert_eq!(found.earlier[0], (Earlier::Queued, SEGMENT_SITE));
        assert_eq!((read(128), read(0)), (None, None));
    }

    const SEGMENT_SITE: aclsan_log::CallSiteId = aclsan_log::CallSiteId(9);
}
