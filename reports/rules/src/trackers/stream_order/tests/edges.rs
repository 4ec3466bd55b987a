//! Each kind of edge by itself, and each kind of uncertainty.

use super::*;

/// A write queued on stream 0, then `calls`, then the release; whether that is found.
pub(super) fn is_found(calls: &[(&str, &[u64], i32)]) -> bool {
    is_found_on(handle(0), calls)
}

fn is_found_on(stream: u64, calls: &[(&str, &[u64], i32)]) -> bool {
    is_found_around(stream, &[], calls)
}

/// With calls before the write, too.
pub(super) fn is_found_around(
    stream: u64,
    before: &[(&str, &[u64], i32)],
    calls: &[(&str, &[u64], i32)],
) -> bool {
    let mut detector = with_streams();
    for &(name, values, status) in before {
        detector.called(&call(name, 1), &Values::new(values), status, THREAD, &Stage);
    }
    let used = RangeUse {
        address: block(0).address,
        size: SIZE,
        access: Access::Write,
    };
    let run = call("aclopExecuteV2", 0);
    detector.uses(&run, &used, &Stage.place(used.address), stream, THREAD);
    detector.called(&run, &Values::new(&[stream]), 0, THREAD, &Stage);
    for &(name, values, status) in calls {
        detector.called(&call(name, 1), &Values::new(values), status, THREAD, &Stage);
    }
    let free = call("aclrtFree", 2);
    !detector.releasing(&free, &block(0), THREAD).is_empty()
}

pub(super) const ON: u64 = handle(0);
const OTHER: u64 = handle(1);

#[test]
fn without_a_wait_or_with_one_for_another_stream_it_is_found() {
    assert!(is_found(&[]));
    assert!(is_found(&[("aclrtSynchronizeStream", &[OTHER], 0)]));
    assert!(is_found(&[("aclrtRecordEvent", &[1, ON], 0)]));
}

#[test]
fn waits_of_the_host_are_edges() {
    assert!(!is_found(&[("aclrtSynchronizeStream", &[ON], 0)]));
    assert!(!is_found(&[(
        "aclrtSynchronizeStreamWithTimeout",
        &[ON],
        0
    )]));
    assert!(!is_found(&[("aclrtSynchronizeDevice", &[], 0)]));
    let recorded: (&str, &[u64], i32) = ("aclrtRecordEvent", &[1, ON], 0);
    assert!(!is_found(&[recorded, ("aclrtSynchronizeEvent", &[1], 0)]));
    assert!(!is_found(&[("aclrtResetDevice", &[0], 0)]));
    assert!(!is_found(&[("aclrtDestroyContext", &[1], 0)]));
}

#[test]
fn a_time_out_is_no_edge_and_any_other_error_ends_the_work() {
    let recorded: (&str, &[u64], i32) = ("aclrtRecordEvent", &[1, ON], 0);
    for code in [107_019, 507_046, 507_047] {
        assert!(is_found(&[
            recorded,
            ("aclrtSynchronizeEventWithTimeout", &[1], code)
        ]));
        assert!(is_found(&[(
            "aclrtSynchronizeStreamWithTimeout",
            &[ON],
            code
        )]));
        assert!(is_found(&[(
            "aclrtSynchronizeDeviceWithTimeout",
            &[],
            code
        )]));
    }
    assert!(!is_found(&[("aclrtSynchronizeStream", &[ON], 507_015)]));
    // The acl layer makes a success of these where a lower layer is recorded: overflow, end of sequence.
    for code in [207_003, 207_016, 207_017, 507_005] {
        assert!(!is_found(&[("aclrtSynchronizeStream", &[ON], code)]));
        assert!(is_found(&[("aclrtSynchronizeStream", &[OTHER], code)]));
    }
}

#[test]
fn queries_are_edges_when_they_found_the_work_complete() {
    let recorded: (&str, &[u64], i32) = ("aclrtRecordEvent", &[1, ON], 0);
    assert!(!is_found(&[("aclrtStreamQuery", &[ON, 0], 0)]));
    assert!(is_found(&[("aclrtStreamQuery", &[ON, 1], 0)]));
    assert!(is_found(&[("aclrtStreamQuery", &[ON, 0], 107_000)]));
    assert!(!is_found(&[
        recorded,
        ("aclrtQueryEventStatus", &[1, 1], 0)
    ]));
    assert!(is_found(&[recorded, ("aclrtQueryEventStatus", &[1, 0], 0)]));
    assert!(!is_found(&[recorded, ("aclrtQueryEvent", &[1, 0], 0)]));
    assert!(is_found(&[recorded, ("aclrtQueryEvent", &[1, 1], 0)]));
    assert!(!is_found(&[
        recorded,
        ("aclrtEventElapsedTime", &[1, 1], 0)
    ]));
}

