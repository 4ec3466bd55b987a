//! The memory that models were given.

use super::*;

const QUEUED: &str = "aclmdlExecuteAsync";
const MODEL: u64 = 3;

/// Streams, and a model that has block 0 to work in and block 1 for its weights.
fn loaded() -> RaceDetector {
    let mut detector = with_streams();
    load(&mut detector, MODEL);
    detector
}

fn load(detector: &mut RaceDetector, model: u64) {
    let [work, weights] = [0, 1].map(|number| block(number).address);
    tell(
        detector,
        "aclmdlLoadFromMemWithMem",
        &[model, work, SIZE, weights, SIZE],
    );
}

fn tell(detector: &mut RaceDetector, name: &str, values: &[u64]) -> usize {
    let found = detector.called(&call(name, 4), &Values::new(values), 0, THREAD, &Stage);
    found.len()
}

fn release(detector: &mut RaceDetector, number: usize) -> Vec<&'static str> {
    let found = detector.releasing(&call("aclrtFree", 5), &block(number), THREAD);
    found.iter().map(|finding| finding.rule.name).collect()
}

#[test]
fn it_is_released_too_early_while_the_model_is_queued() {
    for number in [0, 1] {
        let mut detector = loaded();
        tell(&mut detector, QUEUED, &[MODEL, handle(0)]);
        tell(&mut detector, "aclrtSynchronizeStream", &[handle(1)]);
        assert_eq!(release(&mut detector, number), ["free-in-flight"]);
    }
}

#[test]
fn behind_a_wait_or_after_the_unloading_it_is_the_programs() {
    let after: [(&str, &[u64]); 2] = [
        ("aclrtSynchronizeStream", &[handle(0)]),
        ("aclmdlUnload", &[MODEL]),
    ];
    for (name, values) in after {
        for number in [0, 1] {
            let mut detector = loaded();
            tell(&mut detector, QUEUED, &[MODEL, handle(0)]);
            tell(&mut detector, name, values);
            assert!(release(&mut detector, number).is_empty(), "{name}");
        }
    }
}

#[test]
fn what_else_is_queued_on_it_stays_when_the_model_is_unloaded() {
    let mut detector = loaded();
    tell(&mut detector, QUEUED, &[MODEL, handle(0)]);
    let fill = crate::evidence::operation::Memset {
        to: block(0).address,
        room: SIZE,
        count: SIZE,
        mapping: aclsan_log::Mapping::Unknown,
    };
    let set = call("aclrtMemsetAsync", 6);
    let place = Stage.place(fill.to);
    detector.set(&set, &fill, &place, handle(0), THREAD);
    tell(&mut detector, "aclmdlUnload", &[MODEL]);
    assert_eq!(release(&mut detector, 0), ["free-in-flight"]);
}

#[test]
fn blocking_runs_other_models_and_shared_work_memory_are_silent() {
    let mut detector = loaded();
    tell(&mut detector, "aclmdlExecute", &[MODEL, 0]);
    tell(&mut detector, QUEUED, &[MODEL + 1, handle(0)]);
    assert!(release(&mut detector, 0).is_empty());
    for other in [handle(0), handle(1)] {
        let mut detector = loaded();
        load(&mut detector, MODEL + 1);
        let found = tell(&mut detector, QUEUED, &[MODEL, handle(0)])
            + tell(&mut detector, QUEUED, &[MODEL + 1, other]);
        assert_eq!(found, 0);
    }
}

#[test]
fn a_model_that_was_loaded_on_a_device_that_is_gone_has_nothing() {
    let mut detector = loaded();
    detector.reset(0);
    tell(&mut detector, QUEUED, &[MODEL, handle(0)]);
    assert!(release(&mut detector, 0).is_empty());
}

#[test]
fn a_captured_run_uses_it_when_its_graph_runs() {
    let mut detector = loaded();
    tell(&mut detector, "aclmdlRICaptureBegin", &[handle(0), 0]);
    tell(&mut detector, QUEUED, &[MODEL, handle(0)]);
    tell(&mut detector, "aclmdlRICaptureEnd", &[handle(0), 0x900]);
    tell(&mut detector, "aclmdlRIExecuteAsync", &[0x900, handle(1)]);
    assert_eq!(release(&mut detector, 0), ["free-in-flight"]);
}
