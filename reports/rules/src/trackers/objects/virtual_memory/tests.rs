//! Each wrong order, and the right one next to it; and what accesses touch.

use super::*;
use crate::api::profile::Profile;
use crate::evidence::access::{self, Shape, Side};
use crate::evidence::rule::Severity;
use crate::evidence::testing::*;
use crate::rules::vmm_order::*;

const RANGE: u64 = 0x1000_0000;

fn range() -> AddressInfo {
    AddressInfo::Live(block("aclrtReserveMemAddress", RANGE, 8 * PAGE), 0)
}

fn memory(size: u64) -> AddressInfo {
    AddressInfo::Live(block("aclrtMallocPhysical", 0x77, size), 0)
}

fn mapping(offset: u64, size: u64) -> Block {
    block("aclrtMapMem", RANGE + offset, size)
}

fn map(status: i32) -> Map {
    Map {
        address: RANGE,
        size: PAGE,
        status,
        target: range(),
        memory: memory(PAGE),
        over: None,
        is_mapped: false,
    }
}

fn mapped(map: &Map) -> Option<Finding> {
    check_map(&call("aclrtMapMem"), map)
}

#[test]
fn a_mapping_of_the_memorys_size_in_a_range_is_silent_even_when_refused() {
    assert_eq!(mapped(&map(0)), None);
    assert_eq!(mapped(&map(107000)), None);
}

#[test]
fn another_size_is_an_error_where_it_is_refused_and_a_warning_where_it_is_not() {
    for (status, severity) in [(0, Severity::Warning), (107000, Severity::Error)] {
        let found = mapped(&Map {
            memory: memory(2 * PAGE),
            ..map(status)
        })
        .unwrap();
        assert_eq!(found.severity, severity);
        assert_eq!(
            found.message,
            "`aclrtMapMem` was asked to map 2097152 bytes of memory that has 4194304 bytes"
        );
    }
}

#[test]
fn sizes_within_one_page_and_imported_memory_of_unknown_size_are_silent() {
    for size in [PAGE - 4096, 0] {
        assert_eq!(
            mapped(&Map {
                memory: memory(size),
                ..map(0)
            }),
            None
        );
    }
}

#[test]
fn a_mapping_over_another_is_reported_if_it_was_refused() {
    let over = Some(mapping(0, PAGE));
    assert!(
        mapped(&Map {
            over,
            ..map(507899)
        })
        .is_some()
    );
    assert_eq!(mapped(&Map { over, ..map(0) }), None);
}

#[test]
fn freed_memory_is_reported_unless_a_mapping_keeps_it() {
    let memory = ended(block("aclrtMallocPhysical", 0x77, PAGE), 0);
    let map = |is_mapped| Map {
        memory,
        is_mapped,
        ..map(107000)
    };
    assert!(mapped(&map(false)).is_some());
    assert_eq!(mapped(&map(true)), None);
}

#[test]
fn targets_that_are_no_range_are_reported_if_they_were_refused() {
    let targets = [
        AddressInfo::Live(block("aclrtReserveMemAddress", RANGE, PAGE), PAGE / 2),
        AddressInfo::Live(device_block(RANGE, 8 * PAGE), 0),
        ended(block("aclrtReserveMemAddress", RANGE, PAGE), 0),
    ];
    for target in targets {
        assert!(
            mapped(&Map {
                target,
                ..map(107000)
            })
            .is_some(),
            "{target:?}"
        );
        assert_eq!(mapped(&Map { target, ..map(0) }), None);
    }
    let target = AddressInfo::Unknown;
    assert_eq!(
        mapped(&Map {
            target,
            ..map(107000)
        }),
        None
    );
}

#[test]
fn an_unmap_inside_a_mapping_or_of_nothing_is_reported() {
    let call = call("aclrtUnmapMem");
    let inside = check_unmap(&call, RANGE + 64, Some(mapping(0, PAGE)), &range()).unwrap();
    assert!(inside.message.contains("64 bytes inside a mapping"));
    assert!(check_unmap(&call, RANGE, None, &range()).is_some());
    assert_eq!(check_unmap(&call, RANGE, None, &AddressInfo::Unknown), None);
}

#[test]
fn a_range_is_released_when_nothing_is_mapped_in_it() {
    let call = call("aclrtReleaseMemAddress");
    let range = block("aclrtReserveMemAddress", RANGE, 8 * PAGE);
    assert_eq!(check_release(&call, &range, &[]), None);
    let found = check_release(&call, &range, &[mapping(0, PAGE), mapping(PAGE, PAGE)]).unwrap();
    assert!(
        found
            .message
            .contains("2 mappings, 4194304 bytes in all, are left")
    );
}

