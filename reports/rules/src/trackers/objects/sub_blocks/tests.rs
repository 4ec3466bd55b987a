use super::*;
use crate::api::profile::Profile;
use crate::evidence::testing::*;

/// A block of 4 KiB at 0x1000.
struct One(Block);

impl Scene for One {
    fn place(&self, address: u64) -> Place {
        match self.0.covers(address) {
            true => Place::Live(self.0, address - self.0.address),
            false => Place::Unknown,
        }
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

fn said(carved: &mut Carved, name: &str, values: &[u64]) -> Vec<Finding> {
    said_in("aclrtMalloc", carved, name, values)
}

fn said_in(allocator: &str, carved: &mut Carved, name: &str, values: &[u64]) -> Vec<Finding> {
    let scene = One(block(allocator, 0x1000, 4096));
    let mut found = Vec::new();
    carved.called(&call(name), &Values::new(values), 0, &scene, &mut found);
    found
}

fn names(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|found| found.rule.name).collect()
}

#[test]
fn segments_of_a_pool_are_judged_when_they_are_told() {
    let mut carved = Carved::default();
    said(&mut carved, "aclsan_pool_create", &[1, 5, 0x1000, 4096]);
    assert!(said(&mut carved, "aclsan_pool_alloc", &[1, 0x1000, 320, 0]).is_empty());
    let found = said(&mut carved, "aclsan_pool_alloc", &[1, 0x1160, 64, 0]);
    assert_eq!(names(&found), ["suballoc-misaligned"]);
    assert!(found[0].details[1].starts_with("A: 320 bytes from offset 0"));
    let found = said(&mut carved, "aclsan_pool_alloc", &[1, 0x1fc0, 65, 0]);
    assert_eq!(names(&found), ["suballoc-out-of-block"]);
    assert!(said(&mut carved, "aclsan_pool_alloc", &[1, 0x1fc0, 64, 0]).is_empty());
}

#[test]
fn a_pools_promise_is_kept_to_and_its_range_too() {
    let mut carved = Carved::default();
    said(&mut carved, "aclsan_pool_create", &[1, 5, 0x1000, 1024]);
    said(&mut carved, "aclsan_pool_policy", &[1, 512, 512]);
    assert_eq!(
        names(&said(&mut carved, "aclsan_pool_alloc", &[1, 0x1100, 64, 0])),
        ["suballoc-misaligned"]
    );
    assert_eq!(
        names(&said(
            &mut carved,
            "aclsan_pool_alloc",
            &[1, 0x1200, 513, 0]
        )),
        ["suballoc-out-of-block"]
    );
    said(&mut carved, "aclsan_pool_destroy", &[1]);
    assert!(carved.segments.is_empty());
}

#[test]
fn data_buffers_over_parts_are_segments_and_over_whole_blocks_are_not() {
    let mut carved = Carved::default();
    let buffer = "aclCreateDataBuffer";
    assert!(said(&mut carved, buffer, &[9, 0x1000, 5000]).is_empty());
    assert_eq!(
        names(&said(&mut carved, buffer, &[10, 0x1040, 4096])),
        ["suballoc-out-of-block"]
    );
    assert_eq!(
        names(&said_in(
            "acldvppMalloc",
            &mut carved,
            buffer,
            &[11, 0x1020, 32]
        )),
        ["suballoc-misaligned"]
    );
    // An operator's slice, maybe.
    assert!(said(&mut carved, buffer, &[11, 0x1020, 32]).is_empty());
    assert_eq!(carved.segments.len(), 3);
    for handle in [9, 10, 11] {
        let gone = block(buffer, handle, 0);
        let scene = One(gone);
        carved.releasing(
            &call("aclDestroyDataBuffer"),
            &gone,
            &scene,
            &mut Vec::new(),
        );
    }
    assert!(carved.segments.is_empty() && carved.starts.is_empty());
}

#[test]
fn a_buffer_in_a_segment_that_was_told_of_is_a_part_of_it() {
    let mut carved = Carved::default();
    said(&mut carved, "aclsan_pool_alloc", &[1, 0x1040, 512, 0]);
    assert!(said(&mut carved, "aclCreateDataBuffer", &[9, 0x1044, 8]).is_empty());
    assert_eq!(
        said_in(
            "acldvppMalloc",
            &mut carved,
            "aclCreateDataBuffer",
            &[9, 0x1244, 8]
        )
        .len(),
        1
    );
}

#[test]
fn two_buffers_over_the_same_memory_are_forgotten_each_by_itself() {
    let mut carved = Carved::default();
    for handle in [9, 10] {
        assert!(said(&mut carved, "aclCreateDataBuffer", &[handle, 0x1040, 64]).is_empty());
    }
    let first = block("aclCreateDataBuffer", 9, 0);
    carved.releasing(
        &call("aclDestroyDataBuffer"),
        &first,
        &One(first),
        &mut Vec::new(),
    );
    assert_eq!(carved.segments.len(), 1);
}

#[test]
fn mstx_regions_go_by_handle_or_address_and_careless_heaps_have_no_range() {
    let mut carved = Carved::default();
    said(&mut carved, "mstxMemHeapRegister", &[1, 77, 0x1000, 64, 0]);
    assert!(
        said(
            &mut carved,
            "mstxMemRegionsRegister",
            &[1, 0, 0x1200, 512, 0, 5]
        )
        .is_empty()
    );
    assert!(
        said(
            &mut carved,
            "mstxMemRegionsRegister",
            &[1, 0, 0x1400, 512, 0, 0]
        )
        .is_empty()
    );
    said(&mut carved, "mstxMemRegionsUnregister", &[1, 1, 5]);
    said(&mut carved, "mstxMemRegionsUnregister", &[1, 0, 0x1400]);
    assert!(carved.segments.is_empty());
    let found = said(
        &mut carved,
        "mstxMemRegionsRegister",
        &[1, 77, 0x1040, 64, 0, 0],
    );
    assert_eq!(names(&found), ["suballoc-out-of-block"]);
}
