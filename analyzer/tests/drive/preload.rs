//! Preloaded libraries, and where they come from.

use std::fs;
use std::path::Path;

use crate::bench::{Bench, outcome};

const TELL: [&str; 4] = ["--", "sh", "-c", "echo \"$LD_PRELOAD\""];

#[test]
fn a_missing_shim_is_our_failure_and_names_where_it_could_be() {
    let bench = Bench::new();
    let mut command = bench.aclsan(&["run", "--", "echo", "ran"]);
    command.env("ACLSAN_LIB", "/no/such/libaclsan.so");
    let (code, out, err) = outcome(&mut command);
    assert_eq!((code, out.as_str()), (125, ""));
    assert!(
        err.contains("ACLSAN_LIB names no file: `/no/such/libaclsan.so`"),
        "{err}"
    );
}

#[test]
fn a_shim_that_is_no_library_is_our_failure() {
    let bench = Bench::new();
    let text = bench.write("libaclsan.so", "text");
    let (code, _, err) = outcome(
        bench
            .aclsan(&["run", "--preload"])
            .arg(text)
            .args(["--", "true"]),
    );
    assert_eq!(code, 125);
    assert!(err.contains("is not a shared library"), "{err}");
}

#[test]
fn what_was_preloaded_stays_behind_the_shim() {
    let bench = Bench::new();
    let other = bench.text("libother.so");
    assert!(bench.compile("libother.so", "int other;", &["-shared", "-fPIC"]));
    let (_, out, _) = outcome(bench.run(&TELL).env("LD_PRELOAD", &other));
    assert_eq!(out, format!("{}:{other}\n", bench.text("libaclsan.so")));
}

#[test]
fn a_relative_path_is_good_in_every_folder() {
    let bench = Bench::new();
    let shim = bench.shim();
    let (_, out, _) = outcome(
        bench
            .aclsan(&["run", "--preload", "libaclsan.so"])
            .args(TELL),
    );
    assert_eq!(out.trim(), shim.display().to_string());
}

#[test]
fn a_path_with_blanks_gets_a_link_that_goes_with_the_run() {
    let bench = Bench::new();
    fs::create_dir(bench.path("my tools:2")).unwrap();
    let shim = bench.path("my tools:2/libaclsan.so");
    fs::rename(bench.shim(), &shim).unwrap();
    let script = "echo \"$LD_PRELOAD\"; readlink \"$LD_PRELOAD\"";
    let mut command = bench.aclsan(&["run", "--preload"]);
    let (code, out, err) = outcome(command.arg(&shim).args(["--", "sh", "-c", script]));
    assert_eq!(code, 0);
    let (link, target) = out.trim().split_once('\n').unwrap();
    assert_eq!(Path::new(target), shim);
    assert!(!link.contains([' ', ':']));
    assert!(!Path::new(link).exists());
    assert!(!err.contains("ld.so"), "{err}");
}

#[test]
fn a_program_with_address_sanitizer_keeps_it_first() {
    let bench = Bench::new();
    let code = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { puts(getenv(\"LD_PRELOAD\")); return 0; }";
    if !bench.compile("app", code, &["-fsanitize=address"]) {
        return; // no such compiler here
    }
    let (exit, out, err) = outcome(
        bench
            .run(&["--", "./app"])
            .env("ASAN_OPTIONS", "detect_leaks=0"),
    );
    assert_eq!(exit, 0, "{err}");
    let preload: Vec<_> = out.trim().split(':').collect();
    assert_eq!(preload.last(), Some(&bench.text("libaclsan.so").as_str()));
    // With a statically linked runtime, nothing has to come before the shim.
    assert!(preload.len() == 1 || preload[0].contains("asan"), "{out}");
}

#[test]
fn the_companion_is_preloaded_when_it_is_asked_for() {
    let bench = Bench::new();
    let run = |options: &[&str]| {
        let mut command = bench.run(options);
        outcome(command.args(TELL))
    };
    let (code, _, err) = run(&["--set", "libc_free=1"]);
    assert_eq!(code, 125);
    assert!(
        err.contains("libaclsan_free.so`, which is not there"),
        "{err}"
    );
    assert!(bench.compile("libaclsan_free.so", "int free_;", &["-shared", "-fPIC"]));
    let (shim, companion) = (bench.text("libaclsan.so"), bench.text("libaclsan_free.so"));
    let (_, out, _) = run(&["--set", "libc_free=1"]);
    assert_eq!(out, format!("{shim}:{companion}\n"));
    let (_, out, _) = run(&["--set", "libc_free=0"]);
    assert_eq!(out, format!("{shim}\n"));
}

/// `cargo install` leaves the command alone in a folder, without the rest.
#[test]
fn a_command_that_cargo_installed_says_how_to_get_the_rest_and_finds_it_beside_bin() {
    let bench = Bench::new();
    let bin = bench.path("cargo/bin");
    fs::create_dir_all(&bin).unwrap();
    // Copied by another process, as in `env.rs`.
    let copied = std::process::Command::new("cp")
        .args([env!("CARGO_BIN_EXE_aclsan").as_ref(), bin.as_os_str()])
        .status();
    assert!(copied.unwrap().success());
    let run = || {
        let mut command = std::process::Command::new(bin.join("aclsan"));
        command.args(["run", "--", "true"]).env_remove("ACLSAN_LIB");
        outcome(&mut command)
    };
    let (code, _, err) = run();
    assert_eq!(code, 125);
    let (place, advice) = ("cargo/lib/aclsan/libaclsan.so", "`pip install aclsan`");
    assert!(err.contains(place) && err.contains(advice), "{err}");

    fs::create_dir_all(bench.path("cargo/lib/aclsan")).unwrap();
    fs::copy(bench.shim(), bench.path(place)).unwrap();
    let (code, _, err) = run();
    assert_eq!(code, 0, "{err}");
}
