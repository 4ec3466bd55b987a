//! Records survive a round trip, and damage costs no more than the records it hit ([`damaged`]).

mod damaged;

use aclsan_log::builder::LogBuilder;
use aclsan_log::record::ByteSample;
use aclsan_log::{
    Access, BlockId, CallSiteId, Definition, Event, Mapping, PythonFrame, ScanGap, ScanOutcome,
    Values,
};

fn every_event() -> Vec<Event> {
    let (site, block) = (CallSiteId(1), BlockId::new(1, 0));
    vec![
        Event::Allocation {
            block,
            site,
            address: 0x1240_0000_0000,
            size: 1000,
        },
        Event::AllocationFailed {
            site,
            size: u64::MAX,
            status: 207_001,
        },
        Event::Release { block, site },
        Event::ReleaseAt {
            site,
            address: u64::MAX,
            mapping: Mapping::Heap,
        },
        Event::Refused {
            site,
            address: 1,
            status: -1,
        },
        Event::Copy {
            site,
            to: 1,
            room: 2,
            from: 3,
            count: 4,
            stream: 5,
        },
        Event::Copy2d {
            site,
            to: 1,
            to_pitch: 2,
            from: 3,
            from_pitch: 4,
            width: 5,
            height: 6,
            stream: 7,
        },
        Event::Set {
            site,
            to: 1,
            room: 2,
            value: -3,
            count: 4,
            stream: 5,
            mapping: Mapping::Image,
        },
        Event::Call {
            site,
            values: Values::new(&[1, u64::MAX]),
            status: 107_002,
        },
        Event::Use {
            site,
            address: 1,
            size: 2,
            access: Access::Both,
            stream: 3,
        },
        Event::Memory {
            site,
            free: 1,
            total: 2,
        },
        Event::Guard {
            block,
            slack: 56,
            guard: 512,
            front: 0,
        },
        Event::Guard {
            block,
            slack: 56,
            guard: 64,
            front: 2 << 20,
        },
        Event::Damage {
            block,
            site,
            offset: 1001,
            extent: 3,
            found: ByteSample::new(&[1, 2, 3]),
        },
        Event::Fence {
            block,
            slack: 32,
            guard: 504,
            taken: 2 << 20,
        },
        Event::Slow { block, ns: 12_345 },
        Event::Pointer {
            block,
            at: 0x7ffc_0000_1008,
            mapping: Mapping::Stack,
        },
        Event::LostObject {
            block,
            at: 0x5555_0000_1000,
            size: 40,
            class: 3,
        },
        Event::Gap {
            what: ScanGap::Mimalloc,
            count: 12,
        },
        Event::Scan {
            outcome: ScanOutcome::Cut,
            bytes: 1 << 40,
            ns: 9,
            threads: 3,
        },
        Event::Unwritten {
            block,
            site,
            offset: 16,
            extent: 512,
        },
        Event::Dropped { count: 9 },
        Event::Exit,
    ]
}

#[test]
fn every_event_comes_back_with_its_time_and_thread() {
    let mut builder = LogBuilder::default();
    builder.site("aclrtMalloc", 0, 0, &[0x5000, 0x4000, 0x7fff_0000_0000]);
    for (i, event) in every_event().into_iter().enumerate() {
        builder.at(1000 * i as u64).event(42, event);
    }
    let log = builder.log();
    let read: Vec<_> = log.events().collect();
    assert_eq!(
        read.iter().map(|timed| timed.event).collect::<Vec<_>>(),
        every_event()
    );
    assert!(
        read.iter()
            .enumerate()
            .all(|(i, timed)| timed.ns == 1000 * i as u64 && timed.tid == 42)
    );
    assert_eq!(log.function(CallSiteId(1)), "aclrtMalloc");
    assert_eq!(
        *log.site(CallSiteId(1)).frames,
        [0x5000, 0x4000, 0x7fff_0000_0000]
    );
}

#[test]
fn threads_are_merged_by_time() {
    let mut builder = LogBuilder::default();
    let site = builder.site("aclrtMalloc", 0, 0, &[]);
    for i in 0..20_000u64 {
        builder
            .at(i * 10)
            .allocation((i % 3) as u32, site, 0x1000_0000 + i * 512, i);
    }
    let log = builder.log();
    let sizes = log.events().map(|timed| match timed.event {
        Event::Allocation { size, .. } => size,
        other => panic!("{other:?}"),
    });
    assert!(sizes.eq(0..20_000));
}

