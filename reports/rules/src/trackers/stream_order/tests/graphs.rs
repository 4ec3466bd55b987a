//! Captured graphs: who owns their memory, and when it is used.

use super::*;
use crate::api::block::End;

/// Block 0, live or released.
struct Memory {
    is_live: bool,
}

impl HeapView for Memory {
    fn place(&self, address: u64) -> AddressInfo {
        let offset = address.wrapping_sub(block(0).address);
        match (offset < SIZE, self.is_live) {
            (false, _) => AddressInfo::Unknown,
            (true, true) => AddressInfo::Live(block(0), offset),
            (true, false) => AddressInfo::Ended(block(0), offset, End::Released(CallSiteId(3))),
        }
    }

    fn profile(&self) -> Profile {
        Profile::default()
    }
}

const LIVE: Memory = Memory { is_live: true };
pub(super) const GRAPH: u64 = 0x900;
const SYNCHRONIZE: &str = "aclrtSynchronizeStream";
/// `ACL_EVENT_RECORD_EXTERNAL`.
const EXTERNAL: u64 = 1;

/// A wait of each kind, on a stream.
pub(super) fn waits(stream: u64) -> [(&'static str, Vec<u64>); 4] {
    [
        ("aclrtStreamWaitEventWithFlag", vec![stream, 7]),
        ("aclrtWaitAndResetNotify", vec![7, stream]),
        ("aclrtCntNotifyWaitWithTimeout", vec![7, stream, 1, 1]),
        ("aclrtValueWait", vec![FLAG, 1, 1, stream]),
    ]
}

pub(super) struct Captured(pub(super) RaceDetector);

impl Captured {
    /// A graph that fills block 0 on `stream`, captured on stream 0; with an event between the two if it is another.
    pub(super) fn on(stream: usize) -> Self {
        let mut captured = Self(with_streams());
        captured.tell("aclmdlRICaptureBegin", &[handle(0), 0]);
        captured.tell("aclrtRecordEvent", &[1, handle(0)]);
        if stream != 0 {
            captured.tell("aclrtStreamWaitEvent", &[handle(stream), 1]);
        }
        let found = captured.fill(handle(stream));
        assert!(found.is_empty());
        captured
    }

    /// Fills block 0 on a stream.
    pub(super) fn fill(&mut self, stream: u64) -> Vec<crate::evidence::finding::Finding> {
        let set = crate::evidence::operation::Memset {
            to: block(0).address,
            room: SIZE,
            count: SIZE,
            mapping: aclsan_log::Mapping::Unknown,
        };
        let fill = call("aclrtMemsetAsync", 1);
        self.0.set(&fill, &set, &LIVE.place(set.to), stream, THREAD)
    }

    pub(super) fn ended(mut self) -> Self {
        self.tell("aclmdlRICaptureEnd", &[handle(0), GRAPH]);
        self
    }

    pub(super) fn tell(
        &mut self,
        name: &str,
        values: &[u64],
    ) -> Vec<crate::evidence::finding::Finding> {
        self.report_in(&LIVE, name, values)
    }

    fn report_in(
        &mut self,
        view: &Memory,
        name: &str,
        values: &[u64],
    ) -> Vec<crate::evidence::finding::Finding> {
        let values = Values::new(values);
        self.0.called(&call(name, 5), &values, 0, THREAD, view)
    }

    /// The findings of a call after the release of block 0.
    pub(super) fn report_when_gone(&mut self, name: &str, values: &[u64]) -> Vec<&'static str> {
        let found = self.report_in(&Memory { is_live: false }, name, values);
        found.iter().map(|finding| finding.rule.name).collect()
    }

    pub(super) fn report_all(&mut self, calls: &[(&str, &[u64])]) {
        for &(name, values) in calls {
            self.tell(name, values);
        }
    }

    /// Whether the detector finds that the graph uses block 0 on stream 2 while stream 1 fills it. After a wait for its
    /// own stream, there is no race.
    pub(super) fn races(&mut self) -> bool {
        self.fill(handle(1));
        let found = self.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
        if !found.is_empty() {
            return true;
        }
        self.tell(SYNCHRONIZE, &[handle(2)]);
        assert!(self.release().is_empty());
        false
    }

    pub(super) fn release(&mut self) -> Vec<&'static str> {
        let found = self.0.releasing(&call("aclrtFree", 7), &block(0), THREAD);
        found.iter().map(|finding| finding.rule.name).collect()
    }
}

