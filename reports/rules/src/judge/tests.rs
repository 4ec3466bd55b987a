//! Which rules report, and which stay silent because another one reports or because the runtime does nothing.

use super::*;
use crate::evidence::finding::Earlier;
use crate::evidence::recent_writers::WriterHints;
use crate::evidence::rule::Severity;
use crate::evidence::testing::*;
use aclsan_log::record::ByteSample;

const EP: Profile = Profile {
    padding: 32,
    shared_memory: false,
};

fn names(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.rule.name).collect()
}

fn live(size: u64) -> AddressInfo {
    AddressInfo::Live(device_block(0x1000, size), 0)
}

fn source() -> AddressInfo {
    AddressInfo::Live(block("aclrtMallocHost", 0x8000, 4096), 0)
}

fn host_to_device(room: u64, count: u64) -> Copy {
    Copy {
        to: 0x1000,
        room,
        from: 0x8000,
        count,
    }
}

fn copied(copy: &Copy, to: &AddressInfo, from: &AddressInfo) -> Vec<Finding> {
    super::copy(&call_with("aclrtMemcpyAsync", 1), copy, to, from, &EP)
}

#[test]
fn of_a_plain_release_no_rule_has_anything_to_say() {
    use crate::api::functions::FUNCTIONS;
    let mut plain = 0;
    for maker in FUNCTIONS {
        let Role::Allocate(_) = maker.role else {
            continue;
        };
        for releaser in FUNCTIONS {
            for (device, address) in [(0, 0x1000), (1, 0x1000), (-1, 0x1000), (0, 0)] {
                let made = block(maker.name, address, 64);
                let call = Call {
                    device,
                    ..call(releaser.name)
                };
                if is_plain_release(&call, &made) {
                    plain += 1;
                    let info = AddressInfo::Live(made, 0);
                    let found = release(&call, address, &info, Mapping::Unknown, &EP);
                    assert_eq!(found, None, "{} by {}", maker.name, releaser.name);
                }
            }
        }
    }
    assert!(plain > 10, "{plain}");
}

#[test]
fn each_release_has_one_finding_at_most() {
    let dvpp = AddressInfo::Live(block("acldvppMalloc", 0x1000, 64), 0);
    let inside = AddressInfo::Live(block("acldvppMalloc", 0x0ff8, 64), 8);
    for (address, info, mapping, expected) in [
        (0, AddressInfo::Unknown, Mapping::Unknown, Some("free-null")),
        (
            0x1000,
            dropped(device_block(0x1000, 64), 0),
            Mapping::Unknown,
            Some("free-after-reset"),
        ),
        (
            0x1000,
            ended(device_block(0x1000, 64), 0),
            Mapping::Unknown,
            Some("double-free"),
        ),
        (0x1000, inside, Mapping::Unknown, Some("interior-free")),
        (
            0x1000,
            AddressInfo::Unknown,
            Mapping::Stack,
            Some("invalid-free"),
        ),
        (0x1000, dvpp, Mapping::Unknown, Some("mismatched-free")),
        (0x1000, live(64), Mapping::Unknown, None),
        (0x1000, AddressInfo::Unknown, Mapping::Unknown, None),
    ] {
        let found = release(&call("aclrtFree"), address, &info, mapping, &EP);
        assert_eq!(found.map(|found| found.rule.name), expected);
    }
}

#[test]
fn a_copy_within_its_blocks_is_silent() {
    assert_eq!(
        copied(&host_to_device(4096, 4096), &live(4096), &source()),
        []
    );
}

#[test]
fn an_overrun_that_the_claim_lets_through_is_two_errors() {
    let found = copied(&host_to_device(256, 256), &live(128), &source());
    assert_eq!(names(&found), ["copy-overrun", "destmax-overstated"]);
    assert!(found.iter().all(|found| found.severity == Severity::Error));
}

#[test]
fn a_refused_copy_overruns_nothing_but_its_claim_stands() {
    let found = copied(&host_to_device(200, 256), &live(128), &source());
    assert_eq!(names(&found), ["destmax-overstated"]);
    assert_eq!(found[0].severity, Severity::Warning);
    assert_eq!(copied(&host_to_device(100, 256), &live(128), &source()), []);
}

#[test]
fn copies_that_do_nothing_are_silent() {
    let gone = ended(device_block(0x1000, 64), 0);
    assert_eq!(copied(&host_to_device(4096, 0), &gone, &gone), []);
    assert_eq!(copied(&host_to_device(4096, 0), &live(64), &source()), []);
    let onto_itself = Copy {
        from: 0x1000,
        ..host_to_device(64, 64)
    };
    assert_eq!(copied(&onto_itself, &gone, &gone), []);
}

