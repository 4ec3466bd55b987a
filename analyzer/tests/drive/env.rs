//! `aclsan env`: what other launchers set.

use std::process::Command;

use crate::bench::{Bench, outcome};

#[test]
fn a_shell_can_take_the_variables() {
    let bench = Bench::new();
    let shim = bench.shim().display().to_string();
    let mut command = bench.aclsan(&[
        "env",
        "--preload",
        &shim,
        "--guard",
        "rear",
        "-o",
        "my logs/",
    ]);
    let (code, script, err) = outcome(&mut command);
    assert_eq!((code, err.as_str()), (0, ""));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!(
        "{script}\nprintf '%s\\n' \"$LD_PRELOAD\" \"$ACLSAN_OPTIONS\""
    ));
    let (_, out, _) = outcome(shell.env_remove("LD_PRELOAD"));
    let here = bench.folder.canonicalize().unwrap();
    let here = here.display();
    assert_eq!(
        out,
        format!("{shim}\nguard=rear:log_path='{here}/my logs/aclsan-%h-%p.aclsan'\n")
    );
}

#[test]
fn plain_lines_are_for_elsewhere_and_keep_the_logs_place_as_it_was_given() {
    let bench = Bench::new();
    let shim = bench.shim().display().to_string();
    let arguments = ["env", "--plain", "--preload", &shim, "-o", "logs/"];
    let (_, plain, _) = outcome(&mut bench.aclsan(&arguments));
    let last = plain.lines().last();
    assert_eq!(
        last,
        Some("ACLSAN_OPTIONS=log_path=logs/aclsan-%h-%p.aclsan")
    );
}

#[test]
fn json_and_plain_lines_carry_the_same() {
    let bench = Bench::new();
    let shim = bench.shim().display().to_string();
    let (_, json, _) =
        outcome(&mut bench.aclsan(&["env", "--json", "--preload", &shim, "--mode", "record"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["LD_PRELOAD"], shim.as_str());
    assert_eq!(json["ACLSAN_OPTIONS"], "mode=record");
    let (_, plain, _) =
        outcome(&mut bench.aclsan(&["env", "--plain", "--preload", &shim, "--mode", "record"]));
    assert_eq!(
        plain,
        format!("LD_PRELOAD={shim}\nACLSAN_OPTIONS=mode=record\n")
    );
}

#[test]
fn taking_them_twice_changes_nothing() {
    let bench = Bench::new();
    let shim = bench.shim().display().to_string();
    let mut first = bench.aclsan(&["env", "--plain", "--preload", &shim]);
    let (_, once, _) = outcome(first.env("LD_PRELOAD", "libc.so.6"));
    assert_eq!(
        once.lines().next(),
        Some(format!("LD_PRELOAD={shim}:libc.so.6").as_str())
    );
    let mut second = bench.aclsan(&["env", "--plain", "--preload", &shim]);
    let (_, twice, _) = outcome(second.env("LD_PRELOAD", format!("{shim}:libc.so.6")));
    assert_eq!(once, twice);
}

#[test]
fn a_missing_shim_is_reported() {
    let bench = Bench::new();
    let (code, out, err) = outcome(&mut bench.aclsan(&["env", "--preload", "nowhere.so"]));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("--preload names no file"), "{err}");
}

#[test]
fn the_folder_of_the_annotation_headers_is_beside_the_command_or_reported_as_missing() {
    let bench = Bench::new();
    let (bin, include) = (bench.path("bin"), bench.path("include"));
    std::fs::create_dir_all(&bin).unwrap();
    // Copied by another process: if this one had the file open for writing, a child of another test could keep it busy.
    let copied = Command::new("cp")
        .args([env!("CARGO_BIN_EXE_aclsan").as_ref(), bin.as_os_str()])
        .status();
    assert!(copied.unwrap().success());
    let mut command = Command::new(bin.join("aclsan"));
    command.args(["env", "--includedir"]);
    let (code, out, err) = outcome(&mut command);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("aclsan.h was not found; looked at"), "{err}");
    bench.write("include/aclsan.h", "");
    let found = include.canonicalize().unwrap();
    let (code, out, err) = outcome(&mut command);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(
        std::path::Path::new(out.trim_end()).canonicalize().unwrap(),
        found
    );
}