#[test]
fn what_is_captured_runs_with_its_graph_and_not_before() {
    for stream in [0, 1] {
        assert!(Captured::on(stream).ended().release().is_empty());
        let mut run = Captured::on(stream).ended();
        assert!(
            run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)])
                .is_empty()
        );
        assert_eq!(run.release(), ["free-in-flight"], "captured on {stream}");
    }
}

#[test]
fn a_graph_that_the_host_has_waited_for_is_done_with_its_memory() {
    let mut run = Captured::on(0).ended();
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    run.tell("aclrtSynchronizeStream", &[handle(2)]);
    assert!(run.release().is_empty());
    let mut run = Captured::on(0).ended();
    run.tell("aclmdlRIExecute", &[GRAPH]);
    assert!(run.release().is_empty());
}

#[test]
fn a_graph_that_the_host_runs_is_the_default_streams_and_no_other_ones() {
    let mut run = Captured::on(0).ended();
    run.fill(0);
    assert!(run.tell("aclmdlRIExecute", &[GRAPH]).is_empty());
    assert!(run.release().is_empty());
    let mut run = Captured::on(0).ended();
    run.fill(handle(1));
    let found = run.tell("aclmdlRIExecute", &[GRAPH]);
    let rules: Vec<_> = found.iter().map(|finding| finding.rule.name).collect();
    assert_eq!(rules, ["unordered-access"]);
    assert_eq!(run.release(), ["free-in-flight"]); // stream 1 was not waited for
}

#[test]
fn a_graph_that_runs_after_its_memory_was_released_is_a_late_use() {
    let mut run = Captured::on(0).ended();
    let found = run.report_in(
        &Memory { is_live: false },
        "aclmdlRIExecuteAsync",
        &[GRAPH, handle(2)],
    );
    let rules: Vec<_> = found.iter().map(|finding| finding.rule.name).collect();
    assert_eq!(rules, ["copy-use-after-free"]);
}

#[test]
fn a_graph_that_was_destroyed_or_of_another_name_uses_nothing() {
    let mut run = Captured::on(0).ended();
    run.tell("aclmdlRIDestroy", &[GRAPH]);
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    assert!(run.release().is_empty());
    let mut run = Captured::on(0).ended();
    run.tell("aclmdlRIExecuteAsync", &[GRAPH + 1, handle(2)]);
    assert!(run.release().is_empty());
}