#[test]
fn a_block_released_by_another_thread_long_after_is_named_right() {
    let mut builder = LogBuilder::default();
    let site = builder.site("aclrtMalloc", 0, 0, &[]);
    let first = builder.allocation(1, site, 0x1000, 1);
    let mut blocks: Vec<BlockId> = (0..30_000)
        .map(|i| builder.allocation(2, site, 0x10_0000 + i * 4096, 1))
        .collect();
    blocks.push(first);
    for (ns, &block) in (1..).zip(&blocks) {
        builder.at(ns).event(3, Event::Release { block, site });
    }
    blocks.push(blocks[0]);
    let block = blocks[0]; // allocated after thread 1's segment began
    builder
        .at(blocks.len() as u64)
        .event(1, Event::Release { block, site });
    let log = builder.log();
    let released: Vec<_> = log
        .events()
        .filter_map(|t| match t.event {
            Event::Release { block, .. } => Some(block),
            _ => None,
        })
        .collect();
    assert_eq!(released, blocks);
}

#[test]
fn an_odd_address_and_a_long_silence_are_kept_exactly() {
    let mut builder = LogBuilder::default();
    let site = builder.site("aclrtMallocHost", 0, 0, &[]);
    builder.at(1).allocation(1, site, 0x1001, 7);
    builder
        .at(1 << 40)
        .allocation(1, site, 0xffff_ffff_ffff_fff0, 1 << 60);
    builder.at((1 << 40) + 1).allocation(1, site, 0x10, 3);
    let read: Vec<_> = builder
        .log()
        .events()
        .map(|t| match t.event {
            Event::Allocation { address, size, .. } => (t.ns, address, size),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        read,
        [
            (1, 0x1001, 7),
            (1 << 40, 0xffff_ffff_ffff_fff0, 1 << 60),
            ((1 << 40) + 1, 0x10, 3)
        ]
    );
}

#[test]
fn addresses_as_far_apart_as_there_are_come_back() {
    let mut builder = LogBuilder::default();
    let site = builder.site("aclrtMalloc", 0, 0, &[]);
    let far = [
        0,
        1 << 57,
        (1 << 57) - 16,
        1 << 63,
        16,
        u64::MAX - 15,
        0,
        1 << 56,
    ];
    for address in far {
        builder.allocation(1, site, address, 1);
    }
    let log = builder.log();
    let read = log.events().map(|timed| match timed.event {
        Event::Allocation { address, .. } => address,
        other => panic!("{other:?}"),
    });
    assert!(read.eq(far));
}

#[test]
fn a_module_is_found_by_address_and_by_when() {
    let mut builder = LogBuilder::default();
    let module = |path: &str| Definition::Module {
        start: 0x1000,
        end: 0x2000,
        bias: 0x1000,
        build_id: vec![1],
        path: path.into(),
    };
    builder.define(module("old.so"));
    let early = builder.site("aclrtMalloc", 0, 0, &[0x1800]);
    builder
        .define(Definition::Unloaded { start: 0x1000 })
        .define(module("new.so"));
    let late = builder.site("aclrtMalloc", 0, 0, &[0x1800]);
    let log = builder.log();
    let path = |site| {
        log.module_at(0x1800, log.site(site).epoch)
            .map(|m| m.path.as_str())
    };
    assert_eq!((path(early), path(late)), (Some("old.so"), Some("new.so")));
    assert_eq!(log.module_at(0x2000, log.site(late).epoch), None);
}

#[test]
fn python_frames_are_named() {
    let mut builder = LogBuilder::default();
    let frame = PythonFrame { code: 3, line: 12 };
    builder.define(Definition::PythonCode {
        id: 3,
        function: "Model.load".into(),
        file: "/app/mödel.py".into(),
    });
    let site = builder.site("aclrtMalloc", 0, 0, &[0x1800, frame.address(), 0x1900]);
    let log = builder.log();
    assert_eq!(
        *log.site(site).frames,
        [0x1800, frame.address(), 0x1900],
        "they stand among return addresses"
    );
    assert_eq!(log.python(frame), Some(("Model.load", "/app/mödel.py")));
    assert_eq!(log.python(PythonFrame { code: 4, line: 12 }), None);
}

#[test]
fn texts_come_back_by_number() {
    let mut builder = LogBuilder::default();
    for (id, text) in [(1, "kv cache"), (u32::MAX, "ø, \u{1}"), (3, "")] {
        let text = text.to_owned();
        builder.define(Definition::Text { id, text });
    }
    let texts = builder.log().texts;
    assert_eq!(
        (texts[&1].as_str(), texts[&u32::MAX].as_str()),
        ("kv cache", "ø, \u{1}")
    );
    assert_eq!((texts.len(), texts.get(&2)), (3, None));
}
