//! Accesses of the CPU: random programs against brute force, and what a host that protects pages would have watched.

use super::programs::Op;
use super::*;
use crate::trackers::stream_order::HostUse;

/// A block of page-locked memory.
fn pinned(number: usize) -> Block {
    Block {
        function: function("aclrtMallocHost").unwrap(),
        ..block(number)
    }
}

fn place(number: usize) -> AddressInfo {
    AddressInfo::Live(pinned(number), 0)
}

fn used(number: usize, writes: bool) -> RangeUse {
    RangeUse {
        address: pinned(number).address,
        size: SIZE,
        access: if writes { Access::Write } else { Access::Read },
    }
}

/// The accesses and calls that have a finding. Asserts that protected pages would have shown the same accesses.
fn judged_on_host(ops: &[Op]) -> HashSet<usize> {
    let mut detector = with_streams();
    let mut watched: Vec<HostUse> = Vec::new();
    let mut version = detector.host_version();
    let mut races = HashSet::new();
    for (at, &op) in ops.iter().enumerate() {
        let mut tell = |name: &str, values: &[u64]| {
            detector.called(&call(name, at), &Values::new(values), 0, THREAD, &Stage)
        };
        let event = |event: usize| event as u64 + 1;
        let found = match op {
            Op::Record { event: e, stream } => {
                tell("aclrtRecordEvent", &[event(e), handle(stream)])
            }
            Op::Wait { stream, event: e } => {
                tell("aclrtStreamWaitEvent", &[handle(stream), event(e)])
            }
            Op::Synchronize { stream } => tell("aclrtSynchronizeStream", &[handle(stream)]),
            Op::SynchronizeEvent { event: e } => tell("aclrtSynchronizeEvent", &[event(e)]),
            Op::SynchronizeDevice => tell("aclrtSynchronizeDevice", &[]),
            Op::Queue {
                stream,
                block: of,
                writes,
            } => {
                let run = call("aclopExecuteV2", at);
                detector.uses(&run, &used(of, writes), &place(of), handle(stream), THREAD);
                let found =
                    detector.called(&run, &Values::new(&[handle(stream)]), 0, THREAD, &Stage);
                let uses = detector.in_flight(pinned(of).address, &place(of));
                watched.retain(|known| known.block != pinned(of).id);
                watched.extend(uses);
                found
            }
            Op::Blocking { block: of, writes } => {
                let load = call(if writes { "store" } else { "load" }, at);
                let found = detector.host_access(&load, &used(of, writes), &place(of));
                let mut protected = watched.iter().filter(|used| used.block == pinned(of).id);
                let traps = protected.any(|used| writes || used.writes);
                assert_eq!(traps, found.is_some(), "{ops:?} at {at}");
                Vec::from_iter(found)
            }
            Op::Release { block: of } => {
                watched.retain(|used| used.block != pinned(of).id);
                detector.releasing(&call("aclrtFreeHost", at), &pinned(of), THREAD)
            }
            Op::ReleaseAfterDevice { block: of } => {
                watched.retain(|used| used.block != pinned(of).id);
                let free = call("aclrtFreeHostWithDevSync", at);
                detector.releasing(&free, &pinned(of), THREAD)
            }
            Op::Signal { .. } | Op::WaitForSignal { .. } => unreachable!("filtered out"),
        };
        if detector.host_version() != version {
            version = detector.host_version();
            watched.retain(|used| detector.is_in_flight(used));
        }
        if !found.is_empty() {
            races.insert(at);
        }
    }
    races
}

#[test]
fn the_cpu_races_exactly_where_some_interleaving_says_so_and_protection_shows_it() {
    let config = ProptestConfig {
        cases: 20_000,
        rng_seed: RngSeed::Fixed(0x9E37_79B9_7F4A_7C15),
        source_file: Some(file!()),
        ..ProptestConfig::default()
    };
    let counts = Cell::new((0, 0));
    let result = TestRunner::new(config).run(&program(), |ops| {
        let is_signal = |op: &Op| matches!(op, Op::Signal { .. } | Op::WaitForSignal { .. });
        let ops: Vec<Op> = ops.into_iter().filter(|op| !is_signal(op)).collect();
        let races = brute(&ops);
        let accesses = ops.iter().enumerate();
        let accesses = accesses.filter(|(_, op)| matches!(op, Op::Blocking { .. }));
        let (mut racy, mut clean) = counts.get();
        for (at, _) in accesses {
            match races.contains(&at) {
                true => racy += 1,
                false => clean += 1,
            }
        }
        counts.set((racy, clean));
        prop_assert_eq!(judged_on_host(&ops), races);
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    let (racy, clean) = counts.get();
    assert!(racy > 1_000 && clean > 1_000, "{racy} racy, {clean} clean");
}

#[test]
fn only_what_overlaps_conflicts_and_a_source_may_be_read() {
    let mut detector = with_streams();
    let block = pinned(0);
    let copy = Copy {
        to: 0x9_0000,
        room: 16,
        from: block.address + 32,
        count: 16,
    };
    let device = AddressInfo::Live(
        Block {
            address: 0x9_0000,
            id: BlockId(77),
            ..super::block(1)
        },
        0,
    );
    let queued = call("aclrtMemcpyAsync", 1);
    let places = [&device, &place(0)];
    assert!(
        detector
            .copy(&queued, &copy, places, handle(0), THREAD)
            .is_empty()
    );
    let uses = detector.in_flight(block.address, &place(0));
    assert_eq!(uses.len(), 1);
    assert_eq!(
        (uses[0].from, uses[0].to, uses[0].writes),
        (copy.from, copy.from + 16, false)
    );
    let mut access = |name: &str, offset: u64, access| {
        let used = RangeUse {
            address: block.address + offset,
            size: 1,
            access,
        };
        detector
            .host_access(&call(name, 2), &used, &place(0))
            .is_some()
    };
    assert!(!access("load", 40, Access::Read));
    assert!(access("store", 40, Access::Write));
    assert!(!access("store", 31, Access::Write) && !access("store", 48, Access::Write));
    assert!(access("store", 47, Access::Write));
    detector.called(
        &call("aclrtSynchronizeStream", 3),
        &Values::new(&[handle(0)]),
        0,
        THREAD,
        &Stage,
    );
    assert!(!detector.is_in_flight(&uses[0]));
    assert!(detector.in_flight(block.address, &place(0)).is_empty());
}
