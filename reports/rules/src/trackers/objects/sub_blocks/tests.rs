use super::*;
use crate::api::block::End;
use crate::api::profile::Profile;
use crate::evidence::testing::*;

/// A block of 4 KiB at 0x1000.
struct One(Block);

impl HeapView for One {
    fn place(&self, address: u64) -> AddressInfo {
        match self.0.covers(address) {
            true => AddressInfo::Live(self.0, address - self.0.address),
            false => AddressInfo::Unknown,
        }
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

fn said(sub_blocks: &mut SubBlocks, name: &str, values: &[u64]) -> Vec<Finding> {
    said_in("aclrtMalloc", sub_blocks, name, values)
}

fn said_in(
    allocator: &str,
    sub_blocks: &mut SubBlocks,
    name: &str,
    values: &[u64],
) -> Vec<Finding> {
    let view = One(block(allocator, 0x1000, 4096));
    let mut found = Vec::new();
    sub_blocks.called(&call(name), &Values::new(values), 0, &view, &mut found);
    found
}

fn names(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|found| found.rule.name).collect()
}

#[test]
fn segments_of_a_pool_are_judged_when_they_are_announced() {
    let mut sub_blocks = SubBlocks::default();
    said(&mut sub_blocks, "aclsan_pool_create", &[1, 5, 0x1000, 4096]);
    assert!(said(&mut sub_blocks, "aclsan_pool_alloc", &[1, 0x1000, 320, 0]).is_empty());
    let found = said(&mut sub_blocks, "aclsan_pool_alloc", &[1, 0x1160, 64, 0]);
    assert_eq!(names(&found), ["suballoc-misaligned"]);
    assert!(found[0].details[1].starts_with("A: 320 bytes from offset 0"));
    let found = said(&mut sub_blocks, "aclsan_pool_alloc", &[1, 0x1fc0, 65, 0]);
    assert_eq!(names(&found), ["suballoc-out-of-block"]);
    assert!(said(&mut sub_blocks, "aclsan_pool_alloc", &[1, 0x1fc0, 64, 0]).is_empty());
}

#[test]
fn a_pools_promise_is_kept_to_and_its_range_too() {
    let mut sub_blocks = SubBlocks::default();
    said(&mut sub_blocks, "aclsan_pool_create", &[1, 5, 0x1000, 1024]);
    said(&mut sub_blocks, "aclsan_pool_policy", &[1, 512, 512]);
    assert_eq!(
        names(&said(
            &mut sub_blocks,
            "aclsan_pool_alloc",
            &[1, 0x1100, 64, 0]
        )),
        ["suballoc-misaligned"]
    );
    assert_eq!(
        names(&said(
            &mut sub_blocks,
            "aclsan_pool_alloc",
            &[1, 0x1200, 513, 0]
        )),
        ["suballoc-out-of-block"]
    );
    said(&mut sub_blocks, "aclsan_pool_destroy", &[1]);
    assert!(sub_blocks.segments.len() == 0);
}

#[test]
fn data_buffers_over_parts_are_segments_and_over_whole_blocks_are_not() {
    let mut sub_blocks = SubBlocks::default();
    let buffer = "aclCreateDataBuffer";
    assert!(said(&mut sub_blocks, buffer, &[9, 0x1000, 5000]).is_empty());
    assert_eq!(
        names(&said(&mut sub_blocks, buffer, &[10, 0x1040, 4096])),
        ["suballoc-out-of-block"]
    );
    assert_eq!(
        names(&said_in(
            "acldvppMalloc",
            &mut sub_blocks,
            buffer,
            &[11, 0x1020, 32]
        )),
        ["suballoc-misaligned"]
    );
    // Possibly an operator's slice.
    assert!(said(&mut sub_blocks, buffer, &[11, 0x1020, 32]).is_empty());
    assert_eq!(sub_blocks.segments.len(), 3);
    for handle in [9, 10, 11] {
        let remove = block(buffer, handle, 0);
        let view = One(remove);
        sub_blocks.releasing(
            &call("aclDestroyDataBuffer"),
            &remove,
            &view,
            &mut Vec::new(),
        );
    }
    assert!(sub_blocks.segments.len() == 0 && sub_blocks.starts.is_empty());
}

#[test]
fn a_buffer_in_an_annotated_segment_is_a_part_of_it() {
    let mut sub_blocks = SubBlocks::default();
    said(&mut sub_blocks, "aclsan_pool_alloc", &[1, 0x1040, 512, 0]);
    assert!(said(&mut sub_blocks, "aclCreateDataBuffer", &[9, 0x1044, 8]).is_empty());
    assert_eq!(
        said_in(
            "acldvppMalloc",
            &mut sub_blocks,
            "aclCreateDataBuffer",
            &[9, 0x1244, 8]
        )
        .len(),
        1
    );
}

#[test]
fn two_buffers_over_the_same_memory_are_forgotten_each_by_itself() {
    let mut sub_blocks = SubBlocks::default();
    for handle in [9, 10] {
        assert!(
            said(
                &mut sub_blocks,
                "aclCreateDataBuffer",
                &[handle, 0x1040, 64]
            )
            .is_empty()
        );
    }
    let first = block("aclCreateDataBuffer", 9, 0);
    sub_blocks.releasing(
        &call("aclDestroyDataBuffer"),
        &first,
        &One(first),
        &mut Vec::new(),
    );
    assert_eq!(sub_blocks.segments.len(), 1);
}

#[test]
fn mstx_regions_go_by_handle_or_address_and_careless_heaps_have_no_range() {
    let mut sub_blocks = SubBlocks::default();
    said(
        &mut sub_blocks,
        "mstxMemHeapRegister",
        &[1, 77, 0x1000, 64, 0],
    );
    assert!(
        said(
            &mut sub_blocks,
            "mstxMemRegionsRegister",
            &[1, 0, 0x1200, 512, 0, 5]
        )
        .is_empty()
    );
    assert!(
        said(
            &mut sub_blocks,
            "mstxMemRegionsRegister",
            &[1, 0, 0x1400, 512, 0, 0]
        )
        .is_empty()
    );
    said(&mut sub_blocks, "mstxMemRegionsUnregister", &[1, 1, 5]);
    said(&mut sub_blocks, "mstxMemRegionsUnregister", &[1, 0, 0x1400]);
    assert!(sub_blocks.segments.len() == 0);
    let found = said(
        &mut sub_blocks,
        "mstxMemRegionsRegister",
        &[1, 77, 0x1040, 64, 0, 0],
    );
    assert_eq!(names(&found), ["suballoc-out-of-block"]);
}

/// As [`One`], but no block is expected anywhere, so that each region is put to the rules.
struct Unexpected(One);

impl HeapView for Unexpected {
    fn place(&self, address: u64) -> AddressInfo {
        self.0.place(address)
    }

