//! Build identity: `--version` and every log give the version and build ID, as the files themselves have them.

use crate::elf::readelf;
use aclsan_tests::artifacts::{command, folder, scratch, shim};
use std::path::Path;
use std::process::Command;

fn build_id(file: &Path) -> String {
    let notes = readelf(file, &["-n"]);
    let id = notes
        .iter()
        .find_map(|line| line.trim().strip_prefix("Build ID: "));
    id.unwrap_or_else(|| panic!("{} has no build-id", file.display()))
        .to_owned()
}

fn reported(command: &mut Command) -> String {
    let output = command.output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_version_names_the_command_the_shim_and_the_simulator() {
    let text = reported(Command::new(command()).arg("--version"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("aclsan {}", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("revision   "), "{text}");
    let target = format!("target     {}-unknown-linux-gnu", std::env::consts::ARCH);
    assert_eq!(
        (lines[2], lines[3]),
        (target.as_str(), "event log  format 2")
    );
    let simulator = folder().join("simulator/lib/libascendcl.so");
    for (line, name, file) in [
        (lines[4], "command", command()),
        (lines[5], "shim", folder().join("libaclsan.so")),
        (lines[6], "simulator", simulator),
    ] {
        let expected = format!(
            "{name:<10} build-id {}  {}",
            build_id(&file),
            file.display()
        );
        assert_eq!(line, expected);
    }
    // Also as an option of a verb.
    assert_eq!(
        reported(Command::new(command()).args(["run", "--version"])),
        text
    );
}

#[test]
fn every_log_names_the_shim_that_wrote_it() {
    let scratch = scratch("binaries-identity");
    let demo = folder().join("simulator/demo");
    let mut run = Command::new(command());
    run.args(["run", "--simulate", "--no-report", "-o"])
        .arg(scratch.join("logs"));
    reported(run.arg("--preload").arg(shim()).arg("--").arg(demo));
    let id = build_id(&shim());
    let json = reported(
        Command::new(command())
            .args(["report", "--json"])
            .arg(scratch.join("logs")),
    );
    let json: serde_json::Value = serde_json::from_str(&json).expect("a report");
    let process = &json["processes"][0];
    assert_eq!(
        (&process["shim_version"], &process["shim_build_id"]),
        (&env!("CARGO_PKG_VERSION").into(), &id.as_str().into())
    );
}