#[test]
fn an_event_recorded_again_stands_for_the_later_place_only() {
    let calls: [(&str, &[u64], i32); 3] = [
        ("aclrtRecordEvent", &[1, ON], 0),
        ("aclrtRecordEvent", &[1, OTHER], 0),
        ("aclrtSynchronizeEvent", &[1], 0),
    ];
    assert!(is_found(&calls));
}

#[test]
fn an_edge_goes_through_other_streams() {
    let calls: [(&str, &[u64], i32); 3] = [
        ("aclrtRecordEvent", &[1, ON], 0),
        ("aclrtStreamWaitEvent", &[OTHER, 1], 0),
        ("aclrtSynchronizeStream", &[OTHER], 0),
    ];
    assert!(!is_found(&calls));
    let notified: [(&str, &[u64], i32); 3] = [
        ("aclrtRecordNotify", &[1, ON], 0),
        ("aclrtWaitAndResetNotify", &[1, OTHER], 0),
        ("aclrtSynchronizeStream", &[OTHER], 0),
    ];
    assert!(!is_found(&notified));
}

#[test]
fn a_callback_counts_as_a_wait() {
    assert!(!is_found(&[("aclrtLaunchCallback", &[ON, 1], 0)]));
    assert!(!is_found(&[("aclrtLaunchHostFunc", &[ON, 1], 0)]));
    assert!(is_found(&[("aclrtLaunchHostFunc", &[OTHER, 1], 0)]));
}

#[test]
fn what_waits_for_a_value_may_be_after_anything() {
    let calls: [(&str, &[u64], i32); 2] = [
        ("aclrtValueWait", &[0x5000, 1, 0, OTHER], 0),
        ("aclrtSynchronizeStream", &[OTHER], 0),
    ];
    assert!(!is_found(&calls));
}

#[test]
fn who_waited_for_a_wait_that_came_before_its_cause_may_know_anything() {
    let done: (&str, &[u64], i32) = ("aclrtSynchronizeStream", &[OTHER], 0);
    let notified: (&str, &[u64], i32) = ("aclrtRecordNotify", &[1, ON], 0);
    let waits: (&str, &[u64], i32) = ("aclrtWaitAndResetNotify", &[1, OTHER], 0);
    assert!(!is_found_around(ON, &[waits], &[notified, done]));
    let value: (&str, &[u64], i32) = ("aclrtValueWait", &[0x5000, 1, 0, OTHER], 0);
    assert!(!is_found_around(ON, &[value], &[done]));
    // A record that a reset undid is not the one that is waited for.
    let reset: (&str, &[u64], i32) = ("aclrtNotifyBatchReset", &[], 0);
    assert!(!is_found_around(
        ON,
        &[notified, reset, waits],
        &[notified, done]
    ));
    // An event recorded after such a wait knows as much as its stream.
    let recorded: (&str, &[u64], i32) = ("aclrtRecordEvent", &[7, OTHER], 0);
    let event: (&str, &[u64], i32) = ("aclrtSynchronizeEvent", &[7], 0);
    assert!(!is_found_around(ON, &[waits, recorded], &[notified, event]));
    assert!(is_found_around(ON, &[recorded], &[notified, event]));
}

#[test]
fn an_event_that_nobody_saw_recorded_may_stand_for_anything() {
    let complete: (&str, &[u64], i32) = ("aclrtQueryEventStatus", &[1, 1], 0);
    assert!(
        !is_found(&[complete]),
        "another process's, or told too late"
    );
    let recorded: (&str, &[u64], i32) = ("aclrtRecordEvent", &[1, ON], 0);
    assert!(is_found_around(ON, &[recorded], &[complete]));
    let reset: (&str, &[u64], i32) = ("aclrtResetEvent", &[1, ON], 0);
    assert!(!is_found_around(ON, &[recorded, reset], &[complete]));
}

#[test]
fn a_stream_that_nobody_saw_made_may_be_the_default_stream() {
    assert!(is_found_on(0, &[]));
    assert!(is_found_on(0, &[("aclrtSynchronizeStream", &[OTHER], 0)]));
    assert!(!is_found_on(0, &[("aclrtSynchronizeStream", &[0x999], 0)]));
    // A wait of the default stream by its handle is a wait of the default stream.
    let waits: (&str, &[u64], i32) = ("aclrtStreamWaitEvent", &[0x999, 1], 0);
    assert!(!is_found_around(0, &[waits], &[]));
}