    fn block_at(&self, _: u64) -> Option<Block> {
        None
    }

    fn profile(&self) -> Profile {
        self.0.profile()
    }
}

/// Registers two regions, the first in the block `before`, the second in the block `now`; returns the findings and the regions kept.
fn after_a_region(
    is_expected: bool,
    [before, now]: [Block; 2],
    region: &[u64],
) -> (Vec<String>, Option<PoolSegment>, usize) {
    let (mut sub_blocks, mut found) = (SubBlocks::default(), Vec::new());
    for (block, values) in [(before, &[0, 0, 0x1040, 64, 0, 0][..]), (now, region)] {
        let view: Box<dyn HeapView> = match is_expected {
            true => Box::new(One(block)),
            false => Box::new(Unexpected(One(block))),
        };
        let (call, values) = (call("mstxMemRegionsRegister"), Values::new(values));
        sub_blocks.called(&call, &values, 0, &*view, &mut found);
    }
    let messages = found.into_iter().map(|found| found.message).collect();
    let segment = sub_blocks.pool_segment(&now);
    (messages, segment, sub_blocks.segments.len())
}

#[test]
fn a_region_in_the_block_of_the_one_before_is_judged_like_any_other() {
    let mut reported = 0;
    for allocator in ["aclrtMalloc", "acldvppMalloc", "aclrtMallocHost"] {
        let before = block(allocator, 0x1000, 4096);
        let (mut grown, mut another) = (before, before);
        (grown.size, another.id) = (0x2000, BlockId(77));
        let blocks = [before, grown, another].map(|now| [before, now]);
        let addresses = [
            0, 0xfc0, 0x1000, 0x1001, 0x1040, 0x1080, 0x1fc0, 0x2000, 0x2040,
        ];
        let regions = addresses.into_iter().flat_map(|address| {
            let sizes = [0, 1, 64, 65, 4096, u64::MAX];
            sizes
                .into_iter()
                .flat_map(move |size| [0, 9].map(|heap| [0, heap, address, size, 0, 0]))
        });
        for region in regions {
            for blocks in blocks {
                let [fast, slow] =
                    [true, false].map(|is_expected| after_a_region(is_expected, blocks, &region));
                assert_eq!(fast, slow, "{blocks:?} {region:x?}");
                reported += fast.0.len();
            }
        }
    }
    assert!(reported > 100, "{reported}");
}

/// The rules that speak when pool 1, of the block's first 4,096 bytes, takes back `address` after these parts were handed out and taken back.
fn taken_back(parts: &[(u64, u64)], back: &[u64], address: u64) -> Vec<&'static str> {
    let mut sub_blocks = SubBlocks::default();
    said(&mut sub_blocks, "aclsan_pool_create", &[1, 5, 0x1000, 4096]);
    for &(start, size) in parts {
        let handed_out = [1, start, size, 0];
        assert!(said(&mut sub_blocks, "aclsan_pool_alloc", &handed_out).is_empty());
    }
    for &start in back {
        assert!(said(&mut sub_blocks, "aclsan_pool_free", &[1, start, 0]).is_empty());
    }
    names(&said(&mut sub_blocks, "aclsan_pool_free", &[1, address, 0]))
}

