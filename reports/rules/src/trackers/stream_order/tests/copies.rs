//! Copies that the host waits for, that the runtime waits in, or whose source is read immediately.

use super::*;
use aclsan_log::Mapping;

const ON: u64 = handle(0);
const OTHER: u64 = handle(1);
const HOST_TO_DEVICE: u32 = 1;
const THROUGH_BUFFER: u32 = 5;
/// Memory that nobody saw allocated.
const PAGEABLE: u64 = 0x9_0000;

/// Block 0 is the device's, block 1 pinned.
struct Mixed;

fn mixed(number: usize) -> Block {
    let made = ["aclrtMalloc", "aclrtMallocHost"][number];
    Block {
        function: function(made).unwrap(),
        ..block(number)
    }
}

impl HeapView for Mixed {
    fn place(&self, address: u64) -> AddressInfo {
        let mut all = (0..2).map(mixed);
        let found = all.find(|block| block.covers(address));
        found.map_or(AddressInfo::Unknown, |it| {
            AddressInfo::Live(it, address - it.address)
        })
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

struct Stand(RaceDetector);

impl Stand {
    fn new() -> Self {
        Self(with_streams())
    }

    fn fill(&mut self, stream: u64) {
        assert!(self.set("aclrtMemsetAsync", 0, stream).is_empty());
    }

    /// The rules that a fill of a block breaks.
    fn set(&mut self, name: &str, number: usize, stream: u64) -> Vec<&'static str> {
        let set = crate::evidence::operation::Memset {
            to: mixed(number).address,
            room: SIZE,
            count: SIZE,
            mapping: Mapping::Unknown,
        };
        let (fill, place) = (call(name, 1), Mixed.place(set.to));
        let found = self.0.set(&fill, &set, &place, stream, THREAD);
        found.iter().map(|finding| finding.rule.name).collect()
    }

    /// The rules that a copy breaks.
    fn copy(
        &mut self,
        name: &str,
        kind: u32,
        to: u64,
        from: u64,
        stream: u64,
    ) -> Vec<&'static str> {
        let copy = Copy {
            to,
            room: SIZE,
            from,
            count: SIZE,
        };
        let mut copying = call(name, 2);
        copying.argument = kind;
        let found = self.0.copy(
            &copying,
            &copy,
            [&Mixed.place(to), &Mixed.place(from)],
            stream,
            THREAD,
        );
        found.iter().map(|finding| finding.rule.name).collect()
    }

    fn release(&mut self, number: usize) -> Vec<&'static str> {
        let name = ["aclrtFree", "aclrtFreeHost"][number];
        let found = self.0.releasing(&call(name, 3), &mixed(number), THREAD);
        found.iter().map(|finding| finding.rule.name).collect()
    }
}

fn ends() -> (u64, u64) {
    (mixed(0).address, mixed(1).address)
}

#[test]
fn a_blocking_copy_waits_for_no_stream_and_leaves_nothing_behind() {
    let (device, pinned) = ends();
    let mut early = Stand::new();
    early.fill(ON);
    let found = early.copy("aclrtMemcpy", 2, pinned, device, 0);
    assert_eq!(found, ["read-before-sync"]);
    assert_eq!(
        early.release(0),
        ["free-in-flight"],
        "the fill is queued still"
    );
    let mut alone = Stand::new();
    assert!(alone.copy("aclrtMemcpy", 2, pinned, device, 0).is_empty());
    assert!(alone.release(0).is_empty() && alone.release(1).is_empty());
}

#[test]
fn a_copy_of_pageable_memory_waits_for_its_stream_and_one_of_pinned_memory_does_not() {
    let (device, pinned) = ends();
    for (from, stream, found) in [
        (PAGEABLE, ON, &[][..]),
        (PAGEABLE, OTHER, &["unordered-access"]),
        (pinned, ON, &[]),
    ] {
        let mut stand = Stand::new();
        stand.fill(ON);
        let reported = stand.copy("aclrtMemcpyAsync", HOST_TO_DEVICE, device, from, stream);
        assert_eq!(reported, found);
        match (from, stream) {
            (PAGEABLE, ON) => assert!(stand.release(0).is_empty()),
            _ => assert_eq!(stand.release(0), ["free-in-flight"]),
        }
    }
}

#[test]
fn what_is_copied_through_a_buffer_is_read_at_once_and_written_later() {
    let (device, pinned) = ends();
    for (kind, found) in [
        (THROUGH_BUFFER, &[][..]),
        (HOST_TO_DEVICE, &["host-buffer-reused-in-flight"]),
    ] {
        let mut stand = Stand::new();
        assert!(
            stand
                .copy("aclrtMemcpyAsync", kind, device, pinned, ON)
                .is_empty()
        );
        assert_eq!(stand.release(1), found);
        assert_eq!(stand.release(0), ["free-in-flight"]);
    }
    // Pageable memory is read immediately as well: nothing waits for the stream.
    let mut staged = Stand::new();
    assert!(
        staged
            .copy("aclrtMemcpyAsync", THROUGH_BUFFER, device, PAGEABLE, ON)
            .is_empty()
    );
    assert_eq!(staged.release(0), ["free-in-flight"]);
}

#[test]
fn a_fill_of_host_memory_is_done_at_the_call_whatever_its_stream() {
    let (device, pinned) = ends();
    for name in ["aclrtMemsetAsync", "aclrtMemsetD32Async"] {
        for stream in [ON, OTHER, 0] {
            let mut alone = Stand::new();
            assert!(alone.set(name, 1, stream).is_empty());
            assert!(alone.release(1).is_empty(), "nothing is queued");
            // After a queued copy it still runs before it, on the same stream too.
            let mut early = Stand::new();
            let sent = early.copy("aclrtMemcpyAsync", HOST_TO_DEVICE, device, pinned, ON);
            assert!(sent.is_empty());
            assert_eq!(early.set(name, 1, stream), ["host-buffer-reused-in-flight"]);
            // Before a copy that is queued later, it has completed.
            let mut before = Stand::new();
            assert!(before.set(name, 1, stream).is_empty());
            let sent = before.copy("aclrtMemcpyAsync", HOST_TO_DEVICE, device, pinned, OTHER);
            assert!(sent.is_empty());
        }
        let mut queued = Stand::new();
        assert!(queued.set(name, 0, ON).is_empty());
        assert_eq!(queued.release(0), ["free-in-flight"], "the device's is");
    }
}
