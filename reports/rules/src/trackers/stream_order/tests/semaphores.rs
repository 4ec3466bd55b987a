//! Values in memory and counting notifies: an edge where exactly one call can have satisfied the wait, and silence
//! elsewhere.

use super::*;

const ON: u64 = handle(0);
const OTHER: u64 = handle(1);
const THIRD: u64 = handle(2);
const COUNT: u64 = 2;

type Told = (&'static str, &'static [u64]);

/// A write on stream 0, then `calls`, then a read on stream 1; whether that is found to be unordered.
fn is_found(calls: &[Told]) -> bool {
    is_found_from(RaceDetector::default(), calls)
}

fn is_found_from(mut detector: RaceDetector, calls: &[Told]) -> bool {
    let mut made = |name: &str, address| {
        let made = Block {
            address,
            function: function(name).unwrap(),
            ..block(0)
        };
        detector.made(&call(name, 0), &made);
    };
    (0..STREAMS).for_each(|stream| made("aclrtCreateStream", handle(stream)));
    made("aclrtCntNotifyCreate", COUNT);
    let touch = |detector: &mut RaceDetector, stream, access| {
        let used = RangeUse {
            address: block(0).address,
            size: SIZE,
            access,
        };
        let run = call("aclopExecuteV2", 0);
        detector.uses(&run, &used, &Stage.place(used.address), stream, THREAD);
        detector.called(&run, &Values::new(&[stream]), 0, THREAD, &Stage)
    };
    assert!(touch(&mut detector, ON, Access::Write).is_empty());
    for &(name, values) in calls {
        detector.called(&call(name, 1), &Values::new(values), 0, THREAD, &Stage);
    }
    !touch(&mut detector, OTHER, Access::Read).is_empty()
}

/// To the value, by a stream.
const fn write(values: &'static [u64; 3]) -> Told {
    ("aclrtValueWrite", values)
}

const EQUAL: u64 = 1;
const WAIT: Told = ("aclrtValueWait", &[FLAG, 1, EQUAL, OTHER]);
const BY_ON: Told = write(&[FLAG, 1, ON]);
const BY_THIRD: Told = write(&[FLAG, 1, THIRD]);

#[test]
fn a_value_that_was_written_once_orders_what_waits_for_it_behind_its_writer_alone() {
    assert!(is_found(&[]));
    assert!(!is_found(&[BY_ON, WAIT]));
    assert!(is_found(&[BY_THIRD, WAIT]));
    assert!(is_found(&[BY_ON]), "nothing waits");
    let at_least: Told = ("aclrtValueWait", &[FLAG, 1, 0, OTHER]);
    assert!(!is_found(&[BY_ON, at_least]));
    assert!(is_found(&[BY_THIRD, at_least]));
    let through: Told = ("aclrtValueWait", &[FLAG, 1, EQUAL, THIRD]);
    assert!(!is_found(&[
        BY_ON,
        through,
        write(&[FLAG, 2, THIRD]),
        ("aclrtValueWait", &[FLAG, 2, EQUAL, OTHER])
    ]));
}

#[test]
fn a_wait_for_a_value_is_after_anything_where_more_than_one_call_may_be_meant() {
    let fill: Told = ("aclrtLaunchKernel", &[0, THIRD]);
    let taken: Told = ("aclrtValueWait", &[FLAG, 1, EQUAL, THIRD]);
    let others: [&[Told]; 8] = [
        &[WAIT],
        &[BY_THIRD, ("aclrtValueWait", &[FLAG, 2, EQUAL, OTHER])],
        &[BY_THIRD, ("aclrtValueWait", &[FLAG, 1, 2, OTHER])],
        &[BY_THIRD, ("aclrtValueWait", &[FLAG + 8, 1, EQUAL, OTHER])],
        &[BY_THIRD, taken, WAIT],
        &[BY_THIRD, BY_ON, WAIT],
        &[fill, BY_THIRD, WAIT],
        &[
            write(&[0x9_0000, 1, THIRD]),
            ("aclrtValueWait", &[0x9_0000, 1, EQUAL, OTHER]),
        ],
    ];
    for calls in others {
        assert!(!is_found(calls), "{calls:?}");
    }
    // In order, the later write is what counts.
    assert!(is_found(&[write(&[FLAG, 0, THIRD]), BY_THIRD, WAIT]));
    let mut shared = RaceDetector::default();
    let key = Block {
        function: function("aclrtIpcMemGetExportKey").unwrap(),
        ..block(1)
    };
    shared.made(&call("aclrtIpcMemGetExportKey", 0), &key);
    assert!(!is_found_from(shared, &[BY_THIRD, WAIT]));
}

