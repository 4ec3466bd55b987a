//! The actions and templates of `.github`: their steps, run as scripts on programs of their own.

use crate::artifacts;
use std::path::Path;
use std::process::Command;

/// What `steps.py` exits with where no reader of YAML is installed.
const NO_READER: i32 = 77;

#[test]
fn steps_of_every_system_fail_on_a_planted_leak_and_pass_without() {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("continuous/steps.py");
    let output = Command::new(python)
        .arg("-B")
        .arg(script)
        .arg(artifacts::folder())
        .arg(artifacts::scratch("continuous"))
        .output();
    let Ok(output) = output else {
        eprintln!("left out: there is no python3");
        return;
    };
    let told = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(NO_READER) => eprintln!("left out: {told}"),
        code => assert_eq!(code, Some(0), "{told}{wrong}"),
    }
}
