//! Environment variables with invalid values.

use crate::building::{TOPOLOGIES, build, launch, succeed};

#[test]
fn values_that_are_not_understood_are_named() {
    let executable = build("linked");
    let cases = [
        (
            "ACLSIM_SOC=Ascend1",
            "ACLSIM_SOC: `Ascend1` is not one of Ascend910B3, ",
        ),
        (
            "ACLSIM_DEVICES=0",
            "ACLSIM_DEVICES: `0` is not a whole number from 1 to 16; ",
        ),
        (
            "ACLSIM_MEMORY_MB=12GB",
            "ACLSIM_MEMORY_MB: `12GB` is not a whole number ",
        ),
        (
            "ACLSIM_STREAM_DELAY_US=-5",
            "ACLSIM_STREAM_DELAY_US: `-5` is not a whole number ",
        ),
        (
            "ACLSIM_MISALIGN=48",
            "ACLSIM_MISALIGN: `48` is not a power of two; ",
        ),
        (
            "ACLSIM_FAIL=aclrtMaloc@1",
            "ACLSIM_FAIL: `aclrtMaloc@1` is not function@n ",
        ),
        (
            "ACLSIM_FAIL=aclrtFree",
            "ACLSIM_FAIL: `aclrtFree` is not function@n ",
        ),
        (
            "ACLSIM_MEMROY_MB=5",
            "ACLSIM_MEMROY_MB is not a variable of the simulator",
        ),
    ];
    for topology in TOPOLOGIES {
        for (variable, expected) in cases {
            let output = succeed(&mut launch(&executable, topology, variable));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(
                said.starts_with(&format!("aclsim: {expected}")),
                "{variable}: {said}"
            );
            assert_eq!(said.lines().count(), 1, "{variable}: {said}");
        }
        let output = succeed(&mut launch(
            &executable,
            topology,
            "ACLSIM_SOC=Ascend310P3 ACLSIM_DEVICES=2",
        ));
        assert!(output.stderr.is_empty());
    }
}