#[test]
fn a_value_that_the_host_can_see_counts_as_a_wait_and_one_on_the_device_does_not() {
    assert!(!is_found(&[("aclrtValueWrite", &[0x9_0000, 1, ON], 0)]));
    let inside = block(1).address;
    assert!(is_found(&[("aclrtValueWrite", &[inside, 1, ON], 0)]));
}

#[test]
fn streams_that_nobody_saw_made_and_default_streams_of_several_contexts_are_not_judged() {
    assert!(!is_found_on(0x777, &[]));
    assert!(is_found_on(0, &[]));
    assert!(!is_found_on(0, &[("aclrtSynchronizeStream", &[0], 0)]));
}

/// Whether the release of a block of `family`'s allocator under `used`, queued on stream 0, is found.
fn is_found_of(made: &str, used: &str, released: &str, waits: &[(&str, &[u64], i32)]) -> bool {
    struct One(Block);
    impl HeapView for One {
        fn place(&self, address: u64) -> AddressInfo {
            match self.0.covers(address) {
                true => AddressInfo::Live(self.0, address - self.0.address),
                false => AddressInfo::Unknown,
            }
        }

        fn profile(&self) -> Profile {
            Profile::default()
        }
    }
    let one = One(Block {
        function: function(made).unwrap(),
        ..block(0)
    });
    let mut detector = RaceDetector::default();
    let stream = Block {
        address: ON,
        function: function("aclrtCreateStream").unwrap(),
        ..block(1)
    };
    detector.made(&call("aclrtCreateStream", 0), &stream);
    let range = RangeUse {
        address: one.0.address,
        size: SIZE,
        access: Access::Write,
    };
    let run = call(used, 0);
    detector.uses(&run, &range, &one.place(range.address), ON, THREAD);
    detector.called(&run, &Values::new(&[ON]), 0, THREAD, &one);
    for &(name, values, status) in waits {
        detector.called(&call(name, 1), &Values::new(values), status, THREAD, &one);
    }
    !detector
        .releasing(&call(released, 2), &one.0, THREAD)
        .is_empty()
}

#[test]
fn managed_memory_mappings_and_pictures_are_followed() {
    let ways = [
        ("aclrtMemAllocManaged", "aclopExecuteV2", "aclrtFree"),
        ("aclrtMapMem", "aclopExecuteV2", "aclrtUnmapMem"),
        ("acldvppMalloc", "acldvppVpcResizeAsync", "acldvppFree"),
    ];
    for (made, used, released) in ways {
        assert!(is_found_of(made, used, released, &[]), "{made}");
        let waits: [(&str, &[u64], i32); 1] = [("aclrtSynchronizeStream", &[ON], 0)];
        assert!(!is_found_of(made, used, released, &waits), "{made}");
    }
    // A channel's queue is no stream: what it has completed is not recorded.
    assert!(!is_found_of(
        "acldvppMalloc",
        "aclvdecSendFrame",
        "acldvppFree",
        &[]
    ));
}

#[test]
fn the_end_of_a_stream_or_its_abortion_ends_its_work() {
    assert!(!is_found(&[("aclrtStreamAbort", &[ON], 0)]));
    assert!(is_found(&[("aclrtStreamAbort", &[OTHER], 0)]));
    assert!(is_found(&[("aclrtStreamAbort", &[ON], 107_000)]));
    assert!(!is_found(&[("aclrtDeviceTaskAbort", &[0], 0)]));
    assert!(is_found(&[("aclrtDeviceTaskAbort", &[1], 0)]));
    for destroy in ["aclrtDestroyStream", "aclrtDestroyStreamForce"] {
        for (stream, is_found) in [(0, false), (1, true)] {
            assert_eq!(is_found_behind_end(destroy, stream), is_found);
        }
    }
}

/// A write queued on stream 0, then the end of `stream`, then the release.
fn is_found_behind_end(destroy: &str, stream: usize) -> bool {
    let mut detector = RaceDetector::default();
    let made = |stream| Block {
        address: handle(stream),
        function: function("aclrtCreateStream").unwrap(),
        ..block(0)
    };
    for stream in 0..STREAMS {
        detector.made(&call("aclrtCreateStream", 0), &made(stream));
    }
    let used = RangeUse {
        address: block(0).address,
        size: SIZE,
        access: Access::Write,
    };
    let run = call("aclopExecuteV2", 0);
    detector.uses(&run, &used, &Stage.place(used.address), ON, THREAD);
    detector.called(&run, &Values::new(&[ON]), 0, THREAD, &Stage);
    detector.releasing(&call(destroy, 1), &made(stream), THREAD);
    !detector
        .releasing(&call("aclrtFree", 2), &block(0), THREAD)
        .is_empty()
}