#[test]
fn null_and_unknown_kinds_are_the_runtimes_to_refuse() {
    let gone = ended(device_block(0x1000, 64), 0);
    let from_null = Copy {
        from: 0,
        ..host_to_device(64, 64)
    };
    assert_eq!(copied(&from_null, &gone, &AddressInfo::Unknown), []);
    let call = call_with("aclrtMemcpy", 8);
    let copy = host_to_device(64, 64);
    assert_eq!(super::copy(&call, &copy, &gone, &source(), &EP), []);
}

#[test]
fn each_end_has_its_own_finding_and_an_ended_one_no_overrun() {
    let gone = ended(device_block(0x1000, 64), 0);
    let short = AddressInfo::Live(block("aclrtMallocHost", 0x8000, 64), 0);
    let found = copied(&host_to_device(256, 256), &gone, &short);
    assert_eq!(names(&found), ["copy-use-after-free", "copy-overread"]);
    let gone = dropped(device_block(0x1000, 64), 0);
    let found = copied(&host_to_device(256, 256), &gone, &source());
    assert_eq!(names(&found), ["use-after-reset"]);
}

#[test]
fn copies_of_unknown_memory_are_silent() {
    let unknown = AddressInfo::Unknown;
    let odd = Copy {
        to: 0x1001,
        room: 64,
        from: 0x1011,
        count: 64,
    };
    assert_eq!(copied(&odd, &unknown, &unknown), []);
}

#[test]
fn rows_are_judged_by_their_last_byte() {
    let rows = |height| Copy2d {
        to: 0x1000,
        to_pitch: 128,
        from: 0x8000,
        from_pitch: 64,
        width: 64,
        height,
    };
    let found = |height, kind| {
        let call = call_with("aclrtMemcpy2d", kind);
        copy_2d(&call, &rows(height), &live(4 * 128 - 64), &source(), &EP)
    };
    assert_eq!(found(4, 1), []);
    assert_eq!(names(&found(5, 1)), ["copy-overrun"]);
    assert_eq!(names(&found(65, 1)), ["copy-overrun"]);
    // host to host is refused for rows, and zero rows are none
    assert_eq!(found(5, 0), []);
    assert_eq!(found(0, 1), []);
}

#[test]
fn rows_that_the_runtime_refuses_are_silent() {
    let rows = Copy2d {
        to: 0x1000,
        to_pitch: 32,
        from: 0x8_0000_0000,
        from_pitch: 64,
        width: 64,
        height: 8,
    };
    let call = call_with("aclrtMemcpy2d", 1);
    assert_eq!(copy_2d(&call, &rows, &live(8), &source(), &EP), []);
    let many = Copy2d {
        to_pitch: 64,
        height: MAX_ASYNC_ROWS + 1,
        ..rows
    };
    let queued = call_with("aclrtMemcpy2dAsync", 1);
    assert_eq!(copy_2d(&queued, &many, &live(8), &source(), &EP), []);
    let found = copy_2d(&call, &many, &live(8), &source(), &EP);
    assert_eq!(names(&found), ["copy-overrun"]); // larger than either block
}

#[test]
fn rows_that_would_wrap_the_address_space_are_an_overrun() {
    let rows = Copy2d {
        to: 0x1000,
        to_pitch: u64::MAX / 2,
        from: 0x8000,
        from_pitch: 64,
        width: 64,
        height: 4,
    };
    let call = call_with("aclrtMemcpy2d", 1);
    let found = copy_2d(&call, &rows, &live(512), &source(), &EP);
    assert_eq!(names(&found), ["copy-overrun"]);
}

fn filled(name: &str, room: u64, count: u64, to: &AddressInfo, mapping: Mapping) -> Vec<Finding> {
    let set = Memset {
        to: 0x1000,
        room,
        count,
        mapping,
    };
    super::set(&call(name), &set, to, &EP)
}

#[test]
fn only_the_asynchronous_fill_is_held_to_its_claim() {
    let found = filled("aclrtMemset", 64, 256, &live(128), Mapping::Unknown);
    assert_eq!(names(&found), ["copy-overrun"]);
    let found = filled("aclrtMemsetAsync", 64, 256, &live(128), Mapping::Unknown);
    assert_eq!(found, []);
}

#[test]
fn both_fills_of_words_are_held_to_their_claim_and_to_four_bytes() {
    for name in ["aclrtMemsetD32", "aclrtMemsetD32Async"] {
        let found = filled(name, 64, 256, &live(128), Mapping::Unknown);
        assert_eq!(found, [], "{name}: less memSize than words");
        let found = filled(name, 256, 256, &live(128), Mapping::Unknown);
        assert_eq!(names(&found), ["copy-overrun", "destmax-overstated"]);
        let found = filled(name, 64, 64, &AddressInfo::Unknown, Mapping::Heap);
        assert_eq!(found, [], "{name}: refuses other memory");
        let (to, info) = (0x1002, AddressInfo::Live(device_block(0x1000, 128), 2));
        let odd = Memset {
            to,
            room: 126,
            count: 256,
            mapping: Mapping::Unknown,
        };
        assert_eq!(super::set(&call(name), &odd, &info, &EP), []);
    }
}

