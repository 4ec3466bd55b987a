//! A shim that is not preloaded but opened with `dlopen` by one thread of a running, multithreaded program.

use aclsan_tests::artifacts::{command, folder, scratch, shim};
use std::process::Command;

#[test]
fn it_is_opened_late_and_stays() {
    let scratch = scratch("binaries-late");
    let program = scratch.join("late");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/programs/doors/opened_late.c");
    let mut cc = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    cc.args(["-Wall", "-Werror", "-g", "-pthread", "-o"])
        .arg(&program)
        .arg(source);
    cc.arg("-I").arg(folder().join("simulator/include"));
    cc.arg("-L").arg(folder().join("simulator/lib"));
    assert!(
        cc.args(["-lascendcl", "-ldl"])
            .status()
            .expect("cc runs")
            .success()
    );
    let log = scratch.join("late.aclsan");
    let mut run = Command::new(program);
    run.arg(shim())
        .env("LD_LIBRARY_PATH", folder().join("simulator/lib"));
    run.env(
        "ACLSAN_OPTIONS",
        format!("quiet=1:log_path={}", log.display()),
    );
    let output = run.output().expect("it runs");
    let (said, complained) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(
        (output.status.code(), &*said, &*complained),
        (
            Some(0),
            "8 threads, 0 failed; closed, and still there\n",
            ""
        )
    );
    // Calls looked up in the shim's own handle are intercepted: eight pairs.
    let dump = Command::new(command())
        .arg("dump")
        .arg(&log)
        .output()
        .expect("aclsan runs");
    let events = String::from_utf8_lossy(&dump.stdout);
    let count = |event: &str| events.lines().filter(|line| line.contains(event)).count();
    assert_eq!(
        (
            count("\"event\":\"allocation\""),
            count("\"event\":\"release\"")
        ),
        (8, 8),
        "{events}"
    );
}
