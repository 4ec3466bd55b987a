//! Waits for events that were created and never recorded.

use super::edges::ON;
use super::*;

const OTHER: u64 = handle(1);

/// Whether a write on a stream is found unordered after this wait for event 1, which `creator` made with these flags and nobody recorded.
fn is_found_unrecorded(creator: &'static str, flags: u32, wait: (&str, &[u64])) -> bool {
    let mut detector = with_streams();
    let made = Call {
        argument: flags,
        ..call(creator, 1)
    };
    detector.made(&made, &Block::of(&made, BlockId(77), 1, 0));
    let used = RangeUse {
        address: block(0).address,
        size: SIZE,
        access: Access::Write,
    };
    let run = call("aclopExecuteV2", 0);
    detector.uses(&run, &used, &Stage.place(used.address), ON, THREAD);
    detector.called(&run, &Values::new(&[ON]), 0, THREAD, &Stage);
    detector.called(&call(wait.0, 1), &Values::new(wait.1), 0, THREAD, &Stage);
    let after: (&str, &[u64]) = ("aclrtSynchronizeStream", &[OTHER]);
    detector.called(&call(after.0, 1), &Values::new(after.1), 0, THREAD, &Stage);
    !detector
        .releasing(&call("aclrtFree", 2), &block(0), THREAD)
        .is_empty()
}

#[test]
fn a_wait_for_an_event_that_nobody_recorded_is_no_edge() {
    let waits: [(&str, &[u64]); 3] = [
        ("aclrtSynchronizeEvent", &[1]),
        ("aclrtStreamWaitEvent", &[OTHER, 1]),
        ("aclrtQueryEventStatus", &[1, 1]),
    ];
    for wait in waits {
        assert!(is_found_unrecorded("aclrtCreateEvent", 0, wait), "{wait:?}");
        assert!(is_found_unrecorded(
            "aclrtCreateEventExWithFlag",
            0x01,
            wait
        ));
        // A later record may end the wait for the first two, and another process may have recorded the others.
        for flags in [0x01, 0x20, 0x40] {
            assert!(!is_found_unrecorded(
                "aclrtCreateEventWithFlag",
                flags,
                wait
            ));
        }
        assert!(!is_found_unrecorded("aclrtIpcOpenEventHandle", 0, wait));
    }
}
