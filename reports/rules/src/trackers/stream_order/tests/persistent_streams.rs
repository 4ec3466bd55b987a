//! Models built by hand: their streams run nothing before the model is executed.

use super::graphs::{Captured, GRAPH, waits};
use super::*;

/// `ACL_STREAM_PERSISTENT`.
const PERSISTENT: u32 = 4;
const KEPT: u64 = 0xb00;
/// `ACL_MODEL_STREAM_FLAG_HEAD`, `…_DEFAULT`.
const HEAD: u64 = 0;
const BRANCH: u64 = 0x7fff_ffff;
const BRANCHED: u64 = 0xb08;
const BRANCH_OFF: [(&str, &[u64]); 1] = [("aclmdlRIBindStream", &[GRAPH, BRANCHED, BRANCH])];

/// Makes a stream with that flag at a handle of its own.
fn made(detector: &mut RaceDetector, flag: u32) {
    let mut call = call("aclrtCreateStreamWithConfig", 20);
    call.argument = flag;
    let stream = Block {
        address: KEPT,
        function: call.function,
        ..block(0)
    };
    detector.made(&call, &stream);
}

/// A fill of block 0 on a stream.
fn filled(model: &mut Captured, stream: u64) {
    let found = model.fill(stream);
    assert!(found.is_empty());
}

/// A model with a bound stream.
fn begun(flag: u64) -> Captured {
    let mut model = Captured(with_streams());
    made(&mut model.0, PERSISTENT);
    model.tell("aclmdlRIBuildBegin", &[GRAPH]);
    model.tell("aclmdlRIBindStream", &[GRAPH, KEPT, flag]);
    model
}

/// A model that fills block 0 after `calls`, built up to the end.
fn built_of(flag: u64, calls: &[(&str, &[u64])]) -> Captured {
    let mut model = begun(flag);
    model.report_all(calls);
    filled(&mut model, KEPT);
    model.tell("aclmdlRIEndTask", &[GRAPH, KEPT]);
    model.tell("aclmdlRIBuildEnd", &[GRAPH]);
    model
}

fn built(flag: u64) -> Captured {
    built_of(flag, &[])
}

#[test]
fn what_is_given_to_a_bound_stream_runs_with_its_model_and_not_before() {
    assert!(built(HEAD).release().is_empty());
    let mut run = built(HEAD);
    assert!(
        run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)])
            .is_empty()
    );
    assert_eq!(run.release(), ["free-in-flight"]);
    let mut waited = built(HEAD);
    waited.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    waited.tell("aclrtSynchronizeStream", &[handle(2)]);
    assert!(waited.release().is_empty());
    let mut waited = built(HEAD);
    waited.tell("aclmdlRIExecute", &[GRAPH]);
    assert!(waited.release().is_empty());
}

#[test]
fn a_model_that_is_executed_after_its_memory_was_released_is_a_late_use() {
    let rules = built(HEAD).report_when_gone("aclmdlRIExecute", &[GRAPH]);
    assert_eq!(rules, ["copy-use-after-free"]);
    // A branch may not run.
    let rules = built(BRANCH).report_when_gone("aclmdlRIExecute", &[GRAPH]);
    assert!(rules.is_empty());
}

#[test]
fn a_model_that_the_host_executes_is_behind_the_default_stream() {
    let mut run = built(HEAD);
    filled(&mut run, 0);
    assert!(run.tell("aclmdlRIExecute", &[GRAPH]).is_empty());
    assert!(run.release().is_empty());
}

#[test]
fn a_model_that_waits_for_others_may_be_behind_anything() {
    assert!(built(HEAD).races());
    for (name, values) in waits(KEPT) {
        let calls: [(&str, &[u64]); 1] = [(name, &values)];
        assert!(!built_of(HEAD, &calls).races(), "{name}");
    }
    let own: (&str, &[u64]) = ("aclrtRecordEvent", &[7, KEPT]);
    let wait: (&str, &[u64]) = ("aclrtStreamWaitEvent", &[KEPT, 7]);
    assert!(built_of(HEAD, &[own, wait]).races());
    let others: (&str, &[u64]) = ("aclrtRecordEvent", &[7, handle(2)]);
    assert!(!built_of(HEAD, &[own, others, wait]).races());
    // A branch may be reached.
    for (name, values) in waits(BRANCHED) {
        let mut calls = BRANCH_OFF.to_vec();
        calls.push((name, &values));
        assert!(!built_of(HEAD, &calls).races(), "{name}");
    }
}