#[test]
fn a_stream_that_keeps_what_it_is_given_takes_no_order_from_others() {
    const COUNTED: Told = ("aclrtCntNotifyRecord", &[COUNT, THIRD, SET, 1]);
    for calls in [[BY_THIRD, WAIT], [COUNTED, AWAITED]] {
        let mut detector = RaceDetector::default();
        let mut call = call("aclrtCreateStreamWithConfig", 0);
        call.argument = 4; // `ACL_STREAM_PERSISTENT`
        let stream = Block {
            address: 0xb00,
            function: call.function,
            ..block(0)
        };
        detector.made(&call, &stream);
        assert!(is_found_from(detector, &calls), "{calls:?}");
    }
}

#[test]
fn a_value_that_a_fill_overwrote_or_whose_block_went_is_unclear() {
    for is_filled in [true, false] {
        let mut detector = RaceDetector::default();
        let stream = Block {
            address: THIRD,
            function: function("aclrtCreateStream").unwrap(),
            ..block(0)
        };
        detector.made(&call("aclrtCreateStream", 0), &stream);
        let (name, values) = BY_THIRD;
        detector.called(&call(name, 1), &Values::new(values), 0, THREAD, &Stage);
        match is_filled {
            true => {
                let set = crate::evidence::operation::Memset {
                    to: FLAG + 7,
                    room: 1,
                    count: 1,
                    mapping: aclsan_log::Mapping::Unknown,
                };
                detector.set(
                    &call("aclrtMemset", 1),
                    &set,
                    &Stage.place(set.to),
                    0,
                    THREAD,
                );
            }
            false => drop(detector.releasing(&call("aclrtFree", 1), &block(BLOCKS), THREAD)),
        }
        assert!(!is_found_from(detector, &[WAIT]));
    }
}

const SET: u64 = 0;
const ADD: u64 = 1;
const AWAITED: Told = ("aclrtCntNotifyWaitWithTimeout", &[COUNT, OTHER, EQUAL, 1]);

#[test]
fn a_counting_notify_that_was_recorded_once_orders_what_waits_for_it_behind_its_recorder_alone() {
    for (ours, thirds) in [
        (&[COUNT, ON, SET, 1], &[COUNT, THIRD, SET, 1]),
        (&[COUNT, ON, ADD, 1], &[COUNT, THIRD, ADD, 1]),
    ] {
        assert!(!is_found(&[("aclrtCntNotifyRecord", ours), AWAITED]));
        assert!(is_found(&[("aclrtCntNotifyRecord", thirds), AWAITED]));
    }
}

#[test]
fn a_wait_for_a_count_is_after_anything_where_several_records_make_it() {
    let once: Told = ("aclrtCntNotifyRecord", &[COUNT, THIRD, ADD, 1]);
    let twice: Told = ("aclrtCntNotifyWaitWithTimeout", &[COUNT, OTHER, 3, 2]);
    let bits: Told = ("aclrtCntNotifyRecord", &[COUNT, THIRD, 4, 1]);
    let reset: Told = ("aclrtCntNotifyReset", &[COUNT, THIRD]);
    let others: [&[Told]; 6] = [
        &[AWAITED],
        &[once, once, twice],
        &[once, twice, AWAITED],
        &[bits, AWAITED],
        &[once, reset, AWAITED],
        &[
            ("aclrtCntNotifyRecord", &[7, THIRD, SET, 1]),
            ("aclrtCntNotifyWaitWithTimeout", &[8, OTHER, EQUAL, 1]),
        ],
    ];
    for calls in others {
        assert!(!is_found(calls), "{calls:?}");
    }
}

#[test]
fn a_notify_that_was_reset_may_be_recorded_by_anybody_next() {
    let record: Told = ("aclrtRecordNotify", &[1, THIRD]);
    let wait: Told = ("aclrtWaitAndResetNotify", &[1, OTHER]);
    assert!(is_found(&[record, wait]));
    assert!(!is_found(&[("aclrtRecordNotify", &[1, ON]), wait]));
    assert!(!is_found(&[record, ("aclrtNotifyBatchReset", &[1]), wait]));
}