const NAMED: u64 = 0xdef0;
const NAME: (&str, &[u64], i32) = ("aclrtCtxGetCurrentDefaultStream", &[NAMED], 0);

#[test]
fn a_wait_for_the_default_stream_by_its_handle_is_one_for_that_stream() {
    let wait: (&str, &[u64], i32) = ("aclrtSynchronizeStream", &[NAMED], 0);
    assert!(is_found_around(ON, &[NAME], &[wait]));
    assert!(is_found_around(ON, &[NAME, NAME], &[wait]));
    assert!(!is_found_around(0, &[NAME], &[wait]));
    assert!(is_found_around(0, &[NAME], &[]));
    // An unknown handle may be that of any stream that was not seen created.
    assert!(!is_found(&[wait]));
    let failed: (&str, &[u64], i32) = (NAME.0, NAME.1, 107_002);
    assert!(!is_found_around(ON, &[failed], &[wait]));
}

#[test]
fn work_on_the_default_stream_is_judged_by_its_handle_too() {
    let wait: (&str, &[u64], i32) = ("aclrtSynchronizeStream", &[NAMED], 0);
    let other: (&str, &[u64], i32) = ("aclrtSynchronizeStream", &[OTHER], 0);
    assert!(is_found_around(NAMED, &[NAME], &[other]));
    assert!(!is_found_around(NAMED, &[NAME], &[wait]));
    assert!(!is_found_around(
        NAMED,
        &[NAME],
        &[("aclrtSynchronizeStream", &[0], 0)]
    ));
}

#[test]
fn in_programs_with_contexts_of_their_own_a_default_stream_has_no_name() {
    let wait: (&str, &[u64], i32) = ("aclrtSynchronizeStream", &[NAMED], 0);
    let context: (&str, &[u64], i32) = ("aclrtCreateContext", &[0, 0x70], 0);
    assert!(!is_found_around(ON, &[context, NAME], &[wait]));
    assert!(!is_found_around(ON, &[NAME, context], &[wait]));
    assert!(!is_found_around(NAMED, &[NAME, context], &[]));
}

#[test]
fn a_stream_that_is_made_where_a_default_stream_was_is_another() {
    let mut detector = with_streams();
    let reported = |detector: &mut RaceDetector, name: &str, values: &[u64]| {
        detector.called(&call(name, 1), &Values::new(values), 0, THREAD, &Stage)
    };
    for round in 0..3 {
        reported(&mut detector, NAME.0, NAME.1);
        assert!(detector.timelines.tail(NAMED).is_some(), "{round}");
        detector.timelines.create(NAMED, 0);
        let default = detector.timelines.push(0, 0).expect("it is known");
        let made = detector.timelines.push(NAMED, 0).expect("it is known");
        assert_ne!(default.timeline, made.timeline);
    }
    detector.reset(0);
    detector.timelines.create(NAMED + 1, 0);
    let [default, made] = [0, NAMED + 1].map(|stream| detector.timelines.push(stream, 0));
    assert_ne!(
        default.map(|epoch| epoch.timeline),
        made.map(|epoch| epoch.timeline)
    );
}

#[test]
fn a_record_with_a_flag_is_a_record_unless_graphs_make_it() {
    let record = |flag| ("aclrtRecordEventWithFlag", [1, OTHER, flag], 0);
    let waited: (&str, &[u64], i32) = ("aclrtSynchronizeEvent", &[1], 0);
    // The write on one stream, then a record after it, then a record on the other stream that replaces the first.
    for (flag, is_judged) in [(0, true), (1, false)] {
        let (name, values, status) = record(flag);
        let other = (name, &values[..], status);
        let ours: (&str, &[u64], i32) = ("aclrtRecordEvent", &[1, ON], 0);
        assert_eq!(is_found(&[ours, other, waited]), is_judged, "{flag}");
        let behind = [1, ON, flag];
        assert!(!is_found(&[(name, &behind[..], status), waited]), "{flag}");
    }
}

#[test]
fn a_stream_that_is_made_for_nobody_knows_what_is_not_judged() {
    let mut detector = with_streams();
    let mut made = |name: &str, stream: u64| {
        let stream = Block::of(&call(name, 0), BlockId(900), stream, 0);
        detector.made(&call(name, 0), &stream);
        detector.timelines.tail(stream.address).is_some()
    };
    assert!(made("aclrtCreateStream", 0xbee0));
    assert!(!made("aclrtCreateStreamV2", 0xbee0));
    assert!(!made("aclrtCreateStreamV2", 0xbee1));
}
