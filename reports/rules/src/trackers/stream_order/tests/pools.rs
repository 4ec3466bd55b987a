//! Memory that a pool moves from one stream to another, by each attribute and by none.

use super::*;

const MIB: u64 = 1 << 20;
const POOL: u64 = 0x900;
const START: u64 = 0x4000_0000;

/// A scene in which each address of a block of the pool begins one, whose number is the turn.
struct Pooled(std::cell::Cell<(u64, u64)>);

impl HeapView for Pooled {
    fn place(&self, address: u64) -> AddressInfo {
        let (start, turn) = self.0.get();
        if address == block(0).address {
            return AddressInfo::Live(block(0), 0);
        }
        match address == start {
            true => AddressInfo::Live(pooled(start, turn), 0),
            false => AddressInfo::Unknown,
        }
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

fn pooled(address: u64, turn: u64) -> Block {
    Block {
        address,
        size: 3 * MIB,
        id: BlockId(100 + turn),
        function: function("aclrtMemPoolMallocAsync").unwrap(),
        ..block(0)
    }
}

struct Stand {
    detector: RaceDetector,
    view: Pooled,
}

impl Stand {
    fn new() -> Self {
        let mut detector = RaceDetector::default();
        for stream in 0..2 {
            let made = Block {
                address: handle(stream),
                function: function("aclrtCreateStream").unwrap(),
                ..block(0)
            };
            detector.made(&call("aclrtCreateStream", 0), &made);
        }
        let view = Pooled(std::cell::Cell::new((0, 0)));
        Self { detector, view }
    }

    fn called(&mut self, name: &str, values: &[u64]) -> usize {
        let values = Values::new(values);
        let call = call(name, 3);
        let found = self.detector.called(&call, &values, 0, THREAD, &self.view);
        found.len()
    }

    /// `turn` counts blocks from 1.
    fn allocate(&mut self, turn: u64, address: u64, stream: usize) {
        self.view.0.set((address, turn));
        let values = [address, 3 * MIB, POOL, handle(stream)];
        self.called("aclrtMemPoolMallocAsync", &values);
    }

    fn free(&mut self, turn: u64, address: u64, stream: usize) {
        let free = call("aclrtMemPoolFreeAsync", 2);
        self.detector
            .releasing(&free, &pooled(address, turn), THREAD);
        let values = [address, handle(stream)];
        self.called("aclrtMemPoolFreeAsync", &values);
    }

    /// How much is found in a write or a read of the plain block.
    fn touch(&mut self, stream: usize, access: Access) -> usize {
        let used = RangeUse {
            address: block(0).address,
            size: SIZE,
            access,
        };
        let run = call("aclopExecuteV2", 3);
        self.detector.uses(
            &run,
            &used,
            &self.view.place(used.address),
            handle(stream),
            THREAD,
        );
        self.called("aclopExecuteV2", &[handle(stream)])
    }
}

/// A write on stream 0 before a block is freed there, a read on stream 1 after `address` is allocated there: whether a
/// race is found.
fn is_found(attributes: &[(u64, u64)], address: u64) -> bool {
    let mut stand = Stand::new();
    for &(attribute, value) in attributes {
        stand.called("aclrtMemPoolSetAttr", &[POOL, attribute, value]);
    }
    stand.allocate(1, START, 0);
    stand.touch(0, Access::Write);
    stand.free(1, START, 0);
    stand.allocate(2, address, 1);
    stand.touch(1, Access::Read) > 0
}

#[test]
fn an_allocation_is_after_the_release_only_where_an_attribute_promises_it() {
    let (follow, opportunistic, internal) = (1, 2, 3);
    assert!(is_found(&[], START));
    assert!(is_found(&[(follow, 1)], START), "no event, no edge");
    assert!(!is_found(&[(opportunistic, 1)], START));
    assert!(!is_found(&[(internal, 1)], START));
    assert!(is_found(&[(internal, 1), (internal, 0)], START));
    assert!(!is_found(
        &[(internal, 1), (opportunistic, 1), (internal, 0)],
        START
    ));
}

#[test]
fn other_memory_of_the_pool_brings_no_order() {
    // 3 MiB take two pages of 2 MiB: the second page is the block's, the third is not.
    assert!(!is_found(&[(3, 1)], START + 2 * MIB));
    assert!(is_found(&[(3, 1)], START + 4 * MIB));
}

#[test]
fn a_release_at_once_is_found_while_work_is_queued_and_not_for_the_allocation_alone() {
    for (is_used, is_awaited) in [(true, false), (true, true), (false, false)] {
        let mut stand = Stand::new();
        stand.allocate(1, START, 0);
        if is_used {
            let set = crate::evidence::operation::Memset {
                to: START,
                room: SIZE,
                count: SIZE,
                mapping: aclsan_log::Mapping::Unknown,
            };
            let fill = call("aclrtMemsetAsync", 3);
            stand
                .detector
                .set(&fill, &set, &stand.view.place(set.to), handle(0), THREAD);
        }
        if is_awaited {
            stand.called("aclrtSynchronizeStream", &[handle(0)]);
        }
        let free = call("aclrtFree", 2);
        let found = stand.detector.releasing(&free, &pooled(START, 1), THREAD);
        let names: Vec<_> = found.iter().map(|found| found.rule.name).collect();
        match is_used && !is_awaited {
            true => assert_eq!(names, ["free-in-flight"]),
            false => assert!(names.is_empty(), "{names:?}"),
        }
    }
}

#[test]
fn what_is_captured_is_the_graphs_and_brings_nothing_to_judge() {
    let mut stand = Stand::new();
    stand.called("aclmdlRICaptureBegin", &[handle(0), 0]);
    stand.allocate(1, START, 0);
    stand.touch(0, Access::Write);
    stand.free(1, START, 0);
    stand.called("aclmdlRICaptureEnd", &[handle(0), 0x700]);
    assert_eq!(stand.touch(1, Access::Read), 0, "nothing has run");
}

#[test]
fn a_graph_owns_what_was_allocated_in_it_and_uses_what_was_there_before() {
    for is_inside in [true, false] {
        let mut stand = Stand::new();
        if !is_inside {
            stand.allocate(1, START, 0);
            stand.called("aclrtSynchronizeStream", &[handle(0)]);
        }
        stand.called("aclmdlRICaptureBegin", &[handle(0), 0]);
        if is_inside {
            stand.allocate(1, START, 0);
        }
        let set = crate::evidence::operation::Memset {
            to: START,
            room: SIZE,
            count: SIZE,
            mapping: aclsan_log::Mapping::Unknown,
        };
        let fill = call("aclrtMemsetAsync", 3);
        let found = stand
            .detector
            .set(&fill, &set, &stand.view.place(set.to), handle(0), THREAD);
        assert!(found.is_empty());
        stand.called("aclmdlRICaptureEnd", &[handle(0), 0x700]);
        stand.called("aclmdlRIExecuteAsync", &[0x700, handle(1)]);
        let free = call("aclrtFree", 2);
        let found = stand.detector.releasing(&free, &pooled(START, 1), THREAD);
        let names: Vec<_> = found.iter().map(|found| found.rule.name).collect();
        match is_inside {
            true => assert!(names.is_empty(), "{names:?}"),
            false => assert_eq!(names, ["free-in-flight"]),
        }
    }
}

/// Findings about fills of one block: on the stream of its allocation, then on another, which waits for nothing, for the allocation or
/// for the fill, too.
fn fills(waits_for: Option<bool>) -> Vec<&'static str> {
    let mut stand = Stand::new();
    stand.allocate(1, START, 0);
    let fill = crate::evidence::operation::Memset {
        to: START,
        room: SIZE,
        count: SIZE,
        mapping: aclsan_log::Mapping::Unknown,
    };
    let (call, place) = (call("aclrtMemsetAsync", 6), stand.view.place(START));
    let mut found = Vec::new();
    for is_fill in [false, true] {
        if is_fill {
            found.extend(stand.detector.set(&call, &fill, &place, handle(0), THREAD));
        }
        if waits_for == Some(is_fill) {
            stand.called("aclrtRecordEvent", &[1, handle(0)]);
            stand.called("aclrtStreamWaitEvent", &[handle(1), 1]);
        }
    }
    found.extend(stand.detector.set(&call, &fill, &place, handle(1), THREAD));
    found.iter().map(|finding| finding.rule.name).collect()
}

#[test]
fn a_block_that_may_not_be_there_yet_is_reported_before_what_was_done_in_it_since() {
    assert_eq!(fills(None), ["use-before-alloc"]);
    assert_eq!(fills(Some(false)), ["unordered-access"]); // it waits for the allocation alone
    assert!(fills(Some(true)).is_empty());
}
