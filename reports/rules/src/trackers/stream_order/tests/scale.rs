//! State grows with live blocks and streams, not with queued work.

use super::*;

const MANY: u64 = 64;
const LIVE: u64 = 256;
const OPERATIONS: u64 = 1_000_000;

struct Blocks(std::cell::RefCell<Vec<Block>>);

impl HeapView for Blocks {
    fn place(&self, address: u64) -> AddressInfo {
        let index = (address / 0x1000) as usize;
        match self.0.borrow().get(index.wrapping_sub(1)) {
            Some(block) if block.covers(address) => {
                AddressInfo::Live(*block, address - block.address)
            }
            _ => AddressInfo::Unknown,
        }
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

#[test]
fn sixty_four_streams_and_a_million_operations_are_kept_in_what_is_live() {
    let mut detector = RaceDetector::default();
    for stream in 0..MANY {
        let made = Block {
            address: handle(stream as usize),
            function: function("aclrtCreateStream").unwrap(),
            ..block(0)
        };
        detector.made(&call("aclrtCreateStream", 0), &made);
    }
    let numbered = |place: u64, id: u64| Block {
        id: BlockId(id),
        ..block(place as usize)
    };
    let blocks = Blocks(
        (0..LIVE)
            .map(|place| numbered(place, place))
            .collect::<Vec<_>>()
            .into(),
    );
    let (fill, free) = (call("aclrtMemsetAsync", 1), call("aclrtFree", 2));
    let [wait, record, join] = [
        "aclrtSynchronizeStream",
        "aclrtRecordEvent",
        "aclrtStreamWaitEvent",
    ]
    .map(|name| call(name, 3));
    let (mut found, mut operations) = (0, 0);
    let mut most = [0; 4];
    for turn in 0u64.. {
        if operations >= OPERATIONS {
            break;
        }
        let (place, stream) = (turn % LIVE, handle((turn % MANY) as usize));
        let (event, next) = (turn % MANY + 1, handle(((turn + 1) % MANY) as usize));
        let now = blocks.0.borrow()[place as usize];
        let set = crate::evidence::operation::Memset {
            to: now.address,
            room: SIZE,
            count: SIZE,
            mapping: aclsan_log::Mapping::Unknown,
        };
        found += detector
            .set(&fill, &set, &blocks.place(set.to), stream, THREAD)
            .len();
        detector.called(&record, &Values::new(&[event, stream]), 0, THREAD, &blocks);
        detector.called(&join, &Values::new(&[next, event]), 0, THREAD, &blocks);
        operations += 3;
        if turn % 8 == 7 {
            operations += 2;
            detector.called(&wait, &Values::new(&[stream]), 0, THREAD, &blocks);
            found += detector.releasing(&free, &now, THREAD).len();
            blocks.0.borrow_mut()[place as usize] = numbered(place, LIVE + turn);
        }
        if turn % 997 == 0 {
            let kept = [
                detector.accesses.len(),
                detector.accesses.slots(),
                detector.timelines.capacity(),
                detector.timelines.clock_capacity(),
            ];
            most = [0, 1, 2, 3].map(|at| most[at].max(kept[at]));
        }
    }
    // A block is always filled on the same stream, and waited for before it goes: nothing to find.
    assert_eq!(found, 0);
    // One fill covers the last on the same stream, so at most one is kept of each live block.
    let [queued, rooms, timelines, clocks] = most.map(|of| of as u64);
    assert!(queued <= LIVE, "{queued} operations of {LIVE} blocks");
    assert!(rooms <= LIVE, "room for {rooms} of {LIVE} blocks");
    // A timeline and a record for each stream, and the host's timeline.
    assert_eq!(timelines, 2 * MANY + 1);
    // No more clocks than timelines and records that refer to them.
    assert!(clocks <= timelines, "{clocks} clocks");
}

#[test]
fn of_a_stream_that_nobody_waits_for_each_block_keeps_its_latest_operations_only() {
    let mut detector = RaceDetector::default();
    let made = Block {
        address: handle(0),
        function: function("aclrtCreateStream").unwrap(),
        ..block(0)
    };
    detector.made(&call("aclrtCreateStream", 0), &made);
    let fill = call("aclrtMemsetAsync", 1);
    for turn in 0..200_000u64 {
        // No fill covers the previous one.
        let set = crate::evidence::operation::Memset {
            to: block((turn % 2) as usize).address + turn / 2 % SIZE,
            room: SIZE,
            count: 1,
            mapping: aclsan_log::Mapping::Unknown,
        };
        let found = detector.set(&fill, &set, &Stage.place(set.to), handle(0), THREAD);
        assert!(found.is_empty(), "one stream");
    }
    // 64 per block: `access_history::MAX_ACCESSES`.
    assert_eq!(detector.accesses.len(), 2 * 64);
    let found = detector.releasing(&call("aclrtFree", 2), &block(0), THREAD);
    assert_eq!(found.len(), 1, "the latest is among them");
}

#[test]
fn clocks_are_used_again_whoever_learns_and_from_whom() {
    let mut detector = RaceDetector::default();
    let call = |name| call(name, 3);
    for stream in 0..8 {
        let made = Block {
            address: handle(stream),
            function: function("aclrtCreateStream").unwrap(),
            ..block(0)
        };
        detector.made(&call("aclrtCreateStream"), &made);
    }
    let names = [
        "aclrtRecordEvent",
        "aclrtStreamWaitEvent",
        "aclrtSynchronizeEvent",
        "aclrtSynchronizeStream",
        "aclrtSynchronizeDevice",
        "aclrtRecordNotify",
        "aclrtWaitAndResetNotify",
    ];
    let mut tell = |name: usize, values: [u64; 2]| {
        let values = Values::new(&values);
        detector.called(&call(names[name]), &values, 0, THREAD, &Stage);
        detector.timelines.clock_capacity()
    };
    // Each way to acquire by itself, and then all of them.
    for learn in 1..=names.len() {
        let mut random = Random(learn as u64);
        for _ in 0..20_000 {
            let (stream, event) = (handle(random.below(8)), 1 + random.below(4) as u64);
            tell(0, [event, stream]);
            let waits = handle(random.below(8));
            let clocks = match learn {
                _ if learn == names.len() => tell(random.below(names.len()), [event, waits]),
                1 => tell(1, [waits, event]),
                5 => tell(5, [event, stream]),
                6 => tell(6, [event, waits]),
                _ => tell(learn, [if learn == 2 { event } else { waits }, 0]),
            };
            // 8 timelines, 4 events and the host have one at most.
            assert!(clocks < 200, "{clocks} clocks by {learn}");
        }
    }
}
