//! Operators with random arguments, under sanitizers: whatever phase one takes stays within its operands.

use std::path::Path;
use std::process::Command;

use crate::om::sanitizers;

#[test]
fn operators_stay_within_their_operands() {
    if sanitizers().is_empty() {
        return;
    }
    // Without seconds each operator is called a fixed number of times.
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/fuzz-operators");
    let output = Command::new("bash").arg(script).arg("0").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = said.lines().filter(|line| line.starts_with("FAILED"));
    let failed: Vec<_> = failed.collect();
    assert!(
        output.status.success(),
        "{failed:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