#[test]
fn a_model_that_calls_the_host_on_a_branch_may_have_signaled_that_it_is_done() {
    let mut calls = BRANCH_OFF.to_vec();
    calls.push(("aclrtLaunchHostFunc", &[BRANCHED]));
    let mut run = built_of(HEAD, &calls);
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    assert!(run.release().is_empty());
}

#[test]
fn pageable_memory_is_copied_to_a_bound_stream_at_the_call() {
    let mut model = begun(HEAD);
    let copy = crate::evidence::operation::Copy {
        to: block(0).address,
        room: SIZE,
        from: 0x9_0000,
        count: SIZE,
    };
    let places = [&Stage.place(copy.to), &AddressInfo::Unknown];
    let found = (model.0).copy(&call("aclrtMemcpyAsync", 1), &copy, places, KEPT, THREAD);
    assert!(found.is_empty());
    model.tell("aclmdlRIEndTask", &[GRAPH, KEPT]);
    assert!(model.release().is_empty());
    assert!(
        model
            .report_when_gone("aclmdlRIExecute", &[GRAPH])
            .is_empty()
    );
}

#[test]
fn what_is_behind_a_label_or_a_switch_is_not_sure_to_run() {
    for name in [
        "aclrtSetLabel",
        "aclrtSwitchLabelByIndex",
        "aclrtSwitchStream",
    ] {
        let mut run = built_of(HEAD, &[(name, &[KEPT])]);
        assert!(
            run.report_when_gone("aclmdlRIExecute", &[GRAPH]).is_empty(),
            "{name}"
        );
        let mut before = begun(HEAD);
        filled(&mut before, KEPT);
        before.tell(name, &[KEPT]);
        before.tell("aclmdlRIEndTask", &[GRAPH, KEPT]);
        let rules = before.report_when_gone("aclmdlRIExecute", &[GRAPH]);
        assert_eq!(rules, ["copy-use-after-free"], "before {name}");
        let mut other = built_of(HEAD, &[(name, &[handle(1)])]);
        assert!(
            !other
                .report_when_gone("aclmdlRIExecute", &[GRAPH])
                .is_empty(),
            "{name} elsewhere"
        );
    }
}

#[test]
fn a_model_that_was_changed_may_use_anything() {
    for (name, values) in [
        ("aclmdlRIUnbindStream", [GRAPH, KEPT]),
        ("aclmdlRIUpdate", [GRAPH, 0]),
        ("aclmdlRITaskSetParams", [0xc00, 0]),
        ("aclmdlRIDestroy", [GRAPH, 0]),
        ("aclmdlRIBuildBegin", [GRAPH, 0]),
    ] {
        let mut run = built(HEAD);
        run.tell(name, &values);
        let rules = run.report_when_gone("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
        assert!(rules.is_empty(), "{name}");
    }
}

#[test]
fn a_persistent_stream_without_a_model_runs_nothing_and_a_new_one_of_its_handle_does() {
    let mut model = Captured(with_streams());
    made(&mut model.0, PERSISTENT);
    filled(&mut model, KEPT);
    assert!(model.release().is_empty());
    made(&mut model.0, 0);
    filled(&mut model, KEPT);
    assert_eq!(model.release(), ["free-in-flight"]);
}

#[test]
fn other_streams_go_on_as_ever_while_a_model_has_one() {
    let mut model = built(HEAD);
    filled(&mut model, handle(1));
    assert_eq!(model.release(), ["free-in-flight"]);
    let mut model = built(HEAD);
    filled(&mut model, handle(1));
    model.tell("aclrtSynchronizeStream", &[handle(1)]);
    assert!(model.release().is_empty());
}

#[test]
fn a_wait_for_a_models_stream_is_a_wait_for_whatever_runs_it() {
    let mut run = built(HEAD);
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    run.tell("aclrtSynchronizeStream", &[KEPT]);
    assert!(run.release().is_empty());
}

#[test]
fn an_event_or_a_notify_of_a_models_stream_stands_for_anything() {
    for (record, wait) in [
        ("aclrtRecordEvent", "aclrtSynchronizeEvent"),
        ("aclrtRecordNotify", "aclrtWaitAndResetNotify"),
    ] {
        let mut run = built(HEAD);
        run.tell(record, &[5, KEPT]);
        run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
        run.tell(wait, &[5, handle(1)]);
        run.tell("aclrtSynchronizeStream", &[handle(1)]);
        assert!(run.release().is_empty(), "{record}");
    }
}

#[test]
fn a_refused_call_is_no_part_of_the_model() {
    let mut run = built(HEAD);
    run.0.refused(CallSiteId(1 + 10), THREAD);
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    assert!(run.release().is_empty());
}
