//! What ends with a reference, a device or a context, and what does not.

use super::edges::{ON, is_found, is_found_around};
use super::graphs::{Captured, GRAPH};
use super::*;

type Told<'a> = (&'a str, &'a [u64], i32);

const SET: Told = ("aclrtSetDevice", &[0], 0);
const RESET: Told = ("aclrtResetDevice", &[0], 0);
/// Of the device that the streams are on, and of another.
const OWN: Told = ("aclrtCreateContext", &[0, 0x70], 0);
const OTHER: Told = ("aclrtCreateContext", &[1, 0x71], 0);

#[test]
fn a_reset_that_leaves_a_reference_waits_for_nothing() {
    assert!(is_found_around(ON, &[SET, SET], &[RESET]));
    assert!(is_found_around(ON, &[SET], &[SET, RESET])); // a worker's
    assert!(!is_found_around(ON, &[SET, SET], &[RESET, RESET]));
    assert!(!is_found_around(ON, &[SET], &[RESET]));
}

#[test]
fn a_reset_by_force_and_one_of_a_device_that_was_not_seen_set_wait() {
    let forced: Told = ("aclrtResetDeviceForce", &[0], 0);
    assert!(!is_found_around(ON, &[SET, SET], &[forced]));
    assert!(!is_found(&[RESET]));
    let aborted: Told = ("aclrtDeviceTaskAbort", &[0], 0);
    assert!(!is_found_around(ON, &[SET, SET], &[aborted]));
    let [failed, of_other]: [Told; 2] = [
        ("aclrtResetDevice", &[0], 107_001),
        ("aclrtResetDeviceForce", &[1], 0),
    ];
    assert!(is_found_around(ON, &[SET], &[failed, of_other]));
    // A failed set keeps nothing open.
    let unset: Told = ("aclrtSetDevice", &[0], 107_001);
    assert!(!is_found_around(ON, &[SET, unset], &[RESET]));
}

#[test]
fn what_is_finalized_for_others_too_goes_on() {
    let left = |references: u64| is_found(&[("aclFinalizeReference", &[references], 0)]);
    assert!(left(1) && left(7));
    assert!(!left(0));
    assert!(!is_found(&[("aclFinalizeReference", &[], 0)])); // nobody asked how many
    assert!(!is_found(&[("aclFinalize", &[], 0)]));
    // What that means for the devices' references is not documented.
    let finalized: Told = ("aclFinalize", &[], 0);
    assert!(!is_found_around(ON, &[SET, SET, finalized], &[RESET]));
}

#[test]
fn a_context_takes_no_more_with_it_than_its_device_has() {
    let destroyed: Told = ("aclrtDestroyContext", &[0x71], 0);
    assert!(is_found_around(ON, &[OTHER], &[destroyed]));
    assert!(!is_found_around(
        ON,
        &[OWN],
        &[("aclrtDestroyContext", &[0x70], 0)]
    ));
    assert!(is_found_around(
        ON,
        &[OWN],
        &[("aclrtDestroyContext", &[0x70], 107_002)]
    ));
    assert!(!is_found(&[destroyed])); // of any device
    // Another context may have the address by now.
    assert!(!is_found_around(ON, &[OTHER, destroyed], &[destroyed]));
}

/// Whether graph 0 of device 0 is known after `calls`.
fn is_known_after(calls: &[(&str, &[u64])]) -> bool {
    let mut run = Captured::on(0).ended();
    for (name, values) in calls {
        run.tell(name, values);
    }
    run.tell("aclmdlRIExecuteAsync", &[GRAPH, handle(2)]);
    run.release() == ["free-in-flight"]
}

#[test]
fn graphs_go_with_a_context_of_their_device_and_with_no_other() {
    let [own, other] = [OWN, OTHER].map(|(name, values, _)| (name, values));
    assert!(is_known_after(&[other, ("aclrtDestroyContext", &[0x71])]));
    assert!(!is_known_after(&[own, ("aclrtDestroyContext", &[0x70])]));
    assert!(!is_known_after(&[("aclrtDestroyContext", &[0x70])]));
    assert!(!is_known_after(&[("aclFinalize", &[])]));
}

#[test]
fn a_capture_goes_on_when_another_context_ends() {
    for made in [OWN, OTHER] {
        let mut captured = Captured::on(0);
        captured.tell(made.0, made.1);
        captured.tell("aclrtDestroyContext", &[made.1[1]]);
        assert!(captured.0.is_capturing());
    }
    let mut captured = Captured::on(0);
    captured.0.reset(1);
    assert!(captured.0.is_capturing());
    captured.0.reset(0);
    assert!(!captured.0.is_capturing());
}