#[test]
fn a_pool_takes_each_part_back_once_and_by_its_start() {
    let both = [(0x1000, 512), (0x1400, 512)];
    assert!(taken_back(&both, &[], 0x1400).is_empty());
    assert_eq!(taken_back(&both, &[0x1000], 0x1000), ["double-free"]);
    assert_eq!(taken_back(&both, &[], 0x1440), ["interior-free"]);
    assert_eq!(taken_back(&both, &[], 0x1800), ["invalid-free"]);
    // Outside of the pool: another one's.
    assert!(taken_back(&both, &[], 0x2000).is_empty());
}

#[test]
fn after_a_stop_nobody_knows_what_a_pool_has_handed_out() {
    let mut sub_blocks = SubBlocks::default();
    said(&mut sub_blocks, "aclsan_pool_create", &[1, 5, 0x1000, 4096]);
    sub_blocks.forget_segments();
    assert!(said(&mut sub_blocks, "aclsan_pool_free", &[1, 0x1000, 0]).is_empty());
}

#[test]
fn an_access_sees_the_part_that_is_out_or_was_taken_back() {
    let mut sub_blocks = SubBlocks::default();
    let parent = block("aclrtMalloc", 0x1000, 4096);
    let at = |address: u64| AddressInfo::Live(parent, address - 0x1000);
    said(&mut sub_blocks, "aclsan_pool_create", &[1, 5, 0x1000, 4096]);
    said(&mut sub_blocks, "aclsan_pool_alloc", &[1, 0x1000, 512, 0]);
    let AddressInfo::Live(part, 16) = sub_blocks.part(0x1010, 8, at(0x1010)) else {
        panic!("a live part");
    };
    assert_eq!((part.address, part.size, part.id), (0x1000, 512, parent.id));
    // Between parts, and all of the pool at once.
    assert_eq!(sub_blocks.part(0x1300, 8, at(0x1300)), at(0x1300));
    assert_eq!(sub_blocks.part(0x1000, 4096, at(0x1000)), at(0x1000));
    said(&mut sub_blocks, "aclsan_pool_free", &[1, 0x1000, 0]);
    let info = sub_blocks.part(0x1010, 8, at(0x1010));
    assert!(matches!(info, AddressInfo::Ended(_, 16, End::Released(_))));
    // Handed out again, in another size.
    said(&mut sub_blocks, "aclsan_pool_alloc", &[1, 0x1000, 64, 0]);
    assert_eq!(sub_blocks.part(0x1100, 8, at(0x1100)), at(0x1100));
}
