//! What the rules cost: a fact that no rule reports, as nearly all are, and one that a rule does. `cargo bench -p aclsan-rules`.

use aclsan_log::{BlockId, CallSiteId, Mapping};
use aclsan_rules::api::block::{AddressInfo, Block};
use aclsan_rules::api::functions::{Call, function};
use aclsan_rules::api::profile::Profile;
use aclsan_rules::evidence::operation::{Copy, Memset};
use aclsan_rules::judge;
use aclsan_rules::trackers::stream_order::RaceDetector;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const STREAM: u64 = 0x100;
const THREAD: u32 = 1;

fn call(name: &str, argument: u32) -> Call {
    Call {
        function: function(name).expect("the call is known"),
        site: CallSiteId(1),
        argument,
        device: 0,
    }
}

fn block(id: u64, address: u64, name: &str) -> Block {
    Block::of(&call(name, 0), BlockId(id), address, 4096)
}

fn releases(criterion: &mut Criterion) {
    let (profile, free) = (Profile::default(), call("aclrtFree", 0));
    let device = AddressInfo::Live(block(1, 0x1000, "aclrtMalloc"), 0);
    let media = AddressInfo::Live(block(1, 0x1000, "acldvppMalloc"), 0);
    for (name, info) in [("release", device), ("mismatched-free", media)] {
        criterion.bench_function(name, |bench| {
            bench.iter(|| {
                judge::release(&free, 0x1000, black_box(&info), Mapping::Unknown, &profile)
            });
        });
    }
}

fn copies(criterion: &mut Criterion) {
    // `ACL_MEMCPY_DEVICE_TO_DEVICE`.
    let (profile, memcpy) = (Profile::default(), call("aclrtMemcpy", 3));
    let to = AddressInfo::Live(block(1, 0x1_0000, "aclrtMalloc"), 0);
    let from = AddressInfo::Live(block(2, 0x2_0000, "aclrtMalloc"), 0);
    for (name, count) in [("copy", 4096), ("copy-overrun", 4160)] {
        let copy = Copy {
            to: 0x1_0000,
            room: count,
            from: 0x2_0000,
            count,
        };
        criterion.bench_function(name, |bench| {
            bench.iter(|| judge::copy(&memcpy, black_box(&copy), &to, &from, &profile));
        });
    }
}

/// A queued fill of a block that its own stream filled before.
fn stream_order(criterion: &mut Criterion) {
    let mut detector = RaceDetector::default();
    let stream = block(9, STREAM, "aclrtCreateStream");
    detector.made(&call("aclrtCreateStream", 0), &stream);
    let memset = call("aclrtMemsetAsync", 0);
    let target = AddressInfo::Live(block(1, 0x1_0000, "aclrtMalloc"), 0);
    let fill = Memset {
        to: 0x1_0000,
        room: 4096,
        count: 4096,
        mapping: Mapping::Unknown,
    };
    criterion.bench_function("queued fill", |bench| {
        bench.iter(|| detector.set(&memset, black_box(&fill), &target, STREAM, THREAD));
    });
}

criterion_group!(benches, releases, copies, stream_order);
criterion_main!(benches);
