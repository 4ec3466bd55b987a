use std::rc::Rc;

use aclsan_fuzz_inputs::pickle::{Py, dict, dumps};
use aclsan_fuzz_inputs::torch_snapshot::*;

use super::*;

const BASE: i64 = 0x12c0_c000_0000;

fn example() -> Py {
    let load = stack(&[
        ("load", "/app/train.py", 31),
        ("<module>", "/app/train.py", 40),
    ]);
    let none = stack(&[]);
    let blocks = vec![
        block(BASE, (1024, 1000), "active_allocated", &load),
        block(BASE + 1024, (512, 0), "inactive", &none),
        block(
            BASE + 1536,
            (2_095_616, 2_095_000),
            "active_awaiting_free",
            &none,
        ),
    ];
    let trace = vec![
        entry("segment_alloc", BASE, 2 << 20, 1_000_000, &load),
        entry("alloc", BASE, 1000, 1_000_001, &load),
        entry("free_requested", BASE + 1024, 100, 1_000_002, &none),
        out_of_memory(1 << 40, 4096, 1_000_003, &load),
        entry("mystery", 0, 0, 1_000_004, &none),
    ];
    snapshot(
        vec![segment(BASE, 2 << 20, blocks, &load)],
        vec![trace, vec![]],
    )
}

#[test]
fn a_snapshot_of_every_protocol_by_hand() {
    for protocol in 2..=5 {
        let found = read(&dumps(&example(), protocol)).unwrap();
        let base = BASE as u64;
        let [segment] = found.segments.as_slice() else {
            panic!("{:?}", found.segments)
        };
        assert_eq!(
            (segment.address, segment.size, segment.device),
            (base, 2 << 20, 0)
        );
        let blocks: Vec<_> = (segment.blocks.iter())
            .map(|block| {
                (
                    block.address - base,
                    block.size,
                    block.requested,
                    block.state,
                )
            })
            .collect();
        assert_eq!(
            blocks,
            [
                (0, 1024, 1000, State::Allocated),
                (1024, 512, 0, State::Inactive),
                (1536, 2_095_616, 2_095_000, State::AwaitingFree),
            ]
        );
        let frames: Vec<_> = (found.stacks.frames(segment.blocks[0].stack))
            .map(|frame| (&*frame.function, &*frame.file, frame.line))
            .collect();
        assert_eq!(
            frames,
            [
                ("load", "/app/train.py", 31),
                ("<module>", "/app/train.py", 40)
            ]
        );
        // One stack, shared by the segment, its block and three entries.
        assert_eq!(segment.stack, segment.blocks[0].stack);
        assert_eq!(segment.blocks[1].stack, StackId::default());
        let actions: Vec<_> = (found.traces[0].iter())
            .map(|entry| (entry.action, entry.time_us, entry.size))
            .collect();
        assert_eq!(
            actions,
            [
                (Action::SegmentAlloc, 1_000_000, 2 << 20),
                (Action::Alloc, 1_000_001, 1000),
                (Action::FreeRequested, 1_000_002, 100),
                (Action::OutOfMemory, 1_000_003, 1 << 40),
                (Action::Other, 1_000_004, 0),
            ]
        );
        assert_eq!(found.traces[0][3].device_free, Some(4096));
        assert_eq!(found.traces.len(), 2);
        assert_eq!(found.unknown, ["action `mystery` of an entry"]);
        let setting = |name: &str| found.settings.iter().find(|(key, _)| key == name);
        assert_eq!(setting("max_split_size").unwrap().1, "-1");
        assert_eq!(setting("roundup_power2_divisions.1").unwrap().1, "0");
    }
}

#[test]
fn blocks_of_old_versions_follow_each_other() {
    let old = |size: i64, state: &str| dict([("size", size.into()), ("state", state.into())]);
    let segment = dict([
        ("device", 0.into()),
        ("address", BASE.into()),
        ("total_size", 3072.into()),
        (
            "blocks",
            Py::List(vec![
                old(1024, "active_allocated"),
                old(2048, "active_pending_free"),
            ]),
        ),
    ]);
    let found = read(&dumps(&Py::List(vec![segment]), 2)).unwrap();
    let blocks = &found.segments[0].blocks;
    assert_eq!(
        (blocks[1].address, blocks[1].requested),
        (BASE as u64 + 1024, 2048)
    );
    assert_eq!(blocks[1].state, State::AwaitingFree);
}

#[test]
fn what_is_no_snapshot_is_named() {
    let fault = |object: &Py| read(&dumps(object, 4)).unwrap_err().to_string();
    assert!(fault(&Py::Int(7)).starts_with("its pickle is a number: a memory snapshot"));
    assert!(fault(&dict([("weights", Py::None)])).contains("a dictionary without `segments`"));
    let one = |segment: Py| dict([("segments", Py::List(vec![segment]))]);
    assert!(fault(&one(dict([]))).starts_with("a segment has no `address`"));
    assert!(
        fault(&one("seg\u{1b}[2J".into()))
            .starts_with("`seg\\u{1b}[2J` is where a segment should be")
    );
    let negative = dict([("address", 0.into()), ("total_size", (-5).into())]);
    assert_eq!(
        fault(&one(negative)),
        "`total_size` of a segment: `-5` is no number from 0 to 2^64 − 1"
    );
}

#[test]
fn entries_that_a_short_file_repeats_are_refused() {
    let entry = Py::Shared(Rc::new(entry("alloc", BASE, 8, 1, &stack(&[]))));
    let trace = Py::Shared(Rc::new(Py::List(vec![entry; 1000])));
    let object = dict([
        ("segments", Py::List(vec![])),
        ("device_traces", Py::List(vec![trace; 100])),
    ]);
    assert_eq!(read(&dumps(&object, 4)).unwrap_err(), Error::Repeats);
}

#[test]
fn devices_that_no_machine_has_are_named() {
    let fault = |object: &Py| read(&dumps(object, 4)).unwrap_err().to_string();
    let traces = snapshot(vec![], vec![vec![]; 257]);
    assert_eq!(
        fault(&traces),
        "`device_traces` of the snapshot: `257` devices are more than any machine has"
    );
    let segment = dict([
        ("device", 256.into()),
        ("address", 0.into()),
        ("total_size", 1.into()),
    ]);
    assert_eq!(
        fault(&snapshot(vec![segment], vec![])),
        "`device` of a segment: `256` is no device: no machine has so many"
    );
}