#[test]
fn releases_in_stream_order_and_plain_ones_take_each_others_blocks() {
    let pooled = AddressInfo::Live(block("aclrtMemPoolMallocAsync", 0x1000, 64), 0);
    let pinned = AddressInfo::Live(block("aclrtMallocHost", 0x1000, 64), 0);
    let rule = |name, info: &AddressInfo| {
        super::release(&call(name), 0x1000, info, Mapping::Unknown, &EP)
            .map(|finding| finding.rule.name)
    };
    assert_eq!(rule("aclrtMemPoolFreeAsync", &live(64)), None);
    assert_eq!(rule("aclrtMemPoolFreeAsync", &pooled), None);
    assert_eq!(rule("aclrtFree", &pooled), None);
    let mismatched = Some("mismatched-free");
    assert_eq!(rule("aclrtMemPoolFreeAsync", &pinned), mismatched);
    assert_eq!(rule("acldvppFree", &pooled), mismatched);
    // A pool that is destroyed with its blocks is judged by the race detector, which knows what is queued on them.
    assert_eq!(rule("aclrtMemPoolDestroy", &pooled), None);
}

#[test]
fn a_fill_of_a_whole_block_is_silent() {
    let found = filled("aclrtMemset", 128, 128, &live(128), Mapping::Unknown);
    assert_eq!(found, []);
}

#[test]
fn a_fill_of_the_process_own_memory_is_reported_unless_it_fills_nothing() {
    let found = |count| {
        filled(
            "aclrtMemset",
            64,
            count,
            &AddressInfo::Unknown,
            Mapping::Heap,
        )
    };
    assert_eq!(names(&found(64)), ["device-address-on-host"]);
    assert_eq!(found(0), []);
}

#[test]
fn damage_is_one_rules_or_the_others() {
    let block = device_block(0x1000, 1000);
    let found = |offset, extent| {
        let found = ByteSample::new(&[0; 4]);
        let run = Corruption {
            block: &block,
            slack: 24,
            offset,
            extent,
            found: &found,
            witness: &WriterHints::default(),
        };
        corruption(&call("aclrtFree"), &run).unwrap().rule.name
    };
    assert_eq!(found(1000, 24), "slack-write");
    assert_eq!(found(1000, 25), "guard-overrun");
    assert_eq!(found(1024, 1), "guard-overrun");
    assert_eq!(found(1u64.wrapping_neg(), 1), "guard-underrun");
}

#[test]
fn a_result_on_the_device_is_a_mistake_only_where_memory_is_apart() {
    let found = |profile| out_parameter(&call("aclrtMalloc"), 0x1000, &live(64), &profile);
    assert!(found(EP).is_some());
    let shared = Profile {
        shared_memory: true,
        ..EP
    };
    assert_eq!(found(shared), None);
}

#[test]
fn a_copy_onto_itself_overruns_nothing_but_its_claim_stands() {
    let onto_itself = Copy {
        from: 0x1000,
        ..host_to_device(256, 256)
    };
    let call = call_with("aclrtMemcpy", 3);
    let found = super::copy(&call, &onto_itself, &live(128), &live(128), &EP);
    assert_eq!(names(&found), ["destmax-overstated"]);
    assert_eq!(found[0].severity, Severity::Warning);
}

#[test]
fn earlier_events_stand_latest_first() {
    let found = set_again(&device_block(0x1000, 64), RESET_SITE, HERE).unwrap();
    let order: Vec<_> = found.earlier.iter().map(|(what, _)| *what).collect();
    assert_eq!(order, [Earlier::Reset, Earlier::Allocated]);
}

#[test]
fn sentences_have_no_addresses_and_no_full_stop() {
    let gone = ended(device_block(0x1000, 64), 0);
    let mut found = copied(&host_to_device(256, 256), &live(128), &gone);
    found.extend(copied(&host_to_device(256, 256), &gone, &live(8)));
    found.extend(allocation(&device_block(0x1001, 64), &EP));
    found.extend(out_parameter(&call("aclrtMalloc"), 0x1000, &live(64), &EP));
    found.extend(refused(&call("aclrtFree"), 0x1000, &live(64), 507899));
    for hold in [
        Reachability::Unknown,
        Reachability::Lost,
        Reachability::Reachable,
        Reachability::Cache,
    ] {
        let sum = (2, 128);
        let known = ((hold, Mapping::Unknown), None);
        found.extend(super::leak(&device_block(0x1000, 64), sum, None, known));
    }
    assert!(found.len() >= 11);
    for finding in found {
        for sentence in [&finding.message, &finding.runtime, &finding.instead] {
            assert!(
                !sentence.is_empty() && !sentence.ends_with('.'),
                "{sentence}"
            );
            assert!(!sentence.contains("0x"), "{sentence}");
        }
    }
}

mod sizes;