#[test]
fn access_is_given_to_whole_mappings() {
    let access = |size, mapping| Access {
        address: RANGE,
        size,
        status: 107000,
        range: range(),
        mapping,
    };
    let call = call("aclrtMemSetAccess");
    let whole = Some(mapping(0, PAGE));
    assert_eq!(check_access(&call, &access(PAGE, whole)), None);
    assert!(check_access(&call, &access(2 * PAGE, whole)).is_some());
    assert!(check_access(&call, &access(PAGE, None)).is_some());
}

#[test]
fn a_copy_where_nothing_is_mapped_is_reported_and_in_a_mapping_is_not() {
    let call = call("aclrtMemcpy");
    let run = AddressInfo::Live(mapping(0, PAGE), 0);
    for (place, is_found) in [(range(), true), (run, false), (AddressInfo::Unknown, false)] {
        let access = access::Access {
            call: &call,
            side: Side::Written,
            address: RANGE,
            shape: Shape::Run(64),
            info: &place,
        };
        assert_eq!(check_reach(&access).is_some(), is_found);
    }
}

/// A process in which nothing else is known.
struct Empty;

impl HeapView for Empty {
    fn place(&self, _: u64) -> AddressInfo {
        AddressInfo::Unknown
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

fn with_mappings(blocks: &[Block]) -> VirtualMemory {
    let mut tracker = VirtualMemory::default();
    for block in blocks {
        tracker.made(&call("aclrtMapMem"), block, &Empty, &mut Vec::new());
    }
    tracker
}

fn unmap(tracker: &mut VirtualMemory, block: &Block) {
    tracker.releasing(&call("aclrtUnmapMem"), block, &Empty, &mut Vec::new());
}

#[test]
fn an_access_meets_the_whole_run_of_mappings_around_it() {
    let tracker = with_mappings(&[mapping(PAGE, PAGE), mapping(2 * PAGE, PAGE)]);
    let AddressInfo::Live(run, offset) = tracker.resolve(RANGE + 2 * PAGE + 7, range()) else {
        panic!("a live run");
    };
    assert_eq!((run.address, run.size), (RANGE + PAGE, 2 * PAGE));
    assert_eq!(offset, PAGE + 7);
    assert_eq!(tracker.resolve(RANGE, range()), range());
}

#[test]
fn an_access_meets_what_was_unmapped_or_reset_until_it_is_mapped_again() {
    let block = mapping(0, PAGE);
    let mut tracker = with_mappings(&[block]);
    unmap(&mut tracker, &block);
    let met = tracker.resolve(RANGE + 5, range());
    assert_eq!(met, AddressInfo::Ended(block, 5, End::Released(HERE)));
    tracker.on_release_failed(&block);
    assert_eq!(tracker.resolve(RANGE, range()), AddressInfo::Live(block, 0));
    tracker.reset(&call("aclrtResetDevice"), 0);
    assert_eq!(
        tracker.resolve(RANGE, range()),
        AddressInfo::Ended(block, 0, End::Reset(HERE))
    );
    tracker.made(&call("aclrtMapMem"), &block, &Empty, &mut Vec::new());
    assert_eq!(tracker.resolve(RANGE, range()), AddressInfo::Live(block, 0));
}

#[test]
fn memory_of_the_host_or_of_nobody_knows_where_is_unknown() {
    let block = Block {
        device: -1,
        ..mapping(0, PAGE)
    };
    let tracker = with_mappings(&[block]);
    assert_eq!(tracker.resolve(RANGE, range()), AddressInfo::Unknown);
}

#[test]
fn where_some_mappings_of_a_refused_call_may_have_been_made_nobody_knows() {
    let mut tracker = VirtualMemory::default();
    let (again, values) = (
        call("aclrtMemMapSelectedLink"),
        Values::new(&[RANGE, 2 * PAGE]),
    );
    let mut found = Vec::new();
    tracker.called(&again, &values, 107000, &Empty, &mut found);
    tracker.on_unknown_pointer(&call("aclrtUnmapMem"), RANGE + PAGE, &Empty, &mut found);
    assert!(found.is_empty());
    assert_eq!(tracker.resolve(RANGE + PAGE, range()), AddressInfo::Unknown);
    assert_eq!(tracker.resolve(RANGE + 2 * PAGE, range()), range());
}