#[test]
fn a_graph_whose_calls_were_changed_may_use_anything_and_what_changes_them_does_not_run() {
    let mut run = Captured::on(0).ended();
    run.tell("aclmdlRICaptureTaskUpdateBegin", &[handle(1), 0xa00]);
    let set = crate::evidence::operation::Memset {
        to: block(0).address,
        room: SIZE,
        count: SIZE,
        mapping: aclsan_log::Mapping::Unknown,
    };
    let fill = call("aclrtMemsetAsync", 1);
    let found = run
        .0
        .set(&fill, &set, &LIVE.place(set.to), handle(1), THREAD);
    assert!(found.is_empty());
    run.tell("aclmdlRICaptureTaskUpdateEnd", &[handle(1)]);
    assert!(run.release().is_empty());
    let gone = Memory { is_live: false };
    let again = run.report_in(&gone, "aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    assert!(again.is_empty());
    // After the update the stream works as before.
    let found = run
        .0
        .set(&fill, &set, &LIVE.place(set.to), handle(1), THREAD);
    assert!(found.is_empty());
    assert_eq!(run.release(), ["free-in-flight"]);
}

#[test]
fn a_refused_call_is_no_part_of_the_graph() {
    let mut run = Captured::on(0);
    run.0.refused(CallSiteId(1 + 10), THREAD);
    let mut run = run.ended();
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    assert!(run.release().is_empty());
}

/// While stream 0 is captured, a fill on stream 2: whether the release after `calls` is found.
fn is_found_outside(before: &[(&str, &[u64])], calls: &[(&str, &[u64])]) -> bool {
    let mut outside = Captured::on(0);
    for &(name, values) in before {
        outside.tell(name, values);
    }
    let set = crate::evidence::operation::Memset {
        to: block(0).address,
        room: SIZE,
        count: SIZE,
        mapping: aclsan_log::Mapping::Unknown,
    };
    let fill = call("aclrtMemsetAsync", 6);
    let found = outside
        .0
        .set(&fill, &set, &LIVE.place(set.to), handle(2), THREAD);
    assert!(found.is_empty());
    for &(name, values) in calls {
        outside.tell(name, values);
    }
    outside.release() == ["free-in-flight"]
}

#[test]
fn a_stream_outside_a_running_capture_goes_on_as_ever() {
    assert!(is_found_outside(&[], &[]));
    assert!(is_found_outside(
        &[("aclrtSynchronizeStream", &[handle(1)])],
        &[]
    ));
    assert!(!is_found_outside(
        &[],
        &[("aclrtSynchronizeStream", &[handle(2)])]
    ));
    let recorded: [(&str, &[u64]); 2] = [
        ("aclrtRecordEvent", &[2, handle(2)]),
        ("aclrtSynchronizeEvent", &[2]),
    ];
    assert!(!is_found_outside(&[], &recorded));
    assert!(is_found_outside(&[], &[(SYNCHRONIZE, &[handle(0)])]));
    // A stream that has joined is captured; one that waits for what is recorded in the capture may be.
    assert!(!is_found_outside(
        &[("aclrtStreamWaitEvent", &[handle(2), 1])],
        &[]
    ));
    let notified: [(&str, &[u64]); 2] = [
        ("aclrtRecordNotify", &[3, handle(0)]),
        ("aclrtWaitAndResetNotify", &[3, handle(2)]),
    ];
    assert!(!is_found_outside(&notified, &[]));
}

#[test]
fn a_record_for_others_lets_no_stream_join() {
    let mut run = Captured(with_streams());
    run.tell("aclmdlRICaptureBegin", &[handle(0), 0]);
    run.tell("aclrtRecordEventWithFlag", &[2, handle(0), EXTERNAL]);
    run.tell("aclrtStreamWaitEvent", &[handle(1), 2]);
    run.fill(handle(1));
    let mut run = run.ended();
    run.tell(SYNCHRONIZE, &[handle(1)]);
    assert!(run.release().is_empty());
    assert!(run.report_when_gone("aclmdlRIExecute", &[GRAPH]).is_empty());
}

/// Whether it is found that a graph fills what stream 1 has filled before it runs on stream 2, if these are captured before its own fill.
fn is_race(captured: &[(&str, &[u64])]) -> bool {
    let mut run = Captured(with_streams());
    run.tell("aclmdlRICaptureBegin", &[handle(0), 0]);
    run.report_all(captured);
    run.fill(handle(0));
    run.ended().races()
}

#[test]
fn a_graph_that_waits_for_others_may_be_behind_anything() {
    assert!(is_race(&[]));
    for (name, values) in waits(handle(0)) {
        assert!(!is_race(&[(name, &values)]), "{name}");
    }
    // So may one that runs it.
    let mut run = Captured(with_streams());
    run.tell("aclmdlRICaptureBegin", &[handle(0), 0]);
    run.report_all(&[("aclrtWaitAndResetNotify", &[7, handle(0)])]);
    run.tell("aclmdlRICaptureEnd", &[handle(0), GRAPH + 1]);
    run.tell("aclmdlRICaptureBegin", &[handle(0), 0]);
    run.tell("aclmdlRIExecuteAsync", &[GRAPH + 1, handle(0)]);
    run.fill(handle(0));
    assert!(!run.ended().races());
    // An event that the graph recorded itself is no signal from outside.
    let own: (&str, &[u64]) = ("aclrtRecordEvent", &[7, handle(0)]);
    let wait: (&str, &[u64]) = ("aclrtStreamWaitEvent", &[handle(0), 7]);
    assert!(is_race(&[own, wait]));
    assert!(!is_race(&[
        own,
        ("aclrtRecordEvent", &[7, handle(2)]),
        wait
    ]));
}

#[test]
fn a_graph_that_calls_the_host_may_have_signaled_that_it_is_done() {
    let mut run = Captured::on(0);
    run.tell("aclrtLaunchHostFunc", &[handle(0)]);
    let mut run = run.ended();
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    assert!(run.release().is_empty());
}

#[test]
fn a_notify_that_a_graph_records_stands_for_anything() {
    let mut run = Captured::on(0);
    run.tell("aclrtRecordNotify", &[4, handle(0)]);
    let mut run = run.ended();
    run.tell("aclrtWaitAndResetNotify", &[4, handle(1)]);
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    run.tell("aclrtSynchronizeStream", &[handle(1)]);
    assert!(run.release().is_empty());
}

#[test]
fn graphs_end_with_their_device() {
    let mut run = Captured::on(0).ended();
    run.0.reset(0);
    let gone = Memory { is_live: false };
    let found = run.report_in(&gone, "aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    assert!(found.is_empty());
}
