use super::*;
use aclsan_log::{BlockId, CallSiteId};
use aclsan_rules::api::functions::function;

const M: u64 = 1 << 20;

fn block(allocator: &str, address: u64, size: u64) -> Block {
    Block {
        id: BlockId(1),
        address,
        size,
        function: function(allocator).unwrap(),
        site: CallSiteId(1),
        device: 0,
    }
}

fn extent(allocator: &str, policy: u32, address: u64, size: u64) -> Extent {
    Extent::of(
        &block(allocator, address, size),
        policy,
        0,
        &Profile::default(),
    )
    .unwrap()
}

fn huge(address: u64, size: u64) -> Extent {
    extent("aclrtMalloc", 1, address, size)
}

#[test]
fn the_page_class_follows_policy_and_rounded_size() {
    // 1 MiB − 32 is rounded and padded to 1 MiB sharp, which is not above it; one byte more passes the cliff.
    for (policy, size, page) in [
        (0, M - 32, Page::Normal),
        (0, M - 31, Page::Huge),
        (1, 1, Page::Huge),
        (2, 64 * M, Page::Normal),
        (3, 2 * M, Page::Huge),
        (4, 1, Page::Huge),
        (5, 64 * M, Page::Normal),
        (6, 1, Page::Giant),
        (7, 1, Page::Giant),
    ] {
        assert_eq!(
            extent("aclrtMalloc", policy, 0, size).page,
            page,
            "policy {policy}, {size} bytes"
        );
    }
    // No padding here: 1 MiB stays below the cliff.
    assert_eq!(extent("aclrtMallocAlign32", 0, 0, M).page, Page::Normal);
    // DVPP has no policy: whatever the site's argument means, it is not one.
    assert_eq!(extent("acldvppMalloc", 1, 0, 100).page, Page::Normal);
}

#[test]
fn rounding_follows_the_function() {
    // ALIGN_UP(1000, 32) = 1024, + 32 where the call pads.
    assert_eq!(extent("aclrtMalloc", 0, 0, 1000).rounded, 1056);
    assert_eq!(extent("aclrtMallocWithCfg", 0, 0, 1000).rounded, 1024);
    assert_eq!(extent("acldvppMalloc", 0, 0, 1000).rounded, 1056);
    assert_eq!(extent("aclrtMalloc", 6, 0, 1000).rounded, 1024);
    assert_eq!(
        Extent::of(
            &block("aclrtMallocHost", 0, 1000),
            0,
            0,
            &Profile::default()
        ),
        None
    );
}

#[test]
fn a_guard_can_push_a_block_over_the_cliff() {
    let block = block("aclrtMalloc", 0, M - 64);
    let guarded = Extent::of(&block, 0, 512, &Profile::default()).unwrap();
    assert_eq!((guarded.page, guarded.asked), (Page::Huge, M - 64));
}

#[test]
fn holes_are_counted_as_one_would_by_hand() {
    // Pages of 2 MiB, blocks of 3 MiB + rounding: 4 MiB each. Layout in MiB:
    //   0..4 block, 4..8 hole (4), 8..12 block, 12..112 hole (100), 112..116 block
    // F = 104, L = 100: 1 − 100/104. Too small for 2M: none; for 64M: the hole of 4; for 512M: both.
    let space = Space::of(vec![
        huge(112 * M, 3 * M),
        huge(0, 3 * M),
        huge(8 * M, 3 * M),
    ]);
    assert_eq!((space.blocks, space.holes, space.spans), (3, 2, 1));
    assert_eq!(space.usual_holes, 1); // half of 3, rounded down
    assert_eq!(space.asked_bytes, 9 * M);
    assert_eq!(space.rounded_bytes, 9 * M + 3 * 32);
    assert_eq!(space.page_bytes, 12 * M);
    assert_eq!(space.slack_bytes, 3 * M);
    assert_eq!(space.free_bytes, 104 * M);
    assert_eq!(space.largest_hole_bytes, 100 * M);
    assert_eq!(space.span_bytes, 116 * M);
    assert_eq!(space.index, 1.0 - 100.0 / 104.0);
    let shares: Vec<f64> = space
        .unusable
        .iter()
        .map(|unusable| unusable.share)
        .collect();
    assert_eq!(shares, [0.0, 4.0 / 104.0, 1.0]);
}

#[test]
fn a_gap_above_one_gibibyte_is_another_span_and_no_hole() {
    let gib = 1 << 30;
    // The first block's page ends at 2 MiB; a gap of exactly 1 GiB is still a hole.
    let near = Space::of(vec![huge(0, 1), huge(gib + 2 * M, 1)]);
    assert_eq!((near.spans, near.holes, near.free_bytes), (1, 1, gib));
    let far = Space::of(vec![huge(0, 1), huge(gib + 4 * M, 1)]);
    assert_eq!((far.spans, far.holes, far.free_bytes), (2, 0, 0));
    assert_eq!((far.index, far.span_bytes), (0.0, 4 * M));
}

#[test]
fn small_blocks_in_one_page_share_it() {
    // 100 bytes are rounded to 128 + 32; all three starts are in the page 0x1000..0x2000.
    let space = Space::of(
        (0..3)
            .map(|n| extent("aclrtMalloc", 0, 0x1000 + n * 512, 100))
            .collect(),
    );
    assert_eq!((space.page_bytes, space.holes), (4096, 0));
    assert_eq!(space.slack_bytes, 4096 - 300);
}

#[test]
fn nothing_and_nonsense_have_a_layout_too() {
    assert_eq!(Space::of(Vec::new()).index, 0.0);
    let space = Space::of(vec![
        huge(u64::MAX, u64::MAX),
        huge(u64::MAX - 1, 1),
        huge(0, 1),
    ]);
    assert_eq!(space.blocks, 3);
}
