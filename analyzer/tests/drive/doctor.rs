//! `aclsan doctor` on runtimes of a few lines.

use std::fs;

use crate::bench::{Bench, outcome};

const LIBRARY: [&str; 2] = ["-shared", "-fPIC"];

fn doctor(bench: &Bench, arguments: &[&str]) -> (i32, String) {
    let shim = bench.shim().display().to_string();
    let mut command = bench.aclsan(&["doctor", "--preload", &shim]);
    let (code, out, err) = outcome(
        command
            .args(arguments)
            .env("LD_LIBRARY_PATH", bench.path("cann")),
    );
    assert_eq!(err, "");
    (code, out)
}

fn library(bench: &Bench, name: &str, code: &str, flags: &[&str]) {
    fs::create_dir_all(bench.path("cann")).unwrap();
    let flags = [&LIBRARY, flags].concat();
    assert!(
        bench.compile(&format!("cann/{name}"), code, &flags),
        "{name}"
    );
}

#[test]
fn one_library_is_told_with_what_is_not_watched() {
    let bench = Bench::new();
    library(
        &bench,
        "libascendcl.so",
        "int aclrtMalloc, aclrtFree, aclrtMallocAfterOurTime;",
        &[],
    );
    let (code, out) = doctor(&bench, &["--", "sh"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("one library"), "{out}");
    assert!(out.contains("there to be opened"), "{out}");
    assert!(out.contains("2 of the "), "{out}");
    assert!(out.contains("and not watched:"), "{out}");
    assert!(out.contains("  aclrtMallocAfterOurTime"), "{out}");
    assert!(out.contains("Nothing stands in the way."), "{out}");
}

#[test]
fn the_environment_is_looked_at_where_no_program_is_named() {
    let bench = Bench::new();
    library(&bench, "libascendcl.so", "int aclrtMalloc;", &[]);
    let (code, out) = doctor(&bench, &[]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("one library"), "{out}");
}

#[test]
fn split_libraries_are_told_by_their_twins() {
    let bench = Bench::new();
    library(&bench, "libacl_rt_impl.so", "int aclrtMallocImpl;", &[]);
    library(&bench, "libacl_rt.so", "int aclrtMalloc;", &[]);
    let (_, out) = doctor(&bench, &["--json", "--", "sh"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(
        json["facts"]["runtime"][0]
            .as_str()
            .unwrap()
            .starts_with("split"),
        "{out}"
    );
    let call = &json["calls"][0];
    assert_eq!(call["name"], "aclrtMalloc");
    assert_eq!(call["public"], "libacl_rt.so");
    assert_eq!(call["impl"], "libacl_rt_impl.so");
}

#[test]
fn a_library_that_misses_another_is_a_problem_and_says_which() {
    let bench = Bench::new();
    library(
        &bench,
        "libascend_hal.so",
        "int hal;",
        &["-Wl,-soname,libascend_hal.so"],
    );
    let hal = bench.text("cann/libascend_hal.so");
    library(
        &bench,
        "libascendcl.so",
        "extern int hal; int aclrtMalloc(void) { return hal; }",
        &[&hal],
    );
    fs::remove_file(hal).unwrap();
    let (code, out) = doctor(&bench, &["--", "sh"]);
    assert_eq!(code, 1);
    assert!(
        out.contains("libascendcl.so` needs `libascend_hal.so`, which is not found"),
        "{out}"
    );
    assert!(out.contains("NPU driver"), "{out}");
}

#[test]
fn no_runtime_and_no_program_are_told() {
    let bench = Bench::new();
    let (code, out) = doctor(&bench, &[]);
    assert_eq!(code, 1);
    assert!(out.contains("no AscendCL runtime is found"), "{out}");
    let (code, _, err) = outcome(&mut bench.aclsan(&["doctor", "--", "no-such-program"]));
    assert_eq!(code, 2);
    assert!(err.contains("was not found"), "{err}");
}
